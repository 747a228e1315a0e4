import { randomBytes } from 'node:crypto';
import type { WrappedKey } from '../key-store.ts';
import { NONCE_BYTES, sealBytes } from '../sealing.ts';

/**
 * Wraps a data key with a key-encryption key that this process holds: AES-256-GCM, as everything
 * here is sealed.
 */
export function wrapWithKey(
  { keyId, key }: { readonly keyId: string; readonly key: Buffer },
  dataKey: Buffer,
  context: string,
): WrappedKey {
  return { keyId, wrapped: sealBytes(key, randomBytes(NONCE_BYTES), context, dataKey) };
}
