import type { OpenBilling } from '../../recurrence/billings/open-billings.sql.ts';
import type { States } from '../parts/states.ts';
import type { ListedSubscription } from './subscription-screens.ts';

export type Standing = 'trial' | 'healthy' | 'retrying';

export const STANDING_STATES: States<Standing> = {
  trial: { tone: 'plain', text: 'In trial' },
  healthy: { tone: 'good', text: 'Active' },
  retrying: { tone: 'wait', text: 'Being retried' },
};

/** Tells apart those that are active. */
export function standingOf(
  { plan }: Pick<ListedSubscription, 'plan'>,
  open: Pick<OpenBilling, 'installment' | 'chargesMade'> | null,
): Standing {
  if (open === null) return 'healthy';
  if (open.chargesMade > 0) return 'retrying';
  return plan.trialDays > 0 && open.installment === 1 ? 'trial' : 'healthy';
}
