import { markFirstUse } from '../../../cards/vault/card-uses.sql.ts';
import { isHeard } from '../../../platform/channels/unclear.ts';
import { taskOfPayment } from '../../../platform/tracing/scope.ts';
import { DISPATCH } from '../../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../../platform/work/dispatcher.ts';
import type { Work } from '../../../platform/work/due-work.ts';
import { type Asked, type OutageWatch, observeAnswer } from '../../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import { type FoundCharge, REFERENCE_OF_ANOTHER } from '../../../providers/acquirers/acquirer.ts';
import type { LateBooking } from '../../../providers/acquirers/late-booking.ts';
import {
  type CountLink,
  type NamedReference,
  referenceToKeep,
} from '../../../providers/acquirers/network-reference.ts';
import { splitIntoInstallments } from '../../../values/cents.ts';
import type { Instant } from '../../../values/instant.ts';
import type { Deliverer } from '../../../webhooks/deliveries/delivery.ts';
import type { AskAcquirerTools } from '../../requests/send-request.ts';
import {
  awayPostponement,
  isLookedForOn,
  mayBeKept,
  millisecondsUntilGone,
  NOTHING_LIVE,
  type Postponement,
  secondsUntilNextDoubt,
  secondsUntilNextResolveTry,
  UNKNOWN_RESPONSE_CODE,
  unsentPostponement,
  untilGonePostponement,
} from '../../transaction.ts';
import type { OutcomeResult, OutcomeRow } from './outcomes.sql.ts';
import {
  claimUnresolvedCharges,
  EARLIEST_UNRESOLVED_CHARGE,
  markVoidSent,
  postponeResolution,
  pullChargesForward,
  type Resolution,
  recordResolution,
  type UnresolvedCharge,
} from './resolutions.sql.ts';
import {
  behindLook,
  isPromised,
  isVoidAccepted,
  LONGEST_VOID_PAUSE_SECONDS,
  promised,
  unlessPromised,
  wasSeenLive,
} from './void-answers.ts';
import { WATCH_AFTER_HORIZON } from './watch.ts';
import { watchCharge } from './watched-charges.sql.ts';

export type ResolveTools = AskAcquirerTools & {
  /** Notified when a callback was enqueued. */
  readonly deliverer: Pick<Deliverer, 'notify'>;
  /** Records a kept approval as the charge itself would. The deadline is in monotonic milliseconds. */
  readonly writeOutcome: (row: OutcomeRow, deadlineAt: number) => Promise<OutcomeResult>;
  /** Notified when the outcome of a billing's charge is known. */
  readonly settled?: Pick<WakeSignal, 'notify'>;
  /** How long to look for a billing's charge that the acquirer does not know. */
  readonly searchMilliseconds: (merchantId: string) => number;
  /** Whether each acquirer answers at all. */
  readonly outage: OutageWatch;
  readonly observe: (outcome: Truth['state'] | 'postponed') => void;
  readonly warn: (charge: UnresolvedCharge, reason: string) => void;
  /** Called when the acquirer had booked a charge more than once, and at most one of these stands now. */
  readonly observeTwins: (charge: UnresolvedCharge) => void;
  readonly countLink: CountLink;
};

type Kept = { readonly state: 'approved'; readonly named: NamedReference } & Pick<
  OutcomeRow,
  'authorizationCode' | 'nsu' | 'networkReference' | 'tid'
>;
/**
 * `isLapsed`: its hold is over, though the acquirer shows it as before. `takenOver`: another process resolves
 * it now.
 */
type Truth = (Resolution & { readonly isLapsed?: boolean }) | Kept | { readonly state: 'takenOver' };
/**
 * A string: why the outcome is not known yet. `notAsked`: nothing was sent. `waits`: time alone will tell, so
 * nobody is warned. `doubtful`: a person may have to look, and the acquirer is asked ever more rarely.
 */
type Found = Truth | string | Postponed<'notAsked' | 'waits' | 'doubtful'>;
type Postponed<State> = { readonly state: State; readonly postponement: Postponement };

