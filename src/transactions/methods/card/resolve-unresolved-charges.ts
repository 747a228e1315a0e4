import { markFirstUse } from '../../../cards/vault/vault-cards.sql.ts';
import { taskOfPayment } from '../../../platform/tracing/scope.ts';
import { DISPATCH } from '../../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../../platform/work/dispatcher.ts';
import type { Work } from '../../../platform/work/due-work.ts';
import type { OutageWatch } from '../../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { FoundCharge } from '../../../providers/acquirers/acquirer.ts';
import { splitIntoInstallments } from '../../../values/cents.ts';
import type { Instant } from '../../../values/instant.ts';
import type { Deliverer } from '../../../webhooks/deliveries/delivery.ts';
import type { AskAcquirerTools } from '../../requests/send-request.ts';
import {
  isLookedForOn,
  mayBeKept,
  type Postponement,
  PROVIDER_AWAY,
  secondsUntilNextResolveTry,
  UNKNOWN_RESPONSE_CODE,
  unsentPostponement,
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

export type ResolveTools = AskAcquirerTools & {
  /** Notified when a callback was enqueued. */
  readonly deliverer: Pick<Deliverer, 'notify'>;
  /**
   * Records an approval that is kept, as the charge itself would have. The deadline is in monotonic
   * milliseconds.
   */
  readonly writeOutcome: (row: OutcomeRow, deadlineAt: number) => Promise<OutcomeResult>;
  /** Notified when the outcome of a billing's charge is known. */
  readonly settled?: Pick<WakeSignal, 'notify'>;
  /** How long to look for a billing's charge that the acquirer does not know. */
  readonly searchMilliseconds: (merchantId: string) => number;
  /** Whether each acquirer answers at all. */
  readonly outage: OutageWatch;
  readonly observe: (outcome: Truth['state'] | 'postponed') => void;
  readonly warn: (charge: UnresolvedCharge, reason: string) => void;
};

/** An approval that stays. */
type Kept = { readonly state: 'approved' } & Pick<
  OutcomeRow,
  'authorizationCode' | 'nsu' | 'networkTransactionId' | 'tid'
>;
/** `takenOver`: another process resolves it meanwhile. */
type Truth = Resolution | Kept | { readonly state: 'takenOver' };
/** A string: why it is not known yet. */
type Found = Truth | string | { readonly state: 'notAsked'; readonly postponement: Postponement };

/** Time for two calls to the acquirer and a commit. */
const LEASE_MARGIN_MILLISECONDS = 10_000;
const COMMIT_MILLISECONDS = 5_000;
/** From so many tries on a person should look. */
const TRIES_BEFORE_WARNING = 8;
/**
 * A response code is worth some tries (15 s in all): merchants and the limits of the networks
 * depend on it.
 */
const TRIES_FOR_CODE = 5;
/** After a restore: what was captured is a sale, and a person decides. */
const CAPTURED_OFF_RECORD = 'the acquirer has captured it, which is not on record here';

/**
 * Finds the outcome of unresolved charges and makes it final. No such payment was reported as
 * approved, so it is voided, also when the acquirer does not know it, because the authorization may
 * still be on its way. A billing's charge is kept when the acquirer has approved it, and voided
 * only when the acquirer does not know it after a while of asking: a slow acquirer may book it yet.
 * Without a clear answer it is asked again, until it acknowledges. A pre-authorization that was let
 * go is voided only while the acquirer does not say that it was captured.
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
    // Of an acquirer that is away the watch tells.
    const isAway = tools.outage.isAway(charge.acquirer);
    const isOdd = charge.tries >= TRIES_BEFORE_WARNING && !isAway;
    if (isOdd || truth === CAPTURED_OFF_RECORD) tools.warn(charge, truth);
    const seconds = secondsUntilNextResolveTry(charge.tries, isAway);
    return postpone(tools, charge, { seconds, reason: truth });
  }
  if (truth.state === 'notAsked') return postpone(tools, charge, truth.postponement);
  const isRecorded = await recordTruth(tools, charge, truth);
  if (isRecorded && charge.origin === 'billing') tools.settled?.notify();
  tools.observe(isRecorded ? truth.state : 'takenOver');
}

async function postpone(
  tools: ResolveTools,
  charge: UnresolvedCharge,
  postponement: Postponement,
): Promise<void> {
  tools.observe('postponed');
  await postponeResolution(tools.database, charge, postponement);
}

/** False: another process has taken the charge over. */
async function recordTruth(tools: ResolveTools, charge: UnresolvedCharge, truth: Truth): Promise<boolean> {
  if (truth.state === 'takenOver') return false;
  const moment = tools.clock.now(charge.merchantId);
  if (truth.state === 'approved') return recordKept(tools, charge, truth, moment);
  const { isRecorded, isWaiting } = await recordResolution(tools.database, charge, truth, moment);
  if (isWaiting) tools.deliverer.notify();
  return isRecorded;
}

async function recordKept(
  { database, writeOutcome }: ResolveTools,
  charge: UnresolvedCharge,
  kept: Kept,
  moment: Instant,
): Promise<boolean> {
  const { merchantId, transactionId, fence, amount, installmentCount, vaultId } = charge;
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
    // A billing is never divided.
    shares: [],
    moment,
  };
  const { isRecorded } = await writeOutcome(row, performance.now() + COMMIT_MILLISECONDS);
  // Almost always done by the commit; when it fails the next use is the first.
  if (isRecorded && vaultId !== null)
    await markFirstUse(database, merchantId, vaultId, kept.networkTransactionId).catch(() => {});
  return isRecorded;
}

