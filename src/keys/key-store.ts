/**
 * The port to whoever keeps the key-encryption key: a file of mode 600 here, a KMS or an HSM elsewhere. The key itself
 * never leaves it; data keys go in to be wrapped and unwrapped.
 */
export type KeyStore = {
  /** A check value of the key: names it without telling anything about it. */
  readonly keyId: string;
  /** Wraps a data key, bound to `context`: unwrapping it under another context fails. */
  wrap(dataKey: Buffer, context: string): Promise<Buffer>;
  /** Throws when the wrapped key was not made by this key and context, or was altered. */
  unwrap(wrappedKey: Buffer, context: string): Promise<Buffer>;
};

/** The keys do not fit the database, or cannot be had: the service must not start. The message says what to do. */
export class KeysUnusable extends Error {
  override readonly name = 'KeysUnusable';
}