/** Added to the time of two calls to the acquirer, for the commit. */
const LEASE_MARGIN_MILLISECONDS = 10_000;
const COMMIT_MILLISECONDS = 5_000;
/** After so many tries a person should look. */
const TRIES_BEFORE_WARNING = 8;
/** The reason of a charge that was looked up while its acquirer answers no void. */
const NO_VOID_ANSWERED = 'its provider answers no void at the moment';
/**
 * The response code of a decline is worth some tries (15 s in all): merchants and the networks' limits depend
 * on it.
 */
const TRIES_FOR_CODE = 5;
/** After a restore: a captured charge is a sale, so a person decides. */
const CAPTURED_OFF_RECORD = 'the acquirer has captured it, which is not on record here';

/**
 * A payment was never reported as approved, so its charge is voided, even if the acquirer does not know it:
 * the authorization may still be on its way. A billing's charge is kept if approved. It is voided only if the
 * acquirer does not know it after a search: a slow acquirer may book it late. Without a clear answer the
 * acquirer is asked again. A released pre-authorization is voided only if the acquirer does not say that it
 * was captured.
 */
export function resolveUnresolvedCharges(tools: ResolveTools, wakeSignal: WakeSignal): Work {
  const { database, outage } = tools;
  const lease = 2 * tools.acquirerTimeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
  return new Dispatcher<UnresolvedCharge, Found>({
    name: 'resolveUnresolvedCharges',
    limits: DISPATCH.unresolvedCharges,
    wakeSignal,
    outage,
    async claim(_limit, share) {
      const tasks = await claimUnresolvedCharges(database, share, lease);
      return { tasks, isEnd: tasks.length === 0 };
    },
    send: (charge) => findTruth(tools, charge),
    record: (charge, truth) => record(tools, charge, truth),
    about: taskOfPayment,
    piece: EARLIEST_UNRESOLVED_CHARGE,
    pieceValues: (passedOver) => [passedOver],
    pullForward: (limit) => pullChargesForward(database, limit, lease),
  });
}

async function record(tools: ResolveTools, charge: UnresolvedCharge, truth: Found): Promise<void> {
  if (typeof truth === 'string') {
    const isAway = warnIfOdd(tools, charge, truth);
    const seconds = secondsUntilNextResolveTry(charge.tries, isAway);
    return postpone(tools, charge, { seconds, reason: truth });
  }
  if (truth.state === 'doubtful') warnIfOdd(tools, charge, truth.postponement.reason);
  if ('postponement' in truth) return postpone(tools, charge, truth.postponement);
  const isRecorded = await recordTruth(tools, charge, truth);
  tools.outage.observeEnd(charge.transactionId, charge.acquirer);
  if (isRecorded && charge.origin === 'billing') tools.settled?.notify();
  tools.observe(isRecorded ? truth.state : 'takenOver');
}

/**
 * Returns whether the charge's acquirer is away: then the outage watch tells of that, and nobody is warned of
 * the charge.
 */
function warnIfOdd({ outage, warn }: ResolveTools, charge: UnresolvedCharge, reason: string): boolean {
  const isAway = outage.isAway(charge.acquirer);
  const isOdd = charge.tries >= TRIES_BEFORE_WARNING && !isAway;
  if (isOdd || reason === CAPTURED_OFF_RECORD) warn(charge, reason);
  return isAway;
}

async function postpone(
  tools: ResolveTools,
  charge: UnresolvedCharge,
  postponement: Postponement,
): Promise<void> {
  tools.observe('postponed');
  // Only the answer to the charge itself says that another charge has its reference, so that reason stays. A
  // try that sent nothing replaces no reason that a look or a void gave.
  const isUnseen = charge.unknownReason === NOTHING_LIVE && postponement.reason !== NO_VOID_ANSWERED;
  const isLasting = postponement.wasAsked === false && (isVoidAccepted(charge) || isUnseen);
  const isKept = isOfAnother(charge) || isLasting;
  const reason = (isKept ? charge.unknownReason : null) ?? postponement.reason;
  await postponeResolution(tools.database, charge, { ...postponement, reason });
}

