import type { KeyPurpose } from './data-keys.sql.ts';

export type WrappedKey = { readonly keyId: string; readonly wrapped: Buffer };

/**
 * A file of mode 600, the environment, or a program in front of a KMS or an HSM keeps the key-encryption
 * keys. The keys never leave it.
 */
export type KeyStore = {
  /** For messages: `the key file /etc/parcela/keys.json`. */
  readonly name: string;
  /** The id reveals nothing about the key. */
  currentKeyId(): Promise<string>;
  /** Whether this key wrapped before the current one. False for prepared and unknown keys. */
  isFormer(keyId: string): Promise<boolean>;
  /** Wraps under the current key, bound to `context`: unwrapping under another context fails. */
  wrap(dataKey: Buffer, context: string): Promise<WrappedKey>;
  /** Throws `KeyUnknown`, `KeysUnusable` without an answer, and other errors for altered bytes. */
  unwrap(keyId: string, wrapped: Buffer, context: string): Promise<Buffer>;
};

/** Wrong or unavailable keys: the service must not start. The message names the remedy. */
export class KeysUnusable extends Error {
  override readonly name = 'KeysUnusable';
}

export class KeyUnknown extends Error {
  override readonly name = 'KeyUnknown';
}

/** Binds a wrapped data key to its row. Must not change: it is inside every wrapped key. */
export function wrappingContext(dataKeyId: number, purpose: KeyPurpose, environment: string): string {
  return `data key|${dataKeyId}|${purpose}|${environment}`;
}
