import type { Acquirer, FoundCharge } from '../acquirers/acquirer.ts';
import { markFirstUse } from '../cards/vault/vault-cards.sql.ts';
import type { BusinessClock } from '../platform/business-clock.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Bell } from '../platform/work/bell.ts';
import type { OutageWatch } from '../platform/work/outage-watch.ts';
import type { AskingWork } from '../platform/work/work-in-slots.ts';
import { splitIntoInstallments } from '../values/cents.ts';
import type { Instant } from '../values/instant.ts';
import type { Deliverer } from '../webhooks/deliveries/delivery.ts';
import type { OutcomeResult, OutcomeRow } from './outcomes.sql.ts';
import {
  claimUnansweredCharges,
  markUndoSent,
  millisecondsUntilDueCharge,
  postponeSettlement,
  pullChargesForward,
  recordSettlement,
  type Settlement,
  type UnansweredCharge,
} from './settlements.sql.ts';
import { isLookedForOn, mayBeKept, secondsUntilNextSettleTry, UNTOLD_RESPONSE_CODE } from './transaction.ts';

export type SettleTools = {
  readonly database: Database;
  readonly acquirer: Acquirer;
  readonly clock: BusinessClock;
  /** Hears that the end of a charge is to be told. */
  readonly deliverer: Pick<Deliverer, 'ring'>;
  /** Records an approval that is kept, as the charge itself would have. The deadline is in monotonic milliseconds. */
  readonly writeOutcome: (row: OutcomeRow, deadlineAt: number) => Promise<OutcomeResult>;
  /** Hears that it is known what became of a billing's charge. */
  readonly settled?: Pick<Bell, 'ring'>;
  readonly acquirerTimeoutMilliseconds: number;
  /** How long a billing's charge of this merchant is looked for that the acquirer does not know. */
  readonly searchMilliseconds: (merchantId: string) => number;
  /** Whether the acquirer answers anybody. */
  readonly outage: OutageWatch;
  readonly observe: (outcome: Truth['state'] | 'postponed') => void;
  readonly warn: (charge: UnansweredCharge, reason: string) => void;
};

/** An approval that stays. */
type Kept = { readonly state: 'approved' } & Pick<
  OutcomeRow,
  'authorizationCode' | 'nsu' | 'networkTransactionId'
>;
/** `takenOver`: another process settles it meanwhile. */
type Truth = Settlement | Kept | { readonly state: 'takenOver' };

/** As many connections for settling as the bridge has: more would wait for one while their lease runs. */
const SLOTS = 32;
/** Two calls to the acquirer and a commit, with room to spare. */
const LEASE_MARGIN_MILLISECONDS = 10_000;
const COMMIT_MILLISECONDS = 5_000;
/** From so many tries on a person should look. */
const TRIES_BEFORE_WARNING = 8;
/** A code is worth some tries (15 s in all): merchants and the limits of the networks go by it. */
const TRIES_FOR_CODE = 5;

/**
 * Finds the truth of charges without a known outcome and makes it final. Nobody was told that such a payment succeeded,
 * so it is undone; the tombstone is laid also when the acquirer knows nothing, because the authorization may still be on
 * its way. A billing's charge is kept when the acquirer has approved it, and undone only when it knows nothing of it and has been
 * asked for a while: an acquirer that takes long may book it yet. While it does not say, it is asked again. Tried until it is
 * acknowledged.
 */
export function settleUnansweredCharges(tools: SettleTools): Omit<AskingWork<UnansweredCharge>, 'bell'> {
  const { database, outage } = tools;
  const lease = 2 * tools.acquirerTimeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
  return {
    name: 'settleUnansweredCharges',
    slots: SLOTS,
    outage,
    claim: (limit) => claimUnansweredCharges(database, limit, lease),
    workOff: (charge) => settleOne(tools, charge),
    millisecondsUntilDue: () => millisecondsUntilDueCharge(database),
    pullForward: (limit) => pullChargesForward(database, limit, lease),
  };
}

