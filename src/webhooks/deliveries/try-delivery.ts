import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Asking } from '../../platform/work/dispatched.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { Instant } from '../../values/instant.ts';
import {
  type Health,
  healthAfter,
  isFailing,
  isGone,
  isTripped,
  OPEN_MILLISECONDS,
  UNPROCESSED,
} from './breaker.ts';
import type { ClaimedDelivery } from './claims.sql.ts';
import { type Fate, fateAfter, type Try } from './delivery-outcome.ts';
import {
  disableEndpoint,
  type EndpointTried,
  enableEndpoint,
  type FailedEndpoint,
  failEndpoint,
} from './endpoint-changes.sql.ts';
import { type SendTools, sendDelivery } from './send-delivery.ts';
import type { TryResult, TryRow } from './tries.sql.ts';

export type TryTools = SendTools & {
  readonly database: Database;
  /** Wakes the sending of postponed deliveries when an endpoint returns. */
  readonly wakeSignal: WakeSignal;
  /** A random number from 0 to 1. */
  readonly chance: () => number;
  readonly tryMilliseconds: (merchantId: string) => number;
  readonly writeTry: BatchedWrite<TryRow, TryResult>;
  /**
   * `takenOver`: another process had claimed it and records its own try. `ahead`: a failed try that does not
   * count.
   */
  readonly observeTry: (outcome: TryOutcome, made: Try) => void;
  readonly observeEndpoint: (change: EndpointChange, tried: EndpointTried, detail: object) => void;
};

export type TryOutcome = 'delivered' | 'failed' | 'givenUp' | 'ahead' | 'takenOver';
export type EndpointChange = 'failing' | 'opened' | 'stillAway' | 'disabled' | 'returned';

/**
 * What this process knows of endpoints. It forgets the one tried least recently, whose next failures it then
 * notices later.
 */
export type EndpointWatch = {
  of(tried: EndpointTried): Watched;
  keep(tried: EndpointTried, watched: Watched): void;
};

type Watched = {
  readonly registration: number;
  readonly health: Health;
  readonly isMarked: boolean;
  /** Business time until which this process sends nothing; null: the breaker is closed. */
  readonly openUntil: Instant | null;
};

const MOST_WATCHED = 10_000;
/**
 * How long at most this process sends nothing by its own memory of an open breaker: longer than a delivery is
 * queued here, but shorter than a `Retry-After`, because another process or a test may close the breaker
 * earlier.
 */
const LONGEST_OPEN_HERE_MILLISECONDS = 10_000;
/** The lease of a delivery covers its try and this time for recording. */
const RECORD_MILLISECONDS = 10_000;
/**
 * From so many earlier tries of one delivery on, its endpoint is marked as failing, however few failures this
 * process saw.
 */
const TRIES_UNTIL_MARKED = 2;
/**
 * After so many earlier tries of a delivery a failure opens the breaker: its next try is minutes away, and a
 * probe notices a return sooner.
 */
const TRIES_UNTIL_OPENED = 3;

export function openEndpointWatch(): EndpointWatch {
  const endpoints = new Map<string, Watched>();
  const keyOf = ({ merchantId, endpoint }: EndpointTried) => `${merchantId}\n${endpoint}`;
  return {
    of(tried) {
      const found = endpoints.get(keyOf(tried));
      if (found?.registration === tried.registration) return found;
      return { registration: tried.registration, health: UNPROCESSED, isMarked: false, openUntil: null };
    },
    keep(tried, watched) {
      const key = keyOf(tried);
      endpoints.delete(key);
      endpoints.set(key, watched);
      const [oldest] = endpoints.keys();
      if (endpoints.size > MOST_WATCHED && oldest !== undefined) endpoints.delete(oldest);
    },
  };
}

export function isOpenHere(watch: EndpointWatch, tried: EndpointTried, now: Instant): boolean {
  const { openUntil } = watch.of(tried);
  return openUntil !== null && openUntil > now;
}

export type MadeTry = { readonly made: Try; readonly triedAt: number };

export async function tryDelivery(
  tools: TryTools,
  delivery: ClaimedDelivery,
  asking: Asking,
): Promise<MadeTry> {
  const triedAt = Date.now();
  const sending: SendTools = { ...tools, post: (request) => asking(tools.post(request)) };
  const made = await sendDelivery(sending, delivery, tools.tryMilliseconds(delivery.merchantId));
  return { made, triedAt };
}