/** False: another process has taken the charge over. */
async function recordTruth(tools: ResolveTools, charge: UnresolvedCharge, truth: Truth): Promise<boolean> {
  if (truth.state === 'takenOver') return false;
  const moment = tools.clock.now(charge.merchantId);
  if (truth.state === 'approved') return recordKept(tools, charge, truth, moment);
  // The acquirer shows a lapsed hold as before, and refuses its void: watching it would find only that.
  const isSettled = charge.wasPreauthorized || truth.isLapsed === true;
  const isWatched = lateBookingOf(tools, charge) !== null && !isSettled;
  const watch = isWatched ? WATCH_AFTER_HORIZON : undefined;
  const { isRecorded, isWaiting } = await recordResolution(tools.database, charge, truth, moment, watch);
  if (isWaiting) tools.deliverer.notify();
  return isRecorded;
}

async function recordKept(
  tools: ResolveTools,
  charge: UnresolvedCharge,
  { named, ...kept }: Kept,
  moment: Instant,
): Promise<boolean> {
  const { database, writeOutcome } = tools;
  const { merchantId, transactionId, fence, amount, installmentCount, vaultId } = charge;
  // A twin may be booked later. The watch is written before the outcome, so that no charge is kept unwatched.
  if (lateBookingOf(tools, charge)?.booksTwice === true)
    await watchCharge(database, charge, WATCH_AFTER_HORIZON);
  const row: OutcomeRow = {
    ...kept,
    merchantId,
    transactionId,
    fence,
    expected: 'unresolved',
    responseCode: null,
    adviceCode: null,
    unknownReason: null,
    installments: splitIntoInstallments(amount, installmentCount),
    // A billing has no split.
    shares: [],
    moment,
  };
  const { isRecorded } = await writeOutcome(row, performance.now() + COMMIT_MILLISECONDS);
  if (isRecorded) tools.countLink({ networkReference: named, acquirer: charge.acquirer }, charge.cardBrand);
  // Usually the commit of the outcome has marked the first use. If this fails, the next use counts as the
  // first.
  if (isRecorded && vaultId !== null)
    await markFirstUse(database, merchantId, vaultId, kept.networkReference).catch(() => {});
  return isRecorded;
}

/** Whether the acquirer has said that another charge has this one's reference. */
function isOfAnother({ unknownReason }: Pick<UnresolvedCharge, 'unknownReason'>): boolean {
  return unknownReason === REFERENCE_OF_ANOTHER;
}

function lateBookingOf(
  { acquirers }: Pick<ResolveTools, 'acquirers'>,
  { acquirer }: UnresolvedCharge,
): LateBooking | null {
  return acquirers.of(acquirer).traits.lateBooking;
}

async function findTruth(tools: ResolveTools, charge: UnresolvedCharge): Promise<Found> {
  const { merchantId, transactionId } = charge;
  const { outage, acquirerTimeoutMilliseconds: timeout } = tools;
  const asked = { merchantId, provider: charge.acquirer };
  const whileAway = awayPostponement(outage.awaySeconds(charge.acquirer));
  if (!outage.mayAsk(asked)) return { state: 'notAsked', postponement: whileAway };
  const acquirer = tools.acquirers.of(charge.acquirer);
  const found = await acquirer.find(merchantId, transactionId, timeout);
  if (found.kind === 'notSent') return { state: 'notAsked', postponement: unsentPostponement(found.reason) };
  observeAnswer(outage, found, asked, transactionId, true);
  if (found.kind === 'declined') {
    // The decline is of the other charge under this reference. This card was not charged, and the billing is
    // charged again.
    if (isOfAnother(charge) && charge.origin === 'billing') return { state: 'voided' };
    return { state: 'declined', responseCode: found.responseCode, adviceCode: found.adviceCode };
  }
  const late = charge.wasPreauthorized ? null : acquirer.traits.lateBooking;
  if (found.kind === 'voided' && late?.booksTwice !== true) return { state: 'voided' };
  if (charge.wasPreauthorized) {
    if (found.kind === 'approved') return CAPTURED_OFF_RECORD;
    // The pre-authorization may have been captured, so a void waits for a clear answer.
    if (found.kind === 'unknown')
      return isHeard(found) ? doubtful(charge, found.reason, LONGEST_HOLD_LOOK_SECONDS) : found.reason;
  }
  const mayStillBeKept = mayBeKept(charge);
  if (mayStillBeKept) {
    if (found.kind === 'approved') return keepOne(tools, charge, found);
    if (found.kind === 'unknown') return unlessPromised(charge, found);
    const search = Math.max(tools.searchMilliseconds(merchantId), late?.horizon ?? 0);
    if (found.kind === 'notFound' && isLookedForOn(charge, search)) return searchOn(late, search, charge);
  }
  const end = () => endFound(tools, charge, found, { asked, late });
  // Where a void is no tombstone, the void of a charge that is not there only looks.
  const isSent = isShownLive(found) || late === null;
  const heldBack: Found = { state: 'notAsked', postponement: { ...whileAway, reason: NO_VOID_ANSWERED } };
  return isSent ? ((await outage.send(transactionId, charge.acquirer, end)) ?? heldBack) : end();
}

