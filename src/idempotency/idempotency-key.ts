import type { Fingerprint } from '../keys/open-keyring.ts';
import type { IdStem } from './derived-id.ts';

/**
 * The caller's key, which belongs to method and path, and the body as the contract understood it.
 */
export type SentRequest = {
  readonly idempotency: { readonly key: string; readonly target: string } | null;
  readonly body: unknown;
};

/** A request that may be repeated: its key as a hash over method, path and key, and its body. */
export type KeyedRequest = {
  readonly keyHash: Buffer;
  readonly text: string;
  /** Of the text: one for each data key that compares, the one in use first. */
  readonly bodyFingerprints: readonly [Fingerprint, ...Fingerprint[]];
  /** Of the id of a payment, cancel or capture that it makes. */
  readonly idStem: IdStem;
};

/** The progress of the first request with a key. */
export type RequestProgress = {
  /** Whether the key's resource was made, or at least its intent. */
  readonly isDone: boolean;
  /** Real time since the key was recorded. */
  readonly ageMilliseconds: number;
};

/** The record of the first request with a key. */
export type RecordedRequest = RequestProgress & {
  readonly bodyFingerprint: Buffer;
  readonly bodyFingerprintKeyId: number;
  readonly resourceId: string;
};

/** Whether a key was used before, and for what. `otherBody`: for a request with another body. */
export type EarlierRequest =
  | { readonly kind: 'same'; readonly resourceId: string; readonly progress: RequestProgress }
  | { readonly kind: 'otherBody' };

/**
 * Until a key is so old, the request that recorded it before its resource may still make that, or
 * free the key.
 */
export const MAKING_MILLISECONDS = 45_000;
/** A statement that began before that end is over by now, so what was not made never will be. */
const LOST_MILLISECONDS = 60_000;

/**
 * Whether the first request died on its way: the key's resource is not there, and never will be.
 */
export function isRequestLost({ isDone, ageMilliseconds }: RequestProgress): boolean {
  return !isDone && ageMilliseconds >= LOST_MILLISECONDS;
}

/**
 * Fields that a faithful repetition may send anew: they carry a card for a while, or must not be
 * compared at all.
 */
const LEFT_OUT = new Set(['numberToken', 'encryptedCard', 'securityCode']);

/**
 * The body as a text that is equal for equal requests: names in order, without card sources and
 * security code. A stored card (`vaultId`) is no card source: another one is another request.
 */
export function comparableText(body: unknown): string {
  return JSON.stringify(body, (name, value: unknown) => {
    if (LEFT_OUT.has(name)) return undefined;
    return isPlain(value) ? Object.fromEntries(Object.entries(value).sort(byName)) : value;
  });
}

/** Numbers that are kept digit for digit are objects too, with a way of their own to be written. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

/**
 * How the earlier request compares; null when its fingerprint is of a key that is not known here.
 */
export function earlierRequest(
  { bodyFingerprint, bodyFingerprintKeyId, resourceId, isDone, ageMilliseconds }: RecordedRequest,
  { bodyFingerprints }: Pick<KeyedRequest, 'bodyFingerprints'>,
): EarlierRequest | null {
  const own = bodyFingerprints.find(({ keyId }) => keyId === bodyFingerprintKeyId);
  if (own === undefined) return null;
  if (!own.print.equals(bodyFingerprint)) return { kind: 'otherBody' };
  return { kind: 'same', resourceId, progress: { isDone, ageMilliseconds } };
}
