import { hash } from 'node:crypto';
import type { Keyring } from '../keys/open-keyring.ts';
import { comparableText, type KeyedRequest, type SentRequest } from './idempotency-key.ts';

/** Null when it brought no key. */
export function identifyRequest(
  keyring: Pick<Keyring, 'fingerprints'>,
  merchantId: string,
  { idempotency, body }: SentRequest,
): KeyedRequest | null {
  if (idempotency === null) return null;
  const text = `request|${merchantId}|${comparableText(body)}`;
  const keyHash = hash('sha256', `${idempotency.target}\n${idempotency.key}`, 'buffer');
  return { keyHash, text, bodyFingerprints: keyring.fingerprints(text) };
}
