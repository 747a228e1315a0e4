import { gauge } from '../platform/metrics.ts';
import type { Module, ModuleContext } from '../platform/module.ts';
import { hasSqlState, SQL_STATE } from '../platform/postgres/database-errors.ts';
import type { Work } from '../platform/work/due-work.ts';
import { everySoOften, following } from '../platform/work/every-so-often.ts';
import {
  deleteDataKey,
  type KeyPurpose,
  listDataKeys,
  listOverdueKeys,
  VERSION_OF_KEYS,
} from './data-keys.sql.ts';
import { type CommitKeyChange, dueAt } from './key-change.ts';
import { rewrapDataKeys } from './key-encryption/rotate-key-encryption-key.ts';
import type { KeyStore } from './key-store.ts';
import type { Keyring } from './open-keyring.ts';
import { type ResealTools, resealRows, retiredKeysOf } from './resealing/reseal-rows.ts';
import { countSealedRows, type SealedTable } from './resealing/sealed-rows.sql.ts';
import type { RotationTools } from './rotate-data-key.ts';

const FOLLOW_MILLISECONDS = 1_000;
const TIDY_MILLISECONDS = 60_000;

export type KeyWorkTools = Omit<RotationTools, 'cell'> & {
  readonly sealedTables: readonly SealedTable[];
  readonly observeAge: (purpose: KeyPurpose, seconds: number) => void;
};

function keyWork(tools: KeyWorkTools): Work[] {
  return [
    following('followDataKeys', VERSION_OF_KEYS, () => tools.keyring.reload()),
    finishResealing(tools, tools.sealedTables),
    everySoOften('finishKeyRotations', TIDY_MILLISECONDS, async () => {
      await finishWrapping(tools);
      await deleteRetiredKeys(tools);
      for (const key of await listDataKeys(tools.database)) {
        if (!key.isRetired && dueAt(key) !== null)
          tools.observeAge(key.purpose, (Date.now() - key.createdAt) / 1_000);
      }
    }),
  ];
}

/**
 * A killed rotation leaves data keys under two key-encryption keys. If there is only one, the store is not
 * asked.
 */
async function finishWrapping(tools: KeyWorkTools): Promise<void> {
  const rows = await listDataKeys(tools.database);
  if (new Set(rows.map((key) => key.keyEncryptionKeyId)).size > 1) await rewrapDataKeys(tools);
}

function finishResealing(tools: ResealTools, tables: readonly SealedTable[]): Work {
  const finished = new Set<number>();
  let pausedUntil = 0;
  return everySoOften('finishResealing', FOLLOW_MILLISECONDS, async (signal) => {
    const waiting = retiredKeysOf(tools.keyring, tables).filter((key) => !finished.has(key));
    if (waiting.length === 0 || performance.now() < pausedUntil) return;
    const { resealed } = await resealRows(tools, tables, undefined, signal);
    const counts = await countSealedRows(tools.database, tables, waiting);
    for (const key of waiting) if (!counts.has(key)) finished.add(key);
    // The remaining rows are locked or do not open: an alarm from time to time is enough.
    if (counts.size > 0 && resealed === 0) pausedUntil = performance.now() + TIDY_MILLISECONDS;
  });
}

const BATCH = 20;

/**
 * Deletes overdue data keys that no row names; returns how many. What they sealed in backups can never be
 * opened.
 */
async function deleteRetiredKeys({
  database,
  commitChange,
}: Pick<RotationTools, 'database' | 'commitChange'>): Promise<number> {
  let deleted = 0;
  for (const { dataKeyId, purpose } of await listOverdueKeys(database, BATCH)) {
    try {
      const isDeleted = await commitChange(async (tx) => {
        const isGone = await deleteDataKey(tx, dataKeyId);
        const resource = `keys/${purpose}/${dataKeyId}`;
        if (isGone) tx.record({ action: 'key.delete', resource, detail: {} });
        return isGone;
      });
      if (isDeleted) deleted += 1;
    } catch (error) {
      // A row still names the key.
      if (!hasSqlState(error, SQL_STATE.foreignKeyViolation)) throw error;
    }
  }
  return deleted;
}

const DATA_KEY_AGE_SECONDS = gauge('parcela_data_key_age_seconds', 'Age of the data key in use.', [
  'purpose',
]);

type KeysContext = Pick<ModuleContext, 'configuration' | 'database' | 'metrics'> & {
  readonly store: KeyStore;
  readonly keyring: Keyring;
  readonly commitChange: CommitKeyChange;
};

export function openKeys(context: KeysContext, sealedTables: readonly SealedTable[]): Module {
  const { configuration, database, store, keyring, commitChange, metrics } = context;
  // Serves an alert on the yearly rotation.
  const age = metrics.gauge(DATA_KEY_AGE_SECONDS);
  return {
    endpoints: [],
    works: keyWork({
      database,
      store,
      keyring,
      environment: configuration.environment,
      commitChange,
      sealedTables,
      observeAge: (purpose, seconds) => age.set({ purpose }, seconds),
    }),
    clockedWork: [],
  };
}
