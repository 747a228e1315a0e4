import { listDataKeys, rewrapDataKey, type WrappedDataKey } from '../data-keys.sql.ts';
import { KeysUnusable, wrappingContext } from '../key-store.ts';
import type { KeyStoreSettings } from '../key-store-settings.ts';
import type { RotationTools } from '../rotate-data-key.ts';
import { createNextKey, rotateFileKey } from '../stores/rotate-file-key.ts';
import { unwrapDataKey, wrapDataKey } from '../wrap-data-key.ts';

export type KeyEncryptionRotation = {
  readonly keyId: string;
  readonly rewrapped: number;
  readonly wasUnfinished: boolean;
};

/**
 * How often all data keys are gone through. If another operator rotates meanwhile, both commands go on until
 * all data keys are under the newest key.
 */
const MOST_WALKS = 10;

/**
 * Makes another key-encryption key current and rewraps every data key; touches no card. In a key file the
 * prepared or a new key becomes current; for other stores the operator has changed the key before. The next
 * call finishes a killed rotation. Throws `KeysUnusable` for a data key under an unknown key.
 */
export async function rotateKeyEncryptionKey(
  tools: RewrapTools,
  settings: KeyStoreSettings,
): Promise<KeyEncryptionRotation | 'tooManyKeys'> {
  const before = await tools.store.currentKeyId();
  const rows = await listDataKeys(tools.database);
  const isUnder = (key: WrappedDataKey) => key.keyEncryptionKeyId === before;
  // A key file changes by this command alone, so a data key under another key shows an unfinished rotation.
  // In other stores the operator has changed the key before: there only a mix of keys shows one.
  const wasUnfinished = !rows.every(isUnder) && (settings.kind === 'file' || rows.some(isUnder));
  if (settings.kind === 'file' && !wasUnfinished) {
    if ((await createNextKey(settings.path, tools)) === 'tooManyKeys') return 'tooManyKeys';
    await rotateFileKey(settings.path, tools);
  }
  let rewrapped = 0;
  for (let walk = 1; ; walk += 1) {
    rewrapped += await rewrapDataKeys(tools);
    const keyId = await tools.store.currentKeyId();
    const left = (await listDataKeys(tools.database)).find((key) => key.keyEncryptionKeyId !== keyId);
    if (left === undefined) return { keyId, rewrapped, wasUnfinished };
    if (walk === MOST_WALKS) {
      throw new KeysUnusable(
        `data key ${left.dataKeyId} is wrapped by ${left.keyEncryptionKeyId}, which ${tools.store.name} does not have ` +
          'as an earlier key',
      );
    }
  }
}

type RewrapTools = Omit<RotationTools, 'keyring' | 'cell'>;

/**
 * Rewraps every data key of a former key, one commit each, so that it may be killed anywhere. Returns how
 * many. Leaves data keys under unknown and prepared keys alone: another machine has a newer key file. Throws
 * `KeysUnusable`.
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
