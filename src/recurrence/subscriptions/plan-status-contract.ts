import { Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { OF_PLANS, PLAN_EXAMPLE, PLAN_ID, PLAN_PARAMETERS, PLAN_STATE_WORDS } from '../plans/contract.ts';

export const MOVE_PLAN = contract({
  ...OF_PLANS,
  id: 'changePlanStatus',
  method: 'POST',
  path: '/v1/recurrences/plans/{planId}/status',
  summary: 'Change the status of a plan',
  description:
    'Any status to any other. Only an Active plan takes new subscriptions; an Inactive one goes on charging those it has. Canceled ' +
    'cancels its Active and Blocked subscriptions and what they have open. From the answer on none of them is charged; of tens of ' +
    'thousands the last may be shown as Canceled seconds later. A charge that is under way takes its outcome first.',
  parameters: PLAN_PARAMETERS,
  body: Type.Object({ status: Type.Enum(Object.values(PLAN_STATE_WORDS)) }),
  bodyExample: { status: 'Inactive' },
  answers: { 200: { description: 'The id of the plan.', schema: PLAN_ID, example: PLAN_EXAMPLE.id } },
});
