import { newId } from '../../platform/chance.ts';
import { addDays, type Day, saoPauloDay } from '../../values/instant.ts';
import type { DueBilling } from '../collection/due-billings.sql.ts';
import { APPROVED, type ChargeFacts } from '../collection/outcome-record.ts';
import { laterOf, pixRetryDay } from '../plans/pix-schedule.ts';
import { type AdvanceCollectionTools, advanceCollection } from './advance-collection.ts';
import { findAuthorization } from './authorizations.sql.ts';
import { findLastCollection, takeBilling } from './collections.sql.ts';

const NO_DAY_LEFT: ChargeFacts = {
  ...APPROVED,
  result: 'funds',
  meaning: 'Saldo insuficiente, e não há mais dias para novas tentativas',
};

/**
 * Sends what is due to the bank, ahead of its day; a further try on the day before it. The intent is
 * committed first. `pending`: it goes on at the bank.
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
  const { leadDays } = tools.pixBanks.of(authorization.bank).recurring ?? { leadDays: 0 };
  const before = due.chargesMade === 0 ? null : await findLastCollection(tools.database, due);
  const attemptNumber = before === null ? 1 : before.attemptNumber + 1;
  const days = daysOf(due, before?.dueOn ?? null, { attemptNumber, leadDays, today: saoPauloDay(now) });
  if (days === null) return endWithoutDay(tools, due, attemptNumber, deadlineAt);
  const pixId = newId();
  const isTaken = await takeBilling(tools.database, {
    ...{ ...due, ...days, pixId, attemptNumber, at: now },
    txid: before?.txid ?? null,
  });
  if (!isTaken) return 'notTaken';
  await advanceCollection(tools, { merchantId, pixId });
  return 'pending';
}

/** Of the charge at the bank, and of this try. Null: there is no day left for it. */
function daysOf(
  { dueOn, maxRetries }: DueBilling,
  chargedOn: Day | null,
  {
    attemptNumber,
    leadDays,
    today,
  }: { readonly attemptNumber: number; readonly leadDays: number; readonly today: Day },
): { readonly dueOn: Day; readonly tryOn: Day } | null {
  if (chargedOn !== null) {
    const tryOn = pixRetryDay({ dueOn: chargedOn, maxRetries }, attemptNumber - 2, today);
    return tryOn === null ? null : { dueOn: chargedOn, tryOn };
  }
  // The bank always has its lead time, also after downtime or behind a late one.
  const day = laterOf(dueOn, addDays(today, leadDays));
  return { dueOn: day, tryOn: day };
}

async function endWithoutDay(
  { writeEnd, clock, observeCharge }: AdvanceCollectionTools,
  { merchantId, billingId, subscriptionId, fence, vaultId }: DueBilling,
  attemptNumber: number,
  deadlineAt: number,
): Promise<'pending' | 'notTaken'> {
  const { isRecorded, rule } = await writeEnd(
    {
      ...{ kind: 'unsent', merchantId, billingId, subscriptionId, fence, vaultId, attemptNumber },
      ...{ facts: NO_DAY_LEFT, by: 'system', at: clock.now(merchantId), nextBillingId: newId() },
    },
    deadlineAt,
  );
  if (!isRecorded) return 'notTaken';
  observeCharge(rule);
  return 'pending';
}
