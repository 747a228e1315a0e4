import type { UnclearCause } from '../../../platform/channels/unclear.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { taskOfPayment } from '../../../platform/tracing/scope.ts';
import { DISPATCH } from '../../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../../platform/work/dispatcher.ts';
import type { Work } from '../../../platform/work/due-work.ts';
import { type OutageWatch, observeAnswer } from '../../../platform/work/outage-watch.ts';
import { createWakeSignal } from '../../../platform/work/wake-signal.ts';
import type { Acquirer, FoundCharge, VoidAnswer } from '../../../providers/acquirers/acquirer.ts';
import type { Acquirers } from '../../../providers/open-acquirers.ts';
import type { AskAcquirerTools } from '../../requests/send-request.ts';
import { awayPostponement, unsentPostponement } from '../../transaction.ts';
import { behindLook, wasSeenLive } from './void-answers.ts';
import {
  isWatchGivenUp,
  isWatchOver,
  LONGEST_PAUSE_SECONDS,
  secondsUntilNextLook,
  secondsUntilNextTry,
} from './watch.ts';
import {
  claimWatchedCharges,
  EARLIEST_WATCHED,
  forgetWatchedCharge,
  postponeWatchedCharge,
  type WatchedCharge,
} from './watched-charges.sql.ts';

/** What came of a live charge. `accepted`: it is voided later. `captured`: it is a sale, left as it is. */
export type LateEnd = VoidAnswer['kind'] | 'accepted' | 'captured';

export type CheckWatchedTools = Omit<AskAcquirerTools, 'acquirers'> & {
  readonly acquirers: Pick<Acquirers, 'of' | 'all'>;
  readonly database: Database;
  /** Whether each acquirer answers at all. */
  readonly outage: OutageWatch;
  /** Called for a charge that was live after it had been found to be gone: an alarm. */
  readonly alarm: (charge: WatchedCharge, end: LateEnd) => void;
  /** Called for a charge that is watched no more although no look could tell whether it is live: an alarm. */
  readonly alarmUnseen: (charge: WatchedCharge) => void;
};

/**
 * What a look found, and the seconds until the next one. `open`: the charge's outcome is unknown, and it
 * stands among the unresolved. `unseen`: the acquirer gave no clear answer, or may still book the charge.
 * `clear`: nothing of it is live. `late`: it was live.
 */
type Look = { readonly seconds: number } & (
  | { readonly kind: 'open' | 'unseen' | 'clear' }
  | { readonly kind: 'late'; readonly end: LateEnd }
);

/** Added to the time of two calls to the acquirer, for the commit. */
const LEASE_MARGIN_MILLISECONDS = 10_000;

export function checkWatchedCharges(tools: CheckWatchedTools): Work {
  const { database, outage } = tools;
  const lease = 2 * tools.acquirerTimeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
  return new Dispatcher<WatchedCharge, Look>({
    name: 'checkWatchedCharges',
    limits: DISPATCH.watchedCharges,
    wakeSignal: createWakeSignal(),
    outage,
    async claim(_limit, share) {
      const tasks = await claimWatchedCharges(database, share, lease);
      return { tasks, isEnd: tasks.length === 0 };
    },
    send: (charge) => lookAt(tools, charge),
    record: (charge, look) => record(tools, charge, look),
    about: taskOfPayment,
    piece: EARLIEST_WATCHED,
    pieceValues: (passedOver) => [passedOver],
  });
}

/**
 * Whether a look is the last, by the time since the watch should have ended. An open charge is watched on.
 */
const IS_LAST: Readonly<Record<Look['kind'], (overMilliseconds: number) => boolean>> = {
  open: () => false,
  clear: isWatchOver,
  unseen: isWatchGivenUp,
  late: isWatchGivenUp,
};

async function record(tools: CheckWatchedTools, charge: WatchedCharge, look: Look): Promise<void> {
  const { database, outage } = tools;
  if (look.kind === 'late') tools.alarm(charge, look.end);
  const isLast = IS_LAST[look.kind](charge.overMilliseconds);
  if (isLast || look.kind === 'clear') outage.observeEnd(charge.transactionId, charge.acquirer);
  if (!isLast) return postponeWatchedCharge(database, charge, look.seconds);
  await forgetWatchedCharge(database, charge);
  if (look.kind === 'unseen') tools.alarmUnseen(charge);
}

/**
 * A charge that was recorded as voided or declined must not be live, whatever the acquirer booked later. A
 * charge that was kept must have no twin.
 */
