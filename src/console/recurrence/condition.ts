import type { AnswerOf } from '../../platform/http/endpoint.ts';
import type { OpenBilling } from '../../recurrence/billings/open-billings.sql.ts';
import type { LIST_SUBSCRIPTIONS } from '../../recurrence/subscriptions/contract.ts';
import type { States } from '../parts/states.ts';

/**
 * `condition`: how an active subscription stands; absent: it is not active, or its billing was not looked at.
 */
export type ListedSubscription = AnswerOf<typeof LIST_SUBSCRIPTIONS>['items'][number] & {
  readonly condition?: Condition;
  readonly nextChargeOn?: string;
};

export type Condition = 'trial' | 'healthy' | 'retrying';

export const CONDITION_STATES: States<Condition> = {
  trial: { tone: 'plain', text: 'In trial' },
  healthy: { tone: 'good', text: 'Active' },
  retrying: { tone: 'wait', text: 'Being retried' },
};

type OpenNow = { readonly installment: number; readonly chargesEnded: number };

/** The open billing as `conditionOf` takes it: `chargesEnded` leaves out the charge that is under way. */
export function openNow({ installment, chargesMade, isCharging }: OpenBilling): OpenNow {
  return { installment, chargesEnded: chargesMade - (isCharging ? 1 : 0) };
}

export function conditionOf({ plan }: Pick<ListedSubscription, 'plan'>, open: OpenNow | null): Condition {
  if (open === null) return 'healthy';
  // A first charge under way is no retry: the bank takes a Pix Automático days ahead.
  if (open.chargesEnded > 0) return 'retrying';
  return plan.trialDays > 0 && open.installment === 1 ? 'trial' : 'healthy';
}
