import type { Fingerprint } from '../keys/open-keyring.ts';

/** What a caller sent: the key it brought, which belongs to method and path, and the body as the contract understood it. */
export type SentRequest = {
  readonly idempotency: { readonly key: string; readonly target: string } | null;
  readonly body: unknown;
};

/** A request that may come again: its key as a hash over method, path and key, and what its body said. */
export type KeyedRequest = {
  readonly keyHash: Buffer;
  readonly text: string;
  /** Of the text: one for each data key that compares, the one in use first. */
  readonly bodyPrints: readonly [Fingerprint, ...Fingerprint[]];
};

/** What the first request with a key left behind. */
export type RecordedRequest = {
  readonly bodyPrint: Buffer;
  readonly printKeyId: number;
  readonly resourceId: string;
};

/** Whether a key was used before, and for what. `otherBody`: for a request that said something else. */
export type EarlierRequest =
  | { readonly kind: 'same'; readonly resourceId: string }
  | { readonly kind: 'otherBody' };

/** Fields that a faithful repetition may send anew: they carry a card for a while, or must not be compared at all. */
const LEFT_OUT = new Set(['numberToken', 'encryptedCard', 'securityCode']);

/**
 * The body as a text that is the same for the same wish: names in order, without card carriers and security code. A stored
 * card (`vaultId`) is no carrier: another one is another wish.
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

/** How the earlier request compares; null when it was printed under a key that is not known here. */
export function earlierRequest(
  { bodyPrint, printKeyId, resourceId }: RecordedRequest,
  { bodyPrints }: Pick<KeyedRequest, 'bodyPrints'>,
): EarlierRequest | null {
  const own = bodyPrints.find(({ keyId }) => keyId === printKeyId);
  if (own === undefined) return null;
  return own.print.equals(bodyPrint) ? { kind: 'same', resourceId } : { kind: 'otherBody' };
}
