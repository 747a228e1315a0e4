import { gauge } from '../platform/metrics.ts';
import type { Module, ModuleContext } from '../platform/module.ts';
import type { CommitKeyChange } from './key-change.ts';
import type { KeyStore } from './key-store.ts';
import type { Keyring } from './open-keyring.ts';
import type { SealedTable } from './resealing/sealed-rows.sql.ts';
import { keyWork } from './work.ts';

const DATA_KEY_AGE_SECONDS = gauge('parcela_data_key_age_seconds', 'Age of the data key in use.', [
  'purpose',
]);

type KeysContext = Pick<ModuleContext, 'configuration' | 'database' | 'metrics'> & {
  readonly store: KeyStore;
  readonly keyring: Keyring;
  readonly commitChange: CommitKeyChange;
};

/** `sealedTables`: of all modules. */
export function openKeys(context: KeysContext, sealedTables: readonly SealedTable[]): Module {
  const { configuration, database, store, keyring, commitChange, metrics } = context;
  // For an alert on the yearly rotation.
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
