import type { KeyPurpose } from '../../keys/data-keys.sql.ts';
import { dueAt } from '../../keys/key-change.ts';
import type { Instant } from '../../values/instant.ts';

/** `rsa`: the pairs with which merchants encrypt cards. */
export type KeyKind = KeyPurpose | 'rsa';

export type KeyState = {
  readonly keyId: string;
  readonly purpose: KeyKind;
  readonly wrappedBy: string;
  readonly createdAt: Instant;
  readonly retiredAt: Instant | null;
};

type Made = Pick<KeyState, 'createdAt' | 'retiredAt'>;
type DataKey = Made & {
  readonly dataKeyId: number;
  readonly purpose: KeyPurpose;
  readonly keyEncryptionKeyId: string;
};
type KeyPair = Made & { readonly keyId: string; readonly privateKey: { readonly dataKeyId: number } };

/**
 * Each key, and what protects it: the key-encryption key wraps data keys, a data key seals pairs. No key
 * itself is among them.
 */
export function keyStates(dataKeys: readonly DataKey[], pairs: readonly KeyPair[]): KeyState[] {
  return [
    ...dataKeys.map(({ dataKeyId, purpose, keyEncryptionKeyId, createdAt, retiredAt }) => ({
      keyId: String(dataKeyId),
      purpose,
      wrappedBy: keyEncryptionKeyId,
      createdAt,
      retiredAt,
    })),
    ...pairs.map(({ keyId, privateKey, createdAt, retiredAt }) => ({
      keyId,
      purpose: 'rsa' as const,
      wrappedBy: String(privateKey.dataKeyId),
      createdAt,
      retiredAt,
    })),
  ];
}

/** `soon`: time to plan the rotation. */
export type KeyDue = 'retired' | 'overdue' | 'soon' | 'inUse';

const SOON_MILLISECONDS = 30 * 24 * 60 * 60 * 1_000;

export function keyDue(key: Pick<KeyState, 'createdAt' | 'retiredAt' | 'purpose'>, now: number): KeyDue {
  if (key.retiredAt !== null) return 'retired';
  const due = dueAt(key);
  if (due === null) return 'inUse';
  const left = due - now;
  if (left < 0) return 'overdue';
  return left < SOON_MILLISECONDS ? 'soon' : 'inUse';
}

const KINDS: Readonly<Partial<Record<KeyKind, string>>> = { keyPair: 'key-pair' };

/** The name for `parcela key rotate --kind`. */
export function kindOfPurpose(purpose: KeyKind): string {
  return KINDS[purpose] ?? purpose;
}

const AFTERWARDS: Readonly<Partial<Record<KeyKind, string>>> = {
  fingerprint: 'It compares for 90 days, then it is deleted by itself.',
  audit: 'It checks what it sealed for as long as the log is kept.',
  rsa: 'It opens what is on its way for a day, then it is deleted by itself.',
};

export function afterwards(purpose: KeyKind): string {
  return AFTERWARDS[purpose] ?? 'Its rows are sealed again, then it is deleted by itself.';
}
