import { hash } from 'node:crypto';
import type { Keyring } from '../keys/open-keyring.ts';
import { newId, newTry } from '../platform/chance.ts';
import type { Once } from '../platform/http/failures.ts';
import type { Looked } from '../platform/postgres/batched-reads.ts';
import {
  comparableText,
  type EarlierRequest,
  earlierRequest,
  type IdSpan,
  idSpan,
  idStem,
  idUnder,
  isOfBody,
  isOtherCard,
  type KeyedRequest,
  type RecordedRequest,
  type RequestProgress,
  type SentRequest,
  withCarried,
} from './idempotency-key.ts';

import type { RequestKey } from './idempotency-keys.sql.ts';

/** `make`'s own commit records the key, or finds it taken. */
export type Effect<Result> = {
  /**
   * `isFirst` tells whether the key is new: until it resolves, `make` may only read. Returns `keyUsed` if the
   * key is not new, or was taken meanwhile.
   */
  readonly make: (isFirst: Promise<boolean>) => Promise<Result | 'keyUsed'>;
  /**
   * Whether nothing was recorded. Then the key is looked up again, because the first request with it may be
   * the cause.
   */
  readonly isRefused: (result: Result) => boolean;
  /** The outcome of the first request; null: none yet. */
  readonly repeatAnswer: (resourceId: string, progress: RequestProgress) => Promise<Result | null>;
  /**
   * Finds the resource by its derived id, if it was sent to its provider: a restore may bring it back without
   * the key.
   */
  readonly findMade?: (span: IdSpan) => Promise<string | null>;
  /**
   * Whether the resource of `findMade` can be of this card (see `openCarrier`): its fingerprints are gone
   * with the key.
   */
  readonly canBeOfCard?: (resourceId: string, card: string) => Promise<boolean>;
};

/**
 * One key, one effect. The key is looked up before anything that expires or is used up, and again after a
 * refusal: of two concurrent requests one finds the other's card token in use.
 */
export async function answerOnce<Result>(
  tools: FindRequestTools,
  merchantId: string,
  request: KeyedRequest | null,
  effect: Effect<Result>,
): Promise<Once<Result>> {
  const find = () =>
    request === null ? Promise.resolve(null) : findEarlier(tools, merchantId, request, effect);
  const looking = find();
  // `make` gets the errors of the look-up by `isFirst`.
  looking.catch(() => {});
  const result = await effect.make(looking.then((earlier) => earlier === null));
  const isDone = result !== 'keyUsed' && !effect.isRefused(result);
  const earlier = isDone ? null : ((await looking) ?? (await find()));
  if (earlier !== null) return repeatAnswer(earlier, effect);
  return result === 'keyUsed' ? { kind: 'inFlight' } : { kind: 'first', result };
}

async function findEarlier<Result>(
  tools: FindRequestTools,
  merchantId: string,
  request: KeyedRequest,
  { findMade, canBeOfCard }: Effect<Result>,
): Promise<EarlierRequest | null> {
  const [earlier, made] = await Promise.all([
    findEarlierRequest(tools, merchantId, request),
    findMade?.(idSpan(request.idStem)) ?? null,
  ]);
  if (earlier !== null || made === null) return earlier;
  if (!isOfBody(made, request.idStem)) return { kind: 'otherBody' };
  const card = canBeOfCard === undefined ? null : await request.openCarrier();
  if (card !== null && !(await canBeOfCard?.(made, card))) return { kind: 'otherBody' };
  return { kind: 'same', resourceId: made, progress: MADE_LONG_AGO };
}

const MADE_LONG_AGO: RequestProgress = { isDone: true, ageMilliseconds: Number.MAX_SAFE_INTEGER };

async function repeatAnswer<Result>(earlier: EarlierRequest, effect: Effect<Result>): Promise<Once<Result>> {
  if (earlier.kind === 'otherBody') return earlier;
  const result = await effect.repeatAnswer(earlier.resourceId, earlier.progress);
  return result === null ? { kind: 'inFlight' } : { kind: 'again', result };
}

export type FindRequestTools = {
  readonly findRequest: (key: RequestKey) => Promise<Looked<RecordedRequest>>;
  readonly keyring: Pick<Keyring, 'fingerprints' | 'idDigest' | 'reload'>;
};

/** null: this merchant did not use the key before. */
export async function findEarlierRequest(
  { findRequest, keyring }: FindRequestTools,
  merchantId: string,
  request: KeyedRequest,
): Promise<EarlierRequest | null> {
  const { value: recorded } = await findRequest({ merchantId, keyHash: request.keyHash });
  if (recorded === null) return null;
  let earlier = earlierRequest(recorded, request);
  if (earlier === null) {
    // Another process may have used a data key that was made a moment ago.
    await keyring.reload();
    earlier = earlierRequest(recorded, { bodyFingerprints: keyring.fingerprints(request.text) });
  }
  // A body that cannot be compared may be another one. That is rare: data keys outlive the fingerprints made
  // with them.
  if (earlier === null || earlier.kind === 'otherBody') return { kind: 'otherBody' };
  // A carrier that can no longer be opened (null) may be that of the first request.
  const card = await request.openCarrier();
  const isOther = card !== null && isOtherCard(recorded, keyring.fingerprints(carriedText(card)));
  return isOther ? { kind: 'otherBody' } : earlier;
}

/** Null: the request has no key. */
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

/** An id for the resource of a request. With a key it can be found by the key alone. */
export function newIdOf(request: KeyedRequest | null): string {
  return request === null ? newId() : idUnder(request.idStem, newTry());
}

const noCarrier = () => Promise.resolve(null);

/** The request as it is recorded once its carrier was opened: its fingerprints then cover the card. */
export function identifyCarried(
  keyring: Pick<Keyring, 'fingerprints'>,
  request: KeyedRequest | null,
  card: string,
): KeyedRequest | null {
  if (request === null) return null;
  const body = keyring.fingerprints(request.text);
  return { ...request, bodyFingerprints: withCarried(body, keyring.fingerprints(carriedText(card))) };
}

/** The prefix keeps it different from other texts under the same keys. */
function carriedText(card: string): string {
  return `card of a request|${card}`;
}
