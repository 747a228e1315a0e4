import { newId } from '../../platform/chance.ts';
import { leadDaysAt } from '../../providers/pix/recurring-pix.ts';
import { findCollectedReceipt } from '../../transactions/methods/pix/receipts/collected-receipts.sql.ts';
import { FIRST_FENCE } from '../../transactions/requests/send-request.ts';
import { addDays, type Day, saoPauloDay } from '../../values/instant.ts';
import type { DueBilling } from '../collection/due-billings.sql.ts';
import { APPROVED, type ChargeFacts, factsOfUnsent } from '../collection/outcome-record.ts';
import { pixChargeDay, pixRetryDay } from '../plans/pix-schedule.ts';
import { type AdvanceCollectionTools, advanceCollection } from './advance-collection.ts';
import { type Authorization, findAuthorization } from './authorizations.sql.ts';
import {
  type Collection,
  findLastCollection,
  findVoidedCollection,
  takeBilling,
  type VoidedCollection,
} from './collections.sql.ts';

/** How a charge ends for which no day is left. */
const ENDS: Readonly<Record<'noDayLeft' | 'cycleOver', ChargeFacts>> = {
  cycleOver: factsOfUnsent('cycleOver'),
  noDayLeft: {
    ...APPROVED,
    result: 'funds',
    meaning: 'Saldo insuficiente, e não há mais dias para novas tentativas',
  },
};

/**
 * Sends a due charge to the bank ahead of its day, another try on the day before it. The intent is committed
 * first. `pending`: the bank goes on with it, or no day was left and the charge has ended. `notTaken`:
 * another process has the billing, or it cannot be charged now.
 */
export async function collectByPix(
  tools: AdvanceCollectionTools,
  due: DueBilling,
  deadlineAt: number,
): Promise<'pending' | 'notTaken'> {
  const { merchantId } = due;
  const now = tools.clock.now(merchantId);
  const authorization = await findAuthorization(tools.database, due);
  if (authorization?.recId == null) return 'notTaken';
  const leadDays = leadDaysAt(tools.pixBanks.of(authorization.bank), authorization);
  const before = due.chargesMade === 0 ? null : await findLastCollection(tools.database, due);
  const attemptNumber = before === null ? 1 : before.attemptNumber + 1;
  const today = saoPauloDay(now);
  const days =
    before === null
      ? firstDayOf(due, authorization, addDays(today, leadDays))
      : retryDayOf(due, before, attemptNumber, today);
  const voided = due.fence === 0 ? null : await findVoidedCollection(tools.database, due, attemptNumber);
  const again = voided === null ? null : await againOf(tools, voided);
  if (typeof days === 'string' && voided !== null && again === null)
    return endWithoutDay(tools, due, attemptNumber, ENDS[days], deadlineAt);
  const pixId = newId();
  const isTaken = await takeBilling(tools.database, {
    ...due,
    // Without a day left the bank is only asked: a restored database may not know that the charge was sent.
    ...(typeof days === 'string' ? { dueOn: before?.dueOn ?? due.dueOn, tryOn: today } : days),
    ...{ pixId, bank: authorization.bank, attemptNumber, at: now, txid: before?.txid ?? null },
    ...again,
  });
  if (!isTaken) return 'notTaken';
  await advanceCollection(tools, { merchantId, pixId, fence: FIRST_FENCE });
  return 'pending';
}

/**
 * Days and txid of the voided try, so that the bank is asked about it again, in a new row, before the charge
 * gets another txid: a Pix received under it has paid the charge. null: another txid may be used.
 */
async function againOf(
  { database }: AdvanceCollectionTools,
  voided: VoidedCollection,
): Promise<(TryDays & Pick<Collection, 'txid'>) | null> {
  // Unless its code was paid, a first charge is over: the bank makes no other one under its txid.
  const isOver = voided.isFirst || voided.times > 1;
  if (isOver && (await findCollectedReceipt(database, voided)) === null) return null;
  const { txid, dueOn, tryOn } = voided;
  return { txid, dueOn, tryOn };
}

/** `dueOn`: the due day of the charge at the bank. `tryOn`: the day of this try. */
type TryDays = { readonly dueOn: Day; readonly tryOn: Day };

/** Leaves the bank its lead time, also after downtime. `cycleOver`: no day of the cycle is left. */
function firstDayOf(
  { dueOn }: DueBilling,
  { startsOn, terms: { planType } }: Authorization,
  earliest: Day,
): TryDays | 'cycleOver' {
  const day = pixChargeDay({ dueOn, startsOn, planType }, earliest);
  return day === null ? 'cycleOver' : { dueOn: day, tryOn: day };
}

function retryDayOf(
  { maxRetries }: DueBilling,
  { dueOn }: Collection,
  attemptNumber: number,
  today: Day,
): TryDays | 'noDayLeft' {
  const tryOn = pixRetryDay({ dueOn, maxRetries }, attemptNumber - 2, today);
  return tryOn === null ? 'noDayLeft' : { dueOn, tryOn };
}

async function endWithoutDay(
  { writeEnd, clock, observeCharge }: AdvanceCollectionTools,
  { merchantId, billingId, subscriptionId, fence, vaultId }: DueBilling,
  attemptNumber: number,
  facts: ChargeFacts,
  deadlineAt: number,
): Promise<'pending' | 'notTaken'> {
  const { isRecorded, rule } = await writeEnd(
    {
      ...{ kind: 'unsent', merchantId, billingId, subscriptionId, fence, vaultId, attemptNumber },
      ...{ facts, by: 'system', at: clock.now(merchantId) },
    },
    deadlineAt,
  );
  if (!isRecorded) return 'notTaken';
  observeCharge(rule);
  return 'pending';
}
