import { resolve } from 'node:path';
import type { Database } from '../platform/postgres/database.ts';
import { listDataKeys } from './data-keys.sql.ts';
import { type KeyStore, KeysUnusable, KeyUnknown } from './key-store.ts';
import type { KeyStoreSettings } from './key-store-settings.ts';
import { createKeyFile } from './stores/create-key-file.ts';
import { openEnvironmentKeys } from './stores/open-environment-keys.ts';
import { openExternalKeys } from './stores/open-external-keys.ts';
import { openKeyFile, readKeyFile } from './stores/read-key-file.ts';

export type OpenedKeyStore = {
  readonly store: KeyStore;
  readonly createdFile: string | null;
};

/**
 * In homologation an empty database gets a new key file. Production makes none; a database that has keys gets
 * none, because a new key could not open them. Throws `KeysUnusable`.
 */
export async function openKeyStore(
  settings: KeyStoreSettings,
  environment: string,
  database: Database,
): Promise<OpenedKeyStore> {
  switch (settings.kind) {
    case 'environment':
      return { store: openEnvironmentKeys(settings), createdFile: null };
    case 'external':
      return { store: openExternalKeys(settings), createdFile: null };
    case 'file': {
      const path = resolve(settings.path);
      const isCreated = await createMissingFile(path, environment, database);
      return { store: await openKeyFile(path, environment), createdFile: isCreated ? path : null };
    }
  }
}

async function createMissingFile(path: string, environment: string, database: Database): Promise<boolean> {
  if ((await readKeyFile(path, environment, true)) !== null) return false;
  const wrappedBy = new Set((await listDataKeys(database)).map((key) => key.keyEncryptionKeyId));
  if (wrappedBy.size > 0) {
    throw new KeysUnusable(
      `there is no key file ${path}, and this database was sealed under ${[...wrappedBy].join(', ')}: put back a copy ` +
        'of its key file (setting PARCELA_KEY_FILE); a new one would open nothing',
    );
  }
  if (environment === 'production') {
    throw new KeysUnusable(
      `there is no key file ${path}: run parcela key create, and keep a copy of it in another place`,
    );
  }
  return createKeyFile(path, environment);
}

export const KEY_STORE_OPERATIONS = ['currentKeyId', 'isFormer', 'wrap', 'unwrap'] as const;
type KeyStoreOperation = (typeof KEY_STORE_OPERATIONS)[number];

export type KeyStoreObserver = {
  readonly answered: () => void;
  /** Called for each query without an answer. */
  readonly failed: (operation: KeyStoreOperation, error: unknown) => void;
};

export function observedKeyStore(store: KeyStore, { answered, failed }: KeyStoreObserver): KeyStore {
  const observed = async <Answer>(operation: KeyStoreOperation, asked: Promise<Answer>): Promise<Answer> => {
    try {
      const answer = await asked;
      answered();
      return answer;
    } catch (error) {
      // "No such key" is an answer.
      if (!(error instanceof KeyUnknown)) failed(operation, error);
      throw error;
    }
  };
  return {
    name: store.name,
    currentKeyId: () => observed('currentKeyId', store.currentKeyId()),
    isFormer: (keyId) => observed('isFormer', store.isFormer(keyId)),
    wrap: (dataKey, context) => observed('wrap', store.wrap(dataKey, context)),
    unwrap: (keyId, wrapped, context) => observed('unwrap', store.unwrap(keyId, wrapped, context)),
  };
}
