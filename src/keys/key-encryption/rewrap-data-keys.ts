import { listDataKeys, rewrapDataKey, type WrappedDataKey } from '../data-keys.sql.ts';
import { wrappingContext } from '../key-store.ts';
import type { RotationTools } from '../rotate-data-key.ts';
import { unwrapDataKey, wrapDataKey } from '../wrap-data-key.ts';

export type RewrapTools = Omit<RotationTools, 'keyring' | 'cell'>;

/**
 * Wraps again, under the current key-encryption key, every data key that a former one wrapped; one
 * commit each, so that it may be killed anywhere and begun again. Returns how many were wrapped.
 * Keys that this store does not know, or that are only prepared, are left alone: another machine
 * has a newer file than this one. Throws `KeysUnusable`.
 */
export async function rewrapDataKeys(tools: RewrapTools): Promise<number> {
  const current = await tools.store.currentKeyId();
  let wrapped = 0;
  for (const key of await listDataKeys(tools.database)) {
    if (key.keyEncryptionKeyId === current) continue;
    if ((await tools.store.isFormer(key.keyEncryptionKeyId)) && (await rewrapOne(tools, key))) wrapped += 1;
  }
  return wrapped;
}

async function rewrapOne(tools: RewrapTools, key: WrappedDataKey): Promise<boolean> {
  const { store, commitChange } = tools;
  const { dataKeyId, purpose, keyEncryptionKeyId } = key;
  const context = wrappingContext(dataKeyId, purpose, key.environment);
  const dataKey = await unwrapDataKey(store, key);
  const made = await wrapDataKey(store, dataKey, context).finally(() => dataKey.fill(0));
  const detail = { wrappedBy: made.keyId, wrappedBefore: keyEncryptionKeyId };
  return commitChange(async (tx) => {
    const isChanged = await rewrapDataKey(tx, dataKeyId, keyEncryptionKeyId, made);
    if (isChanged) tx.record({ action: 'key.rotate', resource: `keys/${purpose}/${dataKeyId}`, detail });
    return isChanged;
  });
}
