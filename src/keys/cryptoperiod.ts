import { type Instant, instant } from '../values/instant.ts';
import type { KeyPurpose } from './data-keys.sql.ts';

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