async function findTruth(tools: ResolveTools, charge: UnresolvedCharge): Promise<Found> {
  const { merchantId, transactionId, tries } = charge;
  const timeout = tools.acquirerTimeoutMilliseconds;
  const asked = { merchantId, provider: charge.acquirer };
  if (!tools.outage.mayAsk(asked)) return { state: 'notAsked', postponement: PROVIDER_AWAY };
  const acquirer = tools.acquirers.of(charge.acquirer);
  const found = await acquirer.find(merchantId, transactionId, timeout);
  if (found.kind === 'notSent') return { state: 'notAsked', postponement: unsentPostponement(found.reason) };
  tools.outage.observe(found.kind !== 'unknown', asked);
  if (found.kind === 'declined') {
    return { state: 'declined', responseCode: found.responseCode, adviceCode: found.adviceCode };
  }
  if (found.kind === 'voided') return { state: 'voided' };
  if (charge.wasPreauthorized) {
    if (found.kind === 'approved') return CAPTURED_OFF_RECORD;
    // It may have been captured: a void waits for a clear answer.
    if (found.kind === 'unknown') return found.reason;
  }
  const mayStillBeKept = mayBeKept(charge);
  if (mayStillBeKept) {
    if (found.kind === 'approved') return keptApproval(charge, found);
    if (found.kind === 'unknown') return found.reason;
    if (found.kind === 'notFound' && isLookedForOn(charge, tools.searchMilliseconds(merchantId)))
      return 'the acquirer does not know it yet';
    if (!(await markVoidSent(tools.database, charge))) return { state: 'takenOver' };
  }
  // Approved, not found, or unclear: the void is right for all three.
  const voided = await acquirer.voidCharge(merchantId, transactionId, timeout);
  if (voided.kind === 'notSent') return voided.reason;
  tools.outage.observe(voided.kind !== 'unknown', asked);
  if (voided.kind === 'voided') return { state: 'voided' };
  // A billing's void comes late in its tries, after the search: the acquirer may know the code now,
  // and a lack of funds has retries.
  if (voided.kind === 'declined' && tries >= TRIES_FOR_CODE && !mayStillBeKept) {
    // A decline is final, and the void proves it as surely as `find` would: nothing is charged
    // under this reference.
    return { state: 'declined', responseCode: UNKNOWN_RESPONSE_CODE, adviceCode: null };
  }
  // It was declined, or between states: asking again returns its code.
  return voided.kind === 'declined' ? 'declined while it was being voided' : voided.reason;
}

/**
 * The approval as it is recorded, or why it is not: another amount would be money that is not on
 * record.
 */
function keptApproval(
  { amount }: UnresolvedCharge,
  found: Extract<FoundCharge, { kind: 'approved' }>,
): Kept | string {
  if (found.amount !== amount) return 'the acquirer does not say that it approved this amount';
  const { authorizationCode, nsu, networkTransactionId, tid } = found;
  return { state: 'approved', authorizationCode, nsu, networkTransactionId, tid };
}
