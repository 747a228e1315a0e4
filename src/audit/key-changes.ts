import type { CommitKeyChange } from '../keys/key-change.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import type { Audit, Doer } from './audit-event.ts';

/** Commits changes of keys together with the entries that tell of them, in the name of whoever does them. */
export function auditedKeyChanges(audit: Audit, doer: Doer): CommitKeyChange {
  return (steps, changes) =>
    audit.commit(steps, (rows) =>
      changes(rows).map((change) => ({
        ...doer,
        ...change,
        outcome: change.outcome ?? ('success' as const),
      })),
    );
}

/** Tells of the data keys that were made when the keyring was opened: before them there was nothing to seal an entry with. */
export async function recordCreatedKeys(
  audit: Audit,
  doer: Doer,
  { createdKeys }: Pick<Keyring, 'createdKeys'>,
): Promise<void> {
  for (const resource of createdKeys)
    await audit.record({ ...doer, action: 'key.create', outcome: 'success', resource });
}
