import type { CommitKeyChange } from '../keys/key-change.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import type { Actor, Audit } from './audit-event.ts';

/** Commits changes of keys together with their entries, in the name of `actor`. */
export function auditedKeyChanges(audit: Audit, actor: Actor): CommitKeyChange {
  return (work) =>
    audit.transaction((tx) =>
      work({ ...tx, record: (change) => tx.record({ outcome: 'success', ...change, ...actor }) }),
    );
}

/**
 * Audits the data keys that were made when the keyring was opened: before them there was nothing to
 * seal an entry with.
 */
export async function recordCreatedKeys(
  audit: Audit,
  actor: Actor,
  { createdKeys }: Pick<Keyring, 'createdKeys'>,
): Promise<void> {
  for (const resource of createdKeys)
    await audit.record({ ...actor, action: 'key.create', outcome: 'success', resource });
}
