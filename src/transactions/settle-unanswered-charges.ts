import type { Acquirer } from '../acquirers/acquirer.ts';
import type { BusinessClock } from '../platform/business-clock.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { OutageWatch } from '../platform/work/outage-watch.ts';
import type { AskingWork } from '../platform/work/work-in-slots.ts';
import type { Deliverer } from '../webhooks/deliveries/delivery.ts';
import {
  claimUnansweredCharges,
  millisecondsUntilDueCharge,
  postponeSettlement,
  pullChargesForward,
  recordSettlement,
  type Settlement,
  type UnansweredCharge,
} from './settlements.sql.ts';
import { secondsUntilNextSettleTry, UNTOLD_RESPONSE_CODE } from './transaction.ts';

export type SettleTools = {
  readonly database: Database;
  readonly acquirer: Acquirer;
  readonly clock: BusinessClock;
  /** Hears that the end of a charge is to be told. */
  readonly deliverer: Pick<Deliverer, 'ring'>;
  readonly acquirerTimeoutMilliseconds: number;
  /** Whether the acquirer answers anybody. */
  readonly outage: OutageWatch;
  readonly observe: (outcome: 'undone' | 'declined' | 'postponed' | 'takenOver') => void;
  readonly warn: (charge: UnansweredCharge, reason: string) => void;
};

/** As many connections for settling as the bridge has: more would wait for one while their lease runs. */
const SLOTS = 32;
/** Two calls to the acquirer and a commit, with room to spare. */
const LEASE_MARGIN_MILLISECONDS = 10_000;
/** From so many tries on a person should look. */
const TRIES_BEFORE_WARNING = 8;
/** A code is worth some tries (15 s in all): merchants and the limits of the networks go by it. */
const TRIES_FOR_CODE = 5;

/**
 * Finds the truth of charges without a known outcome and makes it final. Nobody was told that such a payment succeeded,
 * so it is undone; the tombstone is laid also when the acquirer knows nothing, because the authorization may still be on
 * its way. Tried until it is acknowledged.
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
  const moment = tools.clock.now(charge.merchantId);
  const { isRecorded, isWaiting } = await recordSettlement(tools.database, charge, settlement, moment);
  if (isWaiting) tools.deliverer.ring();
  tools.observe(isRecorded ? settlement.state : 'takenOver');
}

/** The settlement, or the reason why there is none yet. */
async function findTruth(tools: SettleTools, charge: UnansweredCharge): Promise<Settlement | string> {
  const { merchantId, transactionId, tries } = charge;
  const timeout = tools.acquirerTimeoutMilliseconds;
  const found = await tools.acquirer.find(merchantId, transactionId, timeout);
  tools.outage.hear(found.kind !== 'unknown');
  if (found.kind === 'declined') {
    return { state: 'declined', responseCode: found.responseCode, adviceCode: found.adviceCode };
  }
  if (found.kind === 'undone') return { state: 'undone' };
  // Approved, not found, or unclear: the tombstone is right for all three.
  const undo = await tools.acquirer.undo(merchantId, transactionId, timeout);
  tools.outage.hear(undo.kind !== 'unknown');
  if (undo.kind === 'undone') return { state: 'undone' };
  if (undo.kind === 'declined' && tries >= TRIES_FOR_CODE) {
    // A decline is for good, and the undo tells of it as surely as `find` would: nothing is charged under this reference.
    return { state: 'declined', responseCode: UNTOLD_RESPONSE_CODE, adviceCode: null };
  }
  // It was declined, or in between: asking again gives its code.
  return undo.kind === 'declined' ? 'declined while it was being undone' : undo.reason;
}
