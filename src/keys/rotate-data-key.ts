import type { Database } from '../platform/postgres/database.ts';
import { hasSqlState, SQL_STATE } from '../platform/postgres/database-errors.ts';
import {
  holdForRotation,
  insertDataKey,
  type KeyPurpose,
  nextDataKeyId,
  retireDataKey,
} from './data-keys.sql.ts';
import type { CommitKeyChange } from './key-change.ts';
import { type KeyStore, KeysUnusable, wrappingContext } from './key-store.ts';
import type { Keyring } from './open-keyring.ts';
import { wrapNewKey } from './wrap-data-key.ts';

export type RotationTools = {
  readonly database: Database;
  readonly store: KeyStore;
  readonly keyring: Keyring;
  readonly environment: 'homologation' | 'production';
  readonly cell: string | null;
  readonly commitChange: CommitKeyChange;
};

/** Writers hold the table for milliseconds; a stuck one is ended by its timeout. */
const MOST_TRIES = 30;
const PAUSE_MILLISECONDS = 100;
/** Makes a key and retires the one in use in one commit; returns the retired number. Harmless to repeat. */
export async function rotateDataKey(tools: RotationTools, purpose: KeyPurpose): Promise<number> {
  const { store, keyring, environment, cell, commitChange } = tools;
  await keyring.reload();
  const retired = keyring.keyInUse(purpose);
  const dataKeyId = await nextDataKeyId(tools.database, cell);
  const { keyId, wrapped } = await wrapNewKey(store, wrappingContext(dataKeyId, purpose, environment));
  const made = { dataKeyId, purpose, environment, wrappedKey: wrapped, keyEncryptionKeyId: keyId };
  await untilUnlocked(() =>
    commitChange(async (tx) => {
      // Another operator has retired it meanwhile.
      if (!(await holdForRotation(tx, retired))) return;
      await retireDataKey(tx, retired);
      await insertDataKey(tx, made);
      const resource = `keys/${purpose}/${dataKeyId}`;
      tx.record({ action: 'key.rotate', resource, detail: { retired, wrappedBy: keyId } });
    }),
  );
  await keyring.reload().catch((error) => {
    throw new KeysUnusable(`a new ${purpose} key is in use, but not to be had: ${error.message}`);
  });
  return retired;
}

/** Repeats after a deadlock or lock timeout, which changed nothing. */
async function untilUnlocked(attempt: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isWorthATry = hasSqlState(error, SQL_STATE.deadlock, SQL_STATE.lockNotAvailable);
      if (!isWorthATry || tries === MOST_TRIES) throw error;
    }
    await new Promise((wake) => setTimeout(wake, PAUSE_MILLISECONDS));
  }
}
