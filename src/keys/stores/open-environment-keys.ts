import { type KeyStore, KeyUnknown } from '../key-store.ts';
import type { KeyStoreSettings } from '../key-store-settings.ts';
import { keyCheckValue, openBytes } from '../sealing.ts';
import { wrapWithKey } from './wrap-with-key.ts';

/**
 * The key store of the process's environment: the key that wraps, and earlier ones that still
 * unwrap; 32 bytes each.
 */
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