/** Whether a healthy endpoint accepted the delivery: then there is nothing to record about the endpoint. */
export function isTakenByWell(watch: EndpointWatch, delivery: ClaimedDelivery, { made }: MadeTry): boolean {
  return (
    made.response === 'taken' && !delivery.isProbe && !delivery.isFailing && !watch.of(delivery).isMarked
  );
}

/** Records a try, and changes the endpoint if needed. Throws if the try could not be recorded. */
export async function recordTry(
  tools: TryTools,
  watch: EndpointWatch,
  delivery: ClaimedDelivery,
  { made, triedAt }: MadeTry,
): Promise<void> {
  const fate = fateAfter(delivery, made, tools.chance());
  const { merchantId, deliveryNumber, fence } = delivery;
  const row = { merchantId, deliveryNumber, fence, fate, made, triedAt };
  const { isRecorded } = await tools.writeTry(row, performance.now() + RECORD_MILLISECONDS);
  tools.observeTry(isRecorded ? outcomeOf(fate) : 'takenOver', made);
  await changeEndpoint(tools, watch, delivery, made);
}

function outcomeOf({ state, isCounted }: Fate): TryOutcome {
  if (state !== 'waiting') return state;
  return isCounted ? 'failed' : 'ahead';
}

async function changeEndpoint(
  tools: TryTools,
  watch: EndpointWatch,
  delivery: ClaimedDelivery,
  made: Try,
): Promise<void> {
  const before = watch.of(delivery);
  const health = healthAfter(before.health, made.response, tools.clock.now(delivery.merchantId));
  if (made.response === 'unsent') return;
  if (made.response === 'failed') return fail(tools, watch, delivery, made, { ...before, health });
  watch.keep(delivery, { ...before, health, isMarked: false, openUntil: null });
  if (made.response === 'gone' && isGone(health)) {
    if (await disableEndpoint(tools.database, delivery))
      tools.observeEndpoint('disabled', delivery, { reason: made.failure });
    return;
  }
  if (!delivery.isFailing && !before.isMarked) return;
  if (!(await enableEndpoint(tools.database, delivery))) return;
  tools.observeEndpoint('returned', delivery, {});
  tools.wakeSignal.notify();
}

/** A single failure writes nothing to the endpoint. */
async function fail(
  tools: TryTools,
  watch: EndpointWatch,
  delivery: ClaimedDelivery,
  made: Try,
  watched: Watched,
): Promise<void> {
  const isFailingLong = delivery.tries - delivery.triesBefore >= TRIES_UNTIL_OPENED;
  const opens = delivery.isProbe || isTripped(watched.health) || isFailingLong;
  const isMarked = watched.isMarked || isFailing(watched.health) || delivery.tries >= TRIES_UNTIL_MARKED;
  const [shortest = 0] = OPEN_MILLISECONDS;
  const openFor = (milliseconds: number) =>
    (tools.clock.now(delivery.merchantId) + Math.ceil(milliseconds)) as Instant;
  watch.keep(delivery, {
    ...watched,
    isMarked,
    ...(opens ? { health: UNPROCESSED, openUntil: openFor(shortest) } : {}),
  });
  if (!opens && !isMarked && !delivery.isFailing) return;
  const failed = await failEndpoint(tools.database, delivery, {
    opens,
    isProbe: delivery.isProbe,
    askedMilliseconds: made.retryAfterMilliseconds ?? 0,
  });
  if (failed === null) return;
  if (opens && failed.openMilliseconds !== null)
    watch.keep(delivery, {
      ...watch.of(delivery),
      openUntil: openFor(Math.min(failed.openMilliseconds, LONGEST_OPEN_HERE_MILLISECONDS)),
    });
  tools.observeEndpoint(changeOf(failed, opens, delivery.isProbe), delivery, {
    reason: made.failure,
    openings: failed.openings,
  });
}

function changeOf(failed: FailedEndpoint, opens: boolean, isProbe: boolean): EndpointChange {
  if (failed.isDisabled) return 'disabled';
  if (!opens) return 'failing';
  return isProbe ? 'stillAway' : 'opened';
}
