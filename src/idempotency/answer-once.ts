import type { Once } from '../platform/http/refusal.ts';
import { type IdSpan, idSpan, isOfBody } from './derived-id.ts';
import { type FindRequestTools, findEarlierRequest } from './find-earlier-request.ts';
import type { EarlierRequest, KeyedRequest, RequestProgress } from './idempotency-key.ts';

/** The effect of a request: its own commit records the key, or finds it taken. */
export type Effect<Result> = {
  /**
   * Makes it. `isFirst` resolves with whether the key is new; look-ups may go on meanwhile, nothing
   * may be done before it is true. Returns `keyUsed` when it is not, or when the commit finds the
   * key taken.
   */
  readonly make: (isFirst: Promise<boolean>) => Promise<Result | 'keyUsed'>;
  /** Whether nothing was recorded: then the first request with this key may be the cause. */
  readonly isRefused: (result: Result) => boolean;
  /** The outcome of the first request; null while there is none. */
  readonly repeatAnswer: (resourceId: string, progress: RequestProgress) => Promise<Result | null>;
  /**
   * The resource with such an id, where ids are derived: it outlives its key, and a restore brings
   * it back without. What was never sent is none.
   */
  readonly findMade?: (span: IdSpan) => Promise<string | null>;
  /** Whether that resource can be of a card, as `openCarrier` gives it: its key's fingerprint is gone. */
  readonly canBeOfCard?: (resourceId: string, card: string) => Promise<boolean>;
};

/**
 * One key, one effect. Without a key every request is the first. The key is looked up before
 * anything that expires or is used up, and once more when the request is refused: of two concurrent
 * ones one finds the other's card token in use.
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
  // `make` gets its errors by `isFirst`.
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
