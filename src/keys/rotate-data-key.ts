import type { CommitStep, Database, Row } from '../platform/postgres/database.ts';
import { hasSqlState, SQL_STATE } from '../platform/postgres/sql-states.ts';
import {
  holdForRotation,
  insertion,
  type KeyPurpose,
  lockDataKeys,
  nextDataKeyId,
  retirement,
} from './data-keys.sql.ts';
import type { CommitKeyChange, KeyChange } from './key-change.ts';
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

/** Writers hold the table for milliseconds each; a stuck one is ended by its own timeout. */
const MOST_TRIES = 30;
const PAUSE_MILLISECONDS = 100;
/** Deadlock, and a lock that took too long: nothing was done. */

/** Another operator retired the key in between. */
class RotatedMeanwhile extends Error {}

/**
 * Makes a new data key and retires the one in use, in one commit with its record; from then on
 * nothing is written under the old one. Returns the number of the retired key. Repeated after a
 * broken connection it rotates again, which is harmless.
 */
export async function rotateDataKey(tools: RotationTools, purpose: KeyPurpose): Promise<number> {
  const { store, keyring, environment, cell, commitChange } = tools;
  await keyring.reload();
  const retired = keyring.keyInUse(purpose);
  const dataKeyId = await nextDataKeyId(tools.database, cell);
  const { keyId, wrapped } = await wrapNewKey(store, wrappingContext(dataKeyId, purpose, environment));
  const made = { dataKeyId, purpose, environment, wrappedKey: wrapped, keyEncryptionKeyId: keyId };
  const steps: CommitStep[] = [
    lockDataKeys,
    holdForRotation(retired),
    (rows) => {
      if (rows[1]?.length !== 1) throw new RotatedMeanwhile();
      return retirement(retired);
    },
    insertion(made),
  ];
  await untilUnlocked(async () => {
    try {
      await commitChange(steps, (rows) => [rotation(purpose, retired, keyId, rows[3])]);
    } catch (error) {
      // The request is done: the key that was in use is retired.
      if (!(error instanceof RotatedMeanwhile)) throw error;
    }
  });
  await keyring.reload().catch((error) => {
    throw new KeysUnusable(`a new ${purpose} key is in use, but not to be had: ${error.message}`);
  });
  return retired;
}

function rotation(
  purpose: KeyPurpose,
  retired: number,
  wrappedBy: string,
  inserted: readonly Row[] | undefined,
): KeyChange {
  const resource = `keys/${purpose}/${inserted?.[0]?.data_key_id}`;
  return { action: 'key.rotate', resource, detail: { retired, wrappedBy } };
}

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
