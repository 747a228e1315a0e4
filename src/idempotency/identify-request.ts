import { hash } from 'node:crypto';
import type { Keyring } from '../keys/open-keyring.ts';
import { newId, newTry } from '../platform/chance.ts';
import { idStem, idUnder } from './derived-id.ts';
import { comparableText, type KeyedRequest, type SentRequest, withCarried } from './idempotency-key.ts';

/** Null when it brought no key. */
export function identifyRequest(
  keyring: Pick<Keyring, 'fingerprints' | 'idDigest'>,
  merchantId: string,
  { idempotency, body, openCarrier = noCarrier }: SentRequest,
): KeyedRequest | null {
  if (idempotency === null) return null;
  const text = `request|${merchantId}|${comparableText(body)}`;
  const keyHash = hash('sha256', `${idempotency.target}\n${idempotency.key}`, 'buffer');
  const ofRequest = `${merchantId}\n${idempotency.target}\n${idempotency.key}`;
  const stem = idStem(keyring.idDigest(`id|${ofRequest}`), keyring.idDigest(`body|${ofRequest}\n${text}`));
  return { keyHash, text, bodyFingerprints: keyring.fingerprints(text), idStem: stem, openCarrier };
}

/** The id of what a request makes: with a key it can be found by the key alone. */
export function newIdOf(request: KeyedRequest | null): string {
  return request === null ? newId() : idUnder(request.idStem, newTry());
}

const noCarrier = () => Promise.resolve(null);

/** What is recorded of a request whose carrier was opened; `card` as `openCarrier` gives it. */
export function identifyCarried(
  keyring: Pick<Keyring, 'fingerprints'>,
  request: KeyedRequest | null,
  card: string,
): KeyedRequest | null {
  if (request === null) return null;
  const body = keyring.fingerprints(request.text);
  return { ...request, bodyFingerprints: withCarried(body, keyring.fingerprints(carriedText(card))) };
}

/** Apart from texts that others fingerprint under the same keys. */
export function carriedText(card: string): string {
  return `card of a request|${card}`;
}
