import type { Tx } from '../platform/postgres/database.ts';
import { type Instant, instant } from '../values/instant.ts';
import type { KeyPurpose } from './data-keys.sql.ts';

/** A change of a key, for the audit log. Never holds a key. */
export type KeyChange = {
  readonly action: 'key.create' | 'key.rotate' | 'key.reseal' | 'key.delete';
  /**
   * `keys/card/3`: purpose and number of a data key, `keys/rsa/…` of a pair,
   * `keys/key-encryption/…`.
   */
  readonly resource: string;
  readonly detail: Readonly<Record<string, string | number>>;
  /** Audited a second time when it failed after all; otherwise it is a success. */
  readonly outcome?: 'failure';
};

/** A transaction whose end writes the changes that were recorded in it. */
type KeyTx = Tx & { record(change: KeyChange): void };

/**
 * Runs `work` in one transaction, together with what it records. What cannot be recorded is not done.
 * `work` may be run again.
 */
export type CommitKeyChange = <T>(work: (tx: KeyTx) => Promise<T>) => Promise<T>;

const CRYPTOPERIOD_MILLISECONDS = 365 * 24 * 60 * 60 * 1_000;

/**
 * When a key in use is to be replaced: a year after it was made. Null: never; under another key the ids of
 * keyed requests would be others, and a repetition not meet what it made.
 */
export function dueAt(key: {
  /** `rsa`: the pairs that merchants encrypt cards with. */
  readonly purpose: KeyPurpose | 'key-encryption' | 'rsa';
  readonly createdAt: Instant;
}): Instant | null {
  return key.purpose === 'id' ? null : instant(key.createdAt + CRYPTOPERIOD_MILLISECONDS);
}
