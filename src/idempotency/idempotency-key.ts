import type { Fingerprint } from '../keys/open-keyring.ts';
import type { IdStem } from './derived-id.ts';

/** How long a key replays its answer, at least; afterwards it is a new key. */
export const DAYS_KEPT = 30;

/**
 * The caller's key, which belongs to method and path, and the body as the contract understood it.
 */
export type SentRequest = {
  readonly idempotency: { readonly key: string; readonly target: string } | null;
  readonly body: unknown;
  /** The text of the card that its carrier holds, equal for equal cards; null: it cannot be opened. */
  readonly openCarrier?: () => Promise<string | null>;
};

/** One for each data key that compares, the one in use first. */
type Fingerprints = readonly [Fingerprint, ...Fingerprint[]];

/** A request that may be repeated: its key as a hash over method, path and key, and its body. */
export type KeyedRequest = {
  readonly keyHash: Buffer;
  readonly text: string;
  /** Of the text; behind it, once its carrier was opened, that of the card. */
  readonly bodyFingerprints: Fingerprints;
  readonly openCarrier: () => Promise<string | null>;
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

/** Of one of our keyed fingerprints. */
const PRINT_BYTES = 32;

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
 * Carriers are compared by the card that they hold, for a faithful repetition may encrypt it anew; a
 * security code must not be compared at all.
 */
const LEFT_OUT = new Set(['numberToken', 'encryptedCard', 'securityCode']);

/**
 * The body as a text that is equal for equal requests: names in order, without carriers of a card
 * and security code. A stored card (`vaultId`) is no carrier: its id is compared.
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
 * How the earlier request compares, as far as its carrier does not matter; null when its fingerprint
 * is of a key that is not known here.
 */
export function earlierRequest(
  { bodyFingerprint, bodyFingerprintKeyId, resourceId, isDone, ageMilliseconds }: RecordedRequest,
  { bodyFingerprints }: Pick<KeyedRequest, 'bodyFingerprints'>,
): EarlierRequest | null {
  const own = bodyFingerprints.find(({ keyId }) => keyId === bodyFingerprintKeyId);
  if (own === undefined) return null;
  if (!ofBody(own.print).equals(ofBody(bodyFingerprint))) return { kind: 'otherBody' };
  return { kind: 'same', resourceId, progress: { isDone, ageMilliseconds } };
}

/** The fingerprints of a body and of the card that its carrier holds, as they are recorded. */
export function withCarried(body: Fingerprints, carried: Fingerprints): Fingerprints {
  const [first, ...others] = body.map(({ keyId, print }) => {
    const card = carried.find((one) => one.keyId === keyId);
    return { keyId, print: Buffer.concat([ofBody(print), card?.print ?? NO_CARD]) };
  });
  return [first as Fingerprint, ...others];
}

/** Whether another card was recorded than the one that these fingerprints are of. */
export function isOtherCard(
  { bodyFingerprint, bodyFingerprintKeyId }: RecordedRequest,
  carried: Fingerprints,
): boolean {
  const recorded = bodyFingerprint.subarray(PRINT_BYTES);
  const own = carried.find(({ keyId }) => keyId === bodyFingerprintKeyId);
  return own !== undefined && !own.print.equals(recorded);
}

const NO_CARD = Buffer.alloc(0);

const ofBody = (print: Buffer): Buffer => print.subarray(0, PRINT_BYTES);