/** Whether the look-up found the charge live, or unclear, so that it may be live. */
function isShownLive({ kind }: FoundCharge): boolean {
  return kind !== 'notFound' && kind !== 'voided';
}

/** Voids the charge, whatever the look-up found but a decline, and tells what came of the void. */
async function endFound(
  tools: ResolveTools,
  charge: UnresolvedCharge,
  found: FoundCharge,
  { asked, late }: { readonly asked: Asked; readonly late: LateBooking | null },
): Promise<Found> {
  const { merchantId, transactionId, tries } = charge;
  const { acquirerTimeoutMilliseconds: timeout } = tools;
  const acquirer = tools.acquirers.of(charge.acquirer);
  const mayStillBeKept = mayBeKept(charge);
  const isLive = isShownLive(found);
  // The time without anything live begins with this look if it finds something live, or is the first that
  // does not.
  const isFirst = isLive || !(isOfAnother(charge) || charge.unknownReason === NOTHING_LIVE);
  if (mayStillBeKept || late !== null) {
    if (!(await markVoidSent(tools.database, charge, isFirst))) return { state: 'takenOver' };
  }
  // Approved, not found or unclear: the void is right for all three.
  const voided = await acquirer.voidCharge(merchantId, transactionId, timeout);
  // The void may have found what the look-up did not.
  const wasLive = late !== null && wasSeenLive(voided);
  if (wasLive && !(await markVoidSent(tools.database, charge, true))) return { state: 'takenOver' };
  if (voided.kind === 'notSent') return unlessPromised(charge, voided);
  const heard = behindLook(found, voided);
  observeAnswer(tools.outage, heard.answer, asked, transactionId, heard.isLook);
  if (voided.kind === 'voided' && (voided.charges ?? 0) > 1) tools.observeTwins(charge);
  if (late !== null && (voided.kind === 'notFound' || (voided.kind === 'voided' && late.booksTwice)))
    return goneOrWaiting(late, charge, isFirst || wasLive);
  if (voided.kind === 'voided') return { state: 'voided' };
  if (isPromised(charge, voided)) return promised(charge);
  if (voided.kind === 'unknown' && voided.promise === 'ofEarlier')
    return doubtful(charge, voided.reason, LONGEST_VOID_PAUSE_SECONDS);
  // `ofHold`: an amount is only held. A captured charge that is not given back is money, and has no `ofHold`:
  // a person is told at each try.
  if (voided.kind === 'unknown' && voided.ofHold !== undefined && isHeard(voided)) {
    if (voided.ofHold === 'unclear') return doubtful(charge, voided.reason);
    if (isHeldNoLonger(voided.ofHold, charge.heldMilliseconds)) return { state: 'voided', isLapsed: true };
    return { ...doubtful(charge, voided.reason), state: 'waits' };
  }
  // A billing's charge is voided only after the search, so its tries are used up. It gets another try for the
  // response code, because the acquirer may know the charge now, and a decline for lack of funds can be
  // retried.
  if (voided.kind === 'declined' && tries >= TRIES_FOR_CODE && !mayStillBeKept) {
    // A decline is final, and the void proves it as surely as `find`: nothing is charged here.
    return { state: 'declined', responseCode: UNKNOWN_RESPONSE_CODE, adviceCode: null };
  }
  // The charge was declined, or is between states. Asking again returns its code.
  if (voided.kind === 'declined') return 'declined while it was being voided';
  return unlessPromised(charge, voided);
}

