import { listDataKeys, type WrappedDataKey } from '../data-keys.sql.ts';
import { KeysUnusable } from '../key-store.ts';
import type { KeyStoreSettings } from '../key-store-settings.ts';
import { createNextKey, rotateFileKey } from '../stores/rotate-file-key.ts';
import { type RewrapTools, rewrapDataKeys } from './rewrap-data-keys.ts';

export type KeyEncryptionRotation = {
  /** The key that wraps every data key now. */
  readonly keyId: string;
  /** Data keys that were wrapped again. */
  readonly rewrapped: number;
  /** An earlier rotation was finished; no other key was made. */
  readonly wasUnfinished: boolean;
};

/**
 * Another operator may rotate to yet another key meanwhile: then both walk on until all is under
 * the newest.
 */
const MOST_WALKS = 10;

/**
 * Makes another key-encryption key current, and wraps every data key again under it; touches no
 * card. In a key file the prepared key, or a new one, becomes current; the environment and an
 * external store have been changed by the operator before. A killed rotation is finished by the
 * next call. Throws `KeysUnusable` when a data key is under a key that the store does not have.
 */
export async function rotateKeyEncryptionKey(
  tools: RewrapTools,
  settings: KeyStoreSettings,
): Promise<KeyEncryptionRotation | 'tooManyKeys'> {
  const before = await tools.store.currentKeyId();
  const rows = await listDataKeys(tools.database);
  const isUnder = (key: WrappedDataKey) => key.keyEncryptionKeyId === before;
  // Of a file this command changes the key itself; elsewhere some data keys went over to the new one.
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
