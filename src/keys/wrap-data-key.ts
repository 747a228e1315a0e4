import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { WrappedDataKey } from './data-keys.sql.ts';
import { type KeyStore, KeysUnusable, type WrappedKey, wrappingContext } from './key-store.ts';
import { KEY_BYTES } from './sealing.ts';

/** Opens the wrapped key again: a store that could not would lose every card. Throws `KeysUnusable`. */
export async function wrapDataKey(store: KeyStore, dataKey: Buffer, context: string): Promise<WrappedKey> {
  const made = await store.wrap(dataKey, context);
  const back = await store.unwrap(made.keyId, made.wrapped, context);
  const isSame = back.length === dataKey.length && timingSafeEqual(back, dataKey);
  back.fill(0);
  if (!isSame) throw new KeysUnusable(`${store.name} does not give back the data key that it wrapped`);
  return made;
}

/** 256 random bits; no open copy is kept. */
export async function wrapNewKey(store: KeyStore, context: string): Promise<WrappedKey> {
  const dataKey = randomBytes(KEY_BYTES);
  try {
    return await wrapDataKey(store, dataKey, context);
  } finally {
    dataKey.fill(0);
  }
}

/** Throws as `KeyStore.unwrap`. */
export function unwrapDataKey(
  store: KeyStore,
  { dataKeyId, purpose, environment, keyEncryptionKeyId, wrappedKey }: WrappedDataKey,
): Promise<Buffer> {
  return store.unwrap(keyEncryptionKeyId, wrappedKey, wrappingContext(dataKeyId, purpose, environment));
}
