import { createHmac, randomBytes } from 'node:crypto';
import type { Database } from '../platform/postgres/database.ts';
import { insertDataKey, type KeyPurpose, listDataKeys, type WrappedDataKey } from './data-keys.sql.ts';
import { type KeyStore, KeysUnusable } from './key-store.ts';
import { KEY_BYTES, NONCE_BYTES, openBytes, sealBytes } from './sealing.ts';

/** Bytes at rest, with the number of the data key that closed them. */
export type Sealed = { readonly dataKeyId: number; readonly bytes: Buffer };

export type Keyring = {
  /** Seals for rest. `record` names whose they are (merchant and record id): elsewhere they do not open. */
  seal(purpose: 'card' | 'keyPair', record: string, plain: Buffer): Sealed;
  /** Throws when the bytes were altered, moved, or sealed by an unknown key. */
  open(purpose: 'card' | 'keyPair', record: string, sealed: Sealed): Buffer;
  /** A keyed fingerprint (HMAC-SHA-256): equal texts give equal prints, and without the key nothing can be guessed from it. */
  fingerprint(text: string): Buffer;
};

const PURPOSES: readonly KeyPurpose[] = ['card', 'keyPair', 'fingerprint'];

/**
 * Opens the data keys of this database, making those that are missing. Refuses (`KeysUnusable`) a key-encryption key that
 * is not the one that wrapped them, and keys of the other environment: better no service than cards that cannot be opened.
 */
export async function openKeyring(
  database: Database,
  store: KeyStore,
  environment: string,
): Promise<Keyring> {
  const present = await listDataKeys(database);
  const missing = PURPOSES.filter(
    (purpose) => !present.some((key) => key.purpose === purpose && !key.isRetired),
  );
  if (missing.length > 0) await createDataKeys(database, store, environment, present, missing);
  const wrapped = missing.length > 0 ? await listDataKeys(database) : present;
  const keys = new Map<number, Buffer>();
  for (const key of wrapped) keys.set(key.dataKeyId, await unwrap(store, environment, key));
  const inUse = new Map(wrapped.filter((key) => !key.isRetired).map((key) => [key.purpose, key.dataKeyId]));
  return keyring(keys, inUse);
}

async function createDataKeys(
  database: Database,
  store: KeyStore,
  environment: string,
  present: readonly WrappedDataKey[],
  missing: readonly KeyPurpose[],
): Promise<void> {
  for (const key of present) refuseForeignKey(store, environment, key);
  for (const purpose of missing) {
    const wrappedKey = await store.wrap(randomBytes(KEY_BYTES), wrappingContext(purpose, environment));
    await insertDataKey(database, { purpose, environment, wrappedKey, keyEncryptionKeyId: store.keyId });
  }
}

function refuseForeignKey(store: KeyStore, environment: string, key: WrappedDataKey): void {
  if (key.environment !== environment) {
    throw new KeysUnusable(`the keys in this database belong to ${key.environment}, this is ${environment}`);
  }
  if (key.keyEncryptionKeyId !== store.keyId) {
    throw new KeysUnusable(
      `the key-encryption key given is ${store.keyId}, but this database was sealed under ${key.keyEncryptionKeyId}: ` +
        'put back the key file that belongs to this database (setting PARCELA_KEY_FILE)',
    );
  }
}

async function unwrap(store: KeyStore, environment: string, key: WrappedDataKey): Promise<Buffer> {
  refuseForeignKey(store, environment, key);
  try {
    return await store.unwrap(key.wrappedKey, wrappingContext(key.purpose, environment));
  } catch {
    throw new KeysUnusable(
      `data key ${key.dataKeyId} was altered: restore the table data_keys from a backup`,
    );
  }
}

function wrappingContext(purpose: KeyPurpose, environment: string): string {
  return `data key|${purpose}|${environment}`;
}

function keyring(keys: ReadonlyMap<number, Buffer>, inUse: ReadonlyMap<KeyPurpose, number>): Keyring {
  const keyOf = (dataKeyId: number | undefined): Buffer => {
    const key = dataKeyId === undefined ? undefined : keys.get(dataKeyId);
    if (key === undefined) throw new KeysUnusable(`data key ${dataKeyId} is not loaded`);
    return key;
  };
  const context = (purpose: string, record: string, dataKeyId: number) => `${purpose}|${record}|${dataKeyId}`;
  return {
    seal(purpose, record, plain) {
      const dataKeyId = inUse.get(purpose) as number;
      const bytes = sealBytes(
        keyOf(dataKeyId),
        randomBytes(NONCE_BYTES),
        context(purpose, record, dataKeyId),
        plain,
      );
      return { dataKeyId, bytes };
    },
    open(purpose, record, { dataKeyId, bytes }) {
      return openBytes(keyOf(dataKeyId), context(purpose, record, dataKeyId), bytes);
    },
    fingerprint: (text) =>
      createHmac('sha256', keyOf(inUse.get('fingerprint')))
        .update(text)
        .digest(),
  };
}
