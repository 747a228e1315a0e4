import { newId } from '../../platform/chance.ts';
import { addDays, type Day, saoPauloDay } from '../../values/instant.ts';
import type { DueBilling } from '../collection/due-billings.sql.ts';
import { APPROVED, type ChargeFacts, factsOfUnsent } from '../collection/outcome-record.ts';
import { pixChargeDay, pixRetryDay } from '../plans/pix-schedule.ts';
import { type AdvanceCollectionTools, advanceCollection } from './advance-collection.ts';
import { type Authorization, findAuthorization } from './authorizations.sql.ts';
import { type Collection, findLastCollection, takeBilling } from './collections.sql.ts';

/** Why a charge has no day any more. */
const ENDS: Readonly<Record<'noDayLeft' | 'cycleOver', ChargeFacts>> = {
  cycleOver: factsOfUnsent('cycleOver'),
  noDayLeft: {
    ...APPROVED,
    result: 'funds',
    meaning: 'Saldo insuficiente, e não há mais dias para novas tentativas',
  },
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
  const today = saoPauloDay(now);
  const days =
    before === null
      ? firstDayOf(due, authorization, addDays(today, leadDays))
      : retryDayOf(due, before, attemptNumber, today);
  if (typeof days === 'string') return endWithoutDay(tools, due, attemptNumber, ENDS[days], deadlineAt);
  const pixId = newId();
  const isTaken = await takeBilling(tools.database, {
    ...{ ...due, ...days, pixId, attemptNumber, at: now },
    txid: before?.txid ?? null,
  });
  if (!isTaken) return 'notTaken';
  await advanceCollection(tools, { merchantId, pixId });
  return 'pending';
}

/** Of the charge at the bank, and of this try. */
type TryDays = { readonly dueOn: Day; readonly tryOn: Day };

/** The bank always has its lead time, also after downtime. */
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