async function settleOne(tools: SettleTools, charge: UnansweredCharge): Promise<void> {
  const settlement = await findTruth(tools, charge);
  if (typeof settlement === 'string') {
    tools.observe('postponed');
    if (charge.tries >= TRIES_BEFORE_WARNING) tools.warn(charge, settlement);
    const pause = secondsUntilNextSettleTry(charge.tries, tools.outage.isAway());
    await postponeSettlement(tools.database, charge, pause, settlement);
    return;
  }
  const isRecorded = await recordTruth(tools, charge, settlement);
  if (isRecorded && charge.origin === 'billing') tools.settled?.ring();
  tools.observe(isRecorded ? settlement.state : 'takenOver');
}

/** False: another process has taken the charge over. */
async function recordTruth(tools: SettleTools, charge: UnansweredCharge, truth: Truth): Promise<boolean> {
  if (truth.state === 'takenOver') return false;
  const moment = tools.clock.now(charge.merchantId);
  if (truth.state === 'approved') return recordKept(tools, charge, truth, moment);
  const { isRecorded, isWaiting } = await recordSettlement(tools.database, charge, truth, moment);
  if (isWaiting) tools.deliverer.ring();
  return isRecorded;
}

async function recordKept(
  { database, writeOutcome }: SettleTools,
  charge: UnansweredCharge,
  kept: Kept,
  moment: Instant,
): Promise<boolean> {
  const { merchantId, transactionId, fence, amount, installmentCount, vaultId } = charge;
  const row: OutcomeRow = {
    ...kept,
    merchantId,
    transactionId,
    fence,
    expected: 'settling',
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

/** The settlement, or the reason why there is none yet. */
async function findTruth(tools: SettleTools, charge: UnansweredCharge): Promise<Truth | string> {
  const { merchantId, transactionId, tries } = charge;
  const timeout = tools.acquirerTimeoutMilliseconds;
  const found = await tools.acquirer.find(merchantId, transactionId, timeout);
  tools.outage.hear(found.kind !== 'unknown');
  if (found.kind === 'declined') {
    return { state: 'declined', responseCode: found.responseCode, adviceCode: found.adviceCode };
  }
  if (found.kind === 'undone') return { state: 'undone' };
  const isFirstUndo = mayBeKept(charge);
  if (isFirstUndo) {
    if (found.kind === 'approved') return keptApproval(charge, found);
    if (found.kind === 'unknown') return found.reason;
    if (found.kind === 'notFound' && isLookedForOn(charge, tools.searchMilliseconds(merchantId)))
      return 'the acquirer does not know it yet';
    if (!(await markUndoSent(tools.database, charge))) return { state: 'takenOver' };
  }
  // Approved, not found, or unclear: the tombstone is right for all three.
  const undo = await tools.acquirer.undo(merchantId, transactionId, timeout);
  tools.outage.hear(undo.kind !== 'unknown');
  if (undo.kind === 'undone') return { state: 'undone' };
  // A billing's comes late in its tries, behind the search: what it ended may tell its code now, and a lack of funds has retries.
  if (undo.kind === 'declined' && tries >= TRIES_FOR_CODE && !isFirstUndo) {
    // A decline is for good, and the undo tells of it as surely as `find` would: nothing is charged under this reference.
    return { state: 'declined', responseCode: UNTOLD_RESPONSE_CODE, adviceCode: null };
  }
  // It was declined, or in between: asking again gives its code.
  return undo.kind === 'declined' ? 'declined while it was being undone' : undo.reason;
}

/** The approval as it is recorded, or why it is not: of another amount it would be money that the books do not show. */
function keptApproval(
  { amount }: UnansweredCharge,
  found: Extract<FoundCharge, { kind: 'approved' }>,
): Kept | string {
  if (found.amount !== amount) return 'the acquirer does not say that it approved this amount';
  const { authorizationCode, nsu, networkTransactionId } = found;
  return { state: 'approved', authorizationCode, nsu, networkTransactionId };
}
