import { OPERATOR_REFUSALS } from '../../merchants/refusals.ts';
import { PLAN_REFUSALS } from '../../recurrence/plans/endpoints.ts';
import type { Terms } from '../../recurrence/plans/plan.ts';
import { SUBSCRIPTION_CREATION_REFUSALS } from '../../recurrence/subscriptions/endpoints.ts';
import type { MovedSubscription } from '../../recurrence/subscriptions/moving-subscriptions.sql.ts';
import { dueDayAfter, firstDayRefusal } from '../../recurrence/subscriptions/schedule.ts';
import type { Day } from '../../values/instant.ts';
import { another, type MovingSubscription, type RowFault } from './moving-row.ts';

/** Why rows of a file are not taken, beside what their contracts say. */

export const CANCELED_THERE: RowFault = {
  tag: 'status',
  text: 'It is not Canceled here, and its subscriptions are charged: cancel it here if it ended there.',
};

export const LEAD_TOO_LONG: RowFault = {
  tag: PLAN_REFUSALS.leadTooLong.tag,
  text: PLAN_REFUSALS.leadTooLong.sentence.en,
};

export const MERCHANT_FIRST: RowFault = { tag: 'type', text: 'A merchant stands on the first line.' };

export const UNKNOWN_ACCOUNT: RowFault = {
  tag: 'accountNumber',
  text: OPERATOR_REFUSALS.accountUnknown.text,
};

/**
 * Card and customer may have changed here, so they are not compared. `known` undefined: the subscription was
 * only tried before.
 */
export function knownFaults(
  row: MovingSubscription,
  known: MovedSubscription | undefined,
): readonly RowFault[] {
  if (known === undefined) return [];
  const isSame =
    known.planId === row.planId &&
    known.firstDueOn === row.firstDueOn &&
    known.installmentsPaidBefore === row.installmentsPaid;
  return isSame ? [] : [another('subscription', 'id')];
}

/** A billing that waits for a retry keeps its due day, which the series follows. */
export function dayFaults(
  row: Pick<MovingSubscription, 'chargeOn' | 'chargesMade'> & { readonly firstDueOn: string | null },
  terms: Terms | null,
  today: Day,
): readonly RowFault[] {
  const { firstDueOn: wanted, chargeOn, chargesMade } = row;
  const firstDueOn = wanted as Day;
  const refusal = firstDayRefusal(chargeOn ?? firstDueOn, today);
  const tag = chargeOn === null ? 'firstDueOn' : 'chargeOn';
  const faults = refusal === null ? [] : [{ ...refusalFault(refusal), tag }];
  if (chargeOn === null && chargesMade === 0) return faults;
  if (chargeOn === null) return [...faults, { tag: 'chargeOn', text: 'Say when it is charged again.' }];
  if (terms === null) return faults;
  if (chargeOn <= firstDueOn || chargeOn >= dueDayAfter(firstDueOn, terms))
    faults.push({
      tag: 'chargeOn',
      text: 'Must be after firstDueOn and before the due day that follows it.',
    });
  if (chargesMade > terms.maxRetries)
    faults.push({ tag: 'chargesMade', text: `The plan has ${terms.maxRetries} retries: none is left.` });
  return faults;
}

export function refusalFault(refusal: keyof typeof SUBSCRIPTION_CREATION_REFUSALS): RowFault {
  const { tag, sentence } = SUBSCRIPTION_CREATION_REFUSALS[refusal];
  return { tag, text: sentence.en };
}
