import type { Fingerprint } from '../keys/open-keyring.ts';

/** For so many days at least a key replays its answer. After that it may count as new. */
export const DAYS_KEPT = 30;

/** The key belongs to method and path; `body` is as the contract read it. */
export type SentRequest = {
  readonly idempotency: { readonly key: string; readonly target: string } | null;
  readonly body: unknown;
  /**
   * The card that the body's `numberToken` or `encryptedCard` (its carrier) holds, as a text that is equal
   * for equal cards. Null: the carrier cannot be opened, or there is none.
   */
  readonly openCarrier?: () => Promise<string | null>;
};

/** One fingerprint for each data key that is still compared with, the one in use first. */
type Fingerprints = readonly [Fingerprint, ...Fingerprint[]];

/** `keyHash`: over method, path and key. `text`: the comparable body. */
export type KeyedRequest = {
  readonly keyHash: Buffer;
  readonly text: string;
  /** Fingerprints of the text and, once the carrier was opened, of the card. */
  readonly bodyFingerprints: Fingerprints;
  readonly openCarrier: () => Promise<string | null>;
  /** How the id of the payment, cancel or capture begins. */
  readonly idStem: IdStem;
};

export type RequestProgress = {
  /** The key's resource was made, or at least its intent. */
  readonly isDone: boolean;
  /** Real time since the key was recorded. */
  readonly ageMilliseconds: number;
};

export type RecordedRequest = RequestProgress & {
  readonly bodyFingerprint: Buffer;
  readonly bodyFingerprintKeyId: number;
  readonly resourceId: string;
};

/** `otherBody`: the key was used with another body. */
export type EarlierRequest =
  | { readonly kind: 'same'; readonly resourceId: string; readonly progress: RequestProgress }
  | { readonly kind: 'otherBody' };

/** The length of one keyed fingerprint. */
const PRINT_BYTES = 32;

/** How long after it recorded the key a request may still make its resource or free the key. */
export const MAKING_MILLISECONDS = 45_000;
/** After this time the request's last statement is over too: a resource that was not made never will be. */
const LOST_MILLISECONDS = 60_000;

/** The first request died: its resource will never exist. */
export function isRequestLost({ isDone, ageMilliseconds }: RequestProgress): boolean {
  return !isDone && ageMilliseconds >= LOST_MILLISECONDS;
}

/**
 * Carriers are compared by their card, because a repetition may encrypt it again. A security code is never
 * compared.
 */
const LEFT_OUT = new Set(['numberToken', 'encryptedCard', 'securityCode']);

/** Equal for equal requests: names in order, without carriers and security code. A `vaultId` is compared. */
export function comparableText(body: unknown): string {
  return JSON.stringify(body, (name, value: unknown) => {
    if (LEFT_OUT.has(name)) return undefined;
    return isPlain(value) ? Object.fromEntries(Object.entries(value).sort(byName)) : value;
  });
}

/** An ExactNumber is written in its own way. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** Compares without the carrier; null: the fingerprint's key is not known here. */
export function earlierRequest(
  { bodyFingerprint, bodyFingerprintKeyId, resourceId, isDone, ageMilliseconds }: RecordedRequest,
  { bodyFingerprints }: Pick<KeyedRequest, 'bodyFingerprints'>,
): EarlierRequest | null {
  const own = bodyFingerprints.find(({ keyId }) => keyId === bodyFingerprintKeyId);
  if (own === undefined) return null;
  if (!ofBody(own.print).equals(ofBody(bodyFingerprint))) return { kind: 'otherBody' };
  return { kind: 'same', resourceId, progress: { isDone, ageMilliseconds } };
}

/** Fingerprints as they are recorded: that of the body, then that of the carried card. */
export function withCarried(body: Fingerprints, carried: Fingerprints): Fingerprints {
  const [first, ...others] = body.map(({ keyId, print }) => {
    const card = carried.find((one) => one.keyId === keyId);
    return { keyId, print: Buffer.concat([ofBody(print), card?.print ?? NO_CARD]) };
  });
  return [first as Fingerprint, ...others];
}

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

/**
 * The beginning of a keyed request's resource id, a UUID of version 8 whose last eight digits are random.
 * Four groups hash merchant, method, path and key; the next four digits hash the body.
 */
type IdStem = string & { readonly idStem: never };

const GROUPS_OF_KEY = 24;
const DIGITS_OF_CHANCE = 8;

/** Takes digests that were made under the id key. */
export function idStem(ofRequest: Buffer, ofBody: Buffer): IdStem {
  const bytes = Buffer.concat([ofRequest.subarray(0, 10), ofBody.subarray(0, 2)]);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const digits = bytes.toString('hex');
  const groups = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20)];
  return `${groups.join('-')}-${digits.slice(20)}` as IdStem;
}

/** All ids of requests with this key, whatever their body. */
export type IdSpan = { readonly first: string; readonly last: string };

export function idSpan(stem: IdStem): IdSpan {
  const ofKey = stem.slice(0, GROUPS_OF_KEY);
  return { first: `${ofKey}${'0'.repeat(12)}`, last: `${ofKey}${'f'.repeat(12)}` };
}

/** Whether a request with this body made the resource. */
export function isOfBody(resourceId: string, stem: IdStem): boolean {
  return resourceId.toLowerCase().startsWith(stem);
}

export function idUnder(stem: IdStem, chance: Buffer): string {
  return `${stem}${chance.toString('hex').slice(0, DIGITS_OF_CHANCE)}`;
}