/** The longest pause between looks at a hold: it keeps its buyer's money, and a look alone costs little. */
const LONGEST_HOLD_LOOK_SECONDS = 300;

function doubtful(
  charge: UnresolvedCharge,
  reason: string,
  longest = Number.POSITIVE_INFINITY,
): Postponed<'doubtful'> {
  const isSaidAgain = charge.unknownReason === reason || isOfAnother(charge);
  const seconds = Math.min(longest, secondsUntilNextDoubt(charge.tries, isSaidAgain));
  return { state: 'doubtful', postponement: { seconds, reason } };
}

const LONGEST_HOLD_MILLISECONDS = 31 * 86_400_000;
/** No hold ends sooner, so before that the acquirer's word that it is too late for a void is not believed. */
const SHORTEST_HOLD_MILLISECONDS = 86_400_000;

/**
 * Whether an amount that the acquirer still shows as held, and does not void, is held no longer: no network
 * holds an amount for so long, and nothing but a capture of ours would charge it. `late`: the acquirer says
 * that it is too late for a void.
 */
function isHeldNoLonger(no: 'refused' | 'late', milliseconds: number): boolean {
  return milliseconds > (no === 'late' ? SHORTEST_HOLD_MILLISECONDS : LONGEST_HOLD_MILLISECONDS);
}

/** `isFirst`: the time without anything live begins now. */
function goneOrWaiting(late: LateBooking, charge: UnresolvedCharge, isFirst: boolean): Found {
  const clearMilliseconds = isFirst ? 0 : charge.clearMilliseconds;
  const left = millisecondsUntilGone(late, { ...charge, clearMilliseconds });
  return left === 0 ? { state: 'voided' } : { state: 'waits', postponement: untilGonePostponement(left) };
}

function searchOn(late: LateBooking | null, search: number, charge: UnresolvedCharge): Found {
  if (late === null) return 'the acquirer does not know it yet';
  return { state: 'waits', postponement: untilGonePostponement(search - charge.searchedMilliseconds) };
}

/** Keeps an approved charge. If the acquirer booked it more than once, the others are voided first. */
async function keepOne(
  { acquirers, acquirerTimeoutMilliseconds: timeout, observeTwins }: ResolveTools,
  charge: UnresolvedCharge,
  found: Extract<FoundCharge, { kind: 'approved' }>,
): Promise<Found> {
  const kept = keptApproval(charge, found);
  if (typeof kept === 'string' || found.hasTwins !== true) return kept;
  if (found.tid === null) return 'it was booked more than once, and the one to keep has no identifier';
  const { merchantId, transactionId } = charge;
  const acquirer = acquirers.of(charge.acquirer);
  const voided = await acquirer.voidTwins(merchantId, transactionId, found.tid, timeout);
  if (voided.kind === 'voided') {
    observeTwins(charge);
    return kept;
  }
  if (isPromised(charge, voided)) return promised(charge);
  const reason = `it was booked more than once, and all but ${found.tid} are to be voided`;
  return voided.kind === 'declined' ? reason : unlessPromised(charge, { ...voided, reason });
}

/** Keeps no approval of another amount: the difference would be money that is not recorded. */
function keptApproval(
  { amount, cardBrand }: UnresolvedCharge,
  found: Extract<FoundCharge, { kind: 'approved' }>,
): Kept | string {
  if (found.amount !== amount) return 'the acquirer does not say that it approved this amount';
  const { authorizationCode, nsu, tid } = found;
  const networkReference = referenceToKeep(found.networkReference, cardBrand);
  return { state: 'approved', named: found.networkReference, authorizationCode, nsu, networkReference, tid };
}
