import type { Tx } from '../platform/postgres/database.ts';
import { type Instant, instant } from '../values/instant.ts';
import type { KeyPurpose } from './data-keys.sql.ts';

/** A change of keys, as the audit log records it. Never holds a key. */
export type KeyChange = {
  readonly action: 'key.create' | 'key.rotate' | 'key.reseal' | 'key.delete';
  /** `keys/card/3`: purpose and number of a data key, `keys/rsa/…` of a pair, `keys/key-encryption/…`. */
  readonly resource: string;
  readonly detail: Readonly<Record<string, string | number>>;
  /** Set in a second record, if the change failed after the first. */
  readonly outcome?: 'failure';
};

type KeyTx = Tx & { record(change: KeyChange): void };

/** Runs `work`, perhaps again, in a transaction with its records. What cannot be recorded is not done. */
export type CommitKeyChange = <T>(work: (tx: KeyTx) => Promise<T>) => Promise<T>;

const CRYPTOPERIOD_MILLISECONDS = 365 * 24 * 60 * 60 * 1_000;

/**
 * When the key should be rotated: a year after it was made. Null: never, because ids of keyed requests depend
 * on the key.
 */
export function dueAt(key: {
  /** `rsa`: the pairs that merchants encrypt cards with. */
  readonly purpose: KeyPurpose | 'key-encryption' | 'rsa';
  readonly createdAt: Instant;
}): Instant | null {
  return key.purpose === 'id' ? null : instant(key.createdAt + CRYPTOPERIOD_MILLISECONDS);
}
