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
  awayPostponement,
  isLookedForOn,
  mayBeKept,
  type Postponement,
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
};

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
/** After so many tries a person should look. */
const TRIES_BEFORE_WARNING = 8;
/** A code is worth some tries (15 s in all): merchants and the networks' limits depend on it. */
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
    // A billing has no split.
    shares: [],
    moment,
  };
  const { isRecorded } = await writeOutcome(row, performance.now() + COMMIT_MILLISECONDS);
  // Usually done by the commit. If this fails, the next use counts as the first.
  if (isRecorded && vaultId !== null)
    await markFirstUse(database, merchantId, vaultId, kept.networkTransactionId).catch(() => {});
  return isRecorded;
}

async function findTruth(tools: ResolveTools, charge: UnresolvedCharge): Promise<Found> {
  const { merchantId, transactionId, tries } = charge;
  const timeout = tools.acquirerTimeoutMilliseconds;
  const asked = { merchantId, provider: charge.acquirer };
  if (!tools.outage.mayAsk(asked))
    return { state: 'notAsked', postponement: awayPostponement(tools.outage.awaySeconds(charge.acquirer)) };
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
    // It may have been captured, so a void waits for a clear answer.
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
  // Approved, not found or unclear: the void is right for all three.
  const voided = await acquirer.voidCharge(merchantId, transactionId, timeout);
  if (voided.kind === 'notSent') return voided.reason;
  tools.outage.observe(voided.kind !== 'unknown', asked);
  if (voided.kind === 'voided') return { state: 'voided' };
  // A billing is voided only after the search, so its tries are used up. It gets another try for the code,
  // because the acquirer may know it now, and a decline for lack of funds can be retried.
  if (voided.kind === 'declined' && tries >= TRIES_FOR_CODE && !mayStillBeKept) {
    // A decline is final, and the void proves it as surely as `find`: nothing is charged here.
    return { state: 'declined', responseCode: UNKNOWN_RESPONSE_CODE, adviceCode: null };
  }
  // It was declined, or is between states. Asking again returns its code.
  return voided.kind === 'declined' ? 'declined while it was being voided' : voided.reason;
}

/** Refuses another amount: the difference would be money that is not recorded. */
function keptApproval(
  { amount }: UnresolvedCharge,
  found: Extract<FoundCharge, { kind: 'approved' }>,
): Kept | string {
  if (found.amount !== amount) return 'the acquirer does not say that it approved this amount';
  const { authorizationCode, nsu, networkTransactionId, tid } = found;
  return { state: 'approved', authorizationCode, nsu, networkTransactionId, tid };
}
