import { randomBytes } from 'node:crypto';
import { type KeyStore, KeyUnknown, type WrappedKey } from '../key-store.ts';
import type { KeyStoreSettings } from '../key-store-settings.ts';
import { keyCheckValue, NONCE_BYTES, openBytes, sealBytes } from '../sealing.ts';

/** The wrapping key, and former ones that still unwrap; 32 bytes each. */
export function openEnvironmentKeys({
  key: current,
  formerKeys,
  settings,
}: Extract<KeyStoreSettings, { readonly kind: 'environment' }>): KeyStore {
  const wrapping = { keyId: keyCheckValue(current), key: current };
  const known = new Map([...formerKeys, current].map((key) => [keyCheckValue(key), key]));
  return {
    name: settings.join(' and '),
    currentKeyId: async () => wrapping.keyId,
    isFormer: async (keyId) => keyId !== wrapping.keyId && known.has(keyId),
    wrap: async (dataKey, context) => wrapWithKey(wrapping, dataKey, context),
    async unwrap(keyId, wrapped, context) {
      const key = known.get(keyId);
      if (key === undefined) throw new KeyUnknown(keyId);
      return openBytes(key, context, wrapped);
    },
  };
}

/** AES-256-GCM under a key-encryption key that this process holds. */
export function wrapWithKey(
  { keyId, key }: { readonly keyId: string; readonly key: Buffer },
  dataKey: Buffer,
  context: string,
): WrappedKey {
  return { keyId, wrapped: sealBytes(key, randomBytes(NONCE_BYTES), context, dataKey) };
}