async function lookAt(tools: CheckWatchedTools, charge: WatchedCharge): Promise<Look> {
  const { acquirers, outage, acquirerTimeoutMilliseconds: timeout } = tools;
  const { merchantId, transactionId, state } = charge;
  const asked = { merchantId, provider: charge.acquirer };
  // A person or a restore may have put the charge into one of these states: nothing is voided then.
  if (state === 'charging' || state === 'unresolved') return { kind: 'open', seconds: LONGEST_PAUSE_SECONDS };
  if (!acquirers.all().includes(charge.acquirer)) return { kind: 'unseen', seconds: LONGEST_PAUSE_SECONDS };
  if (!outage.mayAsk(asked))
    return { kind: 'unseen', seconds: awayPostponement(outage.awaySeconds(charge.acquirer)).seconds };
  const acquirer = acquirers.of(charge.acquirer);
  const found = await acquirer.find(merchantId, transactionId, timeout);
  if (found.kind === 'notSent') return { kind: 'unseen', seconds: unsentPostponement(found.reason).seconds };
  const observe = (answer: Answer, isLook: boolean) =>
    observeAnswer(outage, answer, asked, transactionId, isLook);
  observe(found, true);
  const isEnded = state === 'voided' || state === 'declined';
  if (!isEnded) return endTwins(acquirer, charge, found, timeout);
  return endWhatIsLive(acquirer, charge, found, { timeout, observe });
}

type Answer = Parameters<typeof observeAnswer>[1];
type Found = Exclude<FoundCharge, { kind: 'notSent' }>;

/**
 * Where a void is a tombstone (it also stops a charge that arrives after it; `lateBooking` is null), it is
 * sent even for a charge that the acquirer does not know. An unclear charge is voided, because a part of it
 * may be live. For a pre-authorization neither is done: nothing of it is on its way, and an unclear one may
 * be a sale.
 */
async function endWhatIsLive(
  acquirer: Acquirer,
  charge: WatchedCharge,
  found: Found,
  {
    timeout,
    observe,
  }: { readonly timeout: number; readonly observe: (answer: Answer, isLook: boolean) => void },
): Promise<Look> {
  const { merchantId, transactionId, wasPreauthorized } = charge;
  const isLive = found.kind === 'approved' || found.kind === 'preauthorized';
  // A captured charge is a sale, which its merchant may have been told of: a person gives it back.
  if (wasPreauthorized && found.kind === 'approved') return late(charge, 'captured');
  if (found.kind === 'voided' || found.kind === 'declined') return clear(charge);
  if (found.kind === 'unknown' && found.isGivenBack === true) return clear(charge);
  const isUnclear = found.kind === 'unknown';
  const isToBeVoided = isLive || (!wasPreauthorized && (isUnclear || acquirer.traits.lateBooking === null));
  if (!isToBeVoided) return isUnclear ? unseen(charge, found) : clear(charge);
  const voided = await acquirer.voidCharge(merchantId, transactionId, timeout);
  const heard = behindLook(found, voided);
  observe(heard.answer, heard.isLook);
  const wasLive = isLive || wasSeenLive(voided);
  if (wasLive) return lateBy(charge, voided);
  if (voided.kind === 'voided' || voided.kind === 'declined') return clear(charge);
  return unseen(charge, isUnclear ? found : {});
}

async function endTwins(
  acquirer: Acquirer,
  charge: WatchedCharge,
  found: Found,
  timeout: number,
): Promise<Look> {
  const { merchantId, transactionId, tid } = charge;
  if (found.kind === 'unknown') return unseen(charge, found);
  const isLive = found.kind === 'approved' || found.kind === 'preauthorized';
  // The kept charge may have been given back: then the only live one is a twin.
  const isKeptAlone = found.kind === 'approved' && found.tid === tid && found.hasTwins !== true;
  if (!isLive || tid === null || isKeptAlone) return clear(charge);
  const voided = await acquirer.voidTwins(merchantId, transactionId, tid, timeout);
  return voided.kind === 'voided' && voided.charges === 0 ? clear(charge) : lateBy(charge, voided);
}

const clear = ({ overMilliseconds }: WatchedCharge): Look => ({
  kind: 'clear',
  seconds: secondsUntilNextLook(overMilliseconds),
});

/**
 * An acquirer whose answer was unusable will hardly answer better in a minute, so the next look waits longer.
 */
const unseen = ({ overMilliseconds }: WatchedCharge, { cause }: { readonly cause?: UnclearCause }): Look => ({
  kind: 'unseen',
  seconds:
    cause === 'unusable' ? secondsUntilNextLook(overMilliseconds) : secondsUntilNextTry(overMilliseconds),
});

/**
 * A void that was accepted, or refused because an earlier one was, takes effect by itself, perhaps after
 * days: the looks come ever more rarely.
 */
function lateBy(charge: WatchedCharge, voided: VoidAnswer): Look {
  const promise = voided.kind === 'unknown' ? voided.promise : undefined;
  const look = late(charge, promise === 'made' ? 'accepted' : voided.kind);
  return promise === undefined ? look : { ...look, seconds: secondsUntilNextLook(charge.overMilliseconds) };
}

function late({ overMilliseconds }: WatchedCharge, end: LateEnd): Look {
  const mayEndSoon = end === 'unknown' || end === 'notSent' || end === 'notFound';
  const seconds = (mayEndSoon ? secondsUntilNextTry : secondsUntilNextLook)(overMilliseconds);
  return { kind: 'late', end, seconds };
}
