import type { KeyPurpose } from './data-keys.sql.ts';

/** A data key as it stands in the database, and the key-encryption key that can open it. */
export type WrappedKey = { readonly keyId: string; readonly wrapped: Buffer };

/**
 * The port to the keeper of the key-encryption keys: a file of mode 600, the environment of the
 * process, or a program beside us in front of a KMS or an HSM. The keys themselves never leave it;
 * data keys go in to be wrapped and unwrapped.
 */
export type KeyStore = {
  /** What the operator calls it: `the key file /etc/parcela/keys.json`. */
  readonly name: string;
  /** Names the current key, and reveals nothing about it. */
  currentKeyId(): Promise<string>;
  /**
   * Whether this key wrapped before the current one did: what it wrapped is to be wrapped again.
   * False for a key that is only prepared, and for one that this store does not know.
   */
  isFormer(keyId: string): Promise<boolean>;
  /**
   * Wraps a data key under the current key, bound to `context`: unwrapping it under another context
   * fails.
   */
  wrap(dataKey: Buffer, context: string): Promise<WrappedKey>;
  /**
   * Throws `KeyUnknown` for a key that is not here, `KeysUnusable` when the store does not answer,
   * another error when the bytes were altered.
   */
  unwrap(keyId: string, wrapped: Buffer, context: string): Promise<Buffer>;
};

/**
 * The keys do not fit the database, or are not available: the service must not start. The message
 * names the remedy.
 */
export class KeysUnusable extends Error {
  override readonly name = 'KeysUnusable';
}

export class KeyUnknown extends Error {
  override readonly name = 'KeyUnknown';
}

/**
 * What a wrapped data key is bound to: put into the row of another key, a retired one most of all,
 * it does not open. Kept as it is, for it is inside every wrapped key there is.
 */
export function wrappingContext(dataKeyId: number, purpose: KeyPurpose, environment: string): string {
  return `data key|${dataKeyId}|${purpose}|${environment}`;
}
