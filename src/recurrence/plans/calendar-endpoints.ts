import { type Static, Type } from 'typebox';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { callerOf, contract, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { named } from '../../platform/http/named.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { reaisText } from '../../values/cents.ts';
import { ExactNumber } from '../../values/exact-json.ts';
import { type Day, saoPauloDay } from '../../values/instant.ts';
import { type PlannedBilling, plannedBillings } from './calendar.ts';
import { type ReadPlanTools, readPlan } from './change-plan.ts';
import { OF_PLANS, PLAN_EXAMPLE, PLAN_PARAMETERS } from './contract.ts';
import { PLAN_REFUSALS } from './endpoints.ts';
import { MAX_RETRIES, possibleRetryDays, RETRY_PAUSES_TEXT } from './retry-schedule.ts';

type ReadCalendarTools = ReadPlanTools & { readonly clock: BusinessClock };

export type PlanCalendar = {
  readonly planId: string;
  readonly startOn: Day;
  readonly billings: readonly PlannedBilling[];
};

/**
 * The due days of a subscription made on `startOn`; null: today. `behindCalendar`: a day lies after the year
 * 9999.
 */
async function readPlanCalendar(
  tools: ReadCalendarTools,
  merchantId: string,
  planId: string,
  { startOn, count }: { readonly startOn: Day | null; readonly count: number },
): Promise<PlanCalendar | 'notFound' | 'behindCalendar'> {
  const plan = await readPlan(tools, merchantId, planId);
  if (plan === null) return 'notFound';
  const day = startOn ?? saoPauloDay(tools.clock.now(merchantId));
  const billings = plannedBillings(plan.terms, day, count);
  return billings === null ? 'behindCalendar' : { planId: plan.planId, startOn: day, billings };
}

/** Resources show a due day as its first moment. */
const midnight = (day: Day): string => `${day}T00:00:00`;

const USUAL_COUNT = 12;

const CALENDAR_QUERY = Type.Object({
  startOn: Type.Optional(
    Type.String({ format: 'day', maxLength: 10, description: 'The day of the enrolment; default today.' }),
  ),
  count: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: `How many due days; default ${USUAL_COUNT}.` }),
  ),
});

export const GET_PLAN_CALENDAR = contract({
  ...OF_PLANS,
  id: 'getPlanCalendar',
  method: 'GET',
  path: '/v1/recurrences/plans/{planId}/calendar',
  summary: 'See when a plan charges',
  description:
    'The due days of somebody who enrols on `startOn`, from the first one after the trial to the last installment, and for each the ' +
    `days on which it is charged again while the funds are lacking: ${RETRY_PAUSES_TEXT} days after the failure before.`,
  parameters: PLAN_PARAMETERS,
  query: CALENDAR_QUERY,
  answers: {
    200: {
      description: 'Days and amounts, by the plan as it is now.',
      schema: named('PlanCalendar', {
        planId: Type.String(),
        startOn: Type.String(),
        items: Type.Array(
          named('PlannedCharge', {
            installment: Type.Integer(),
            expireAt: Type.String(),
            amount: Type.Number({ description: 'Reais, rounded to the cents that are charged.' }),
            retriesOn: Type.Array(Type.String()),
          }),
        ),
      }),
      example: {
        planId: PLAN_EXAMPLE.id,
        startOn: '2026-11-21',
        items: [
          {
            installment: 1,
            expireAt: '2026-12-01T00:00:00',
            amount: 49.9,
            retriesOn: possibleRetryDays('2026-12-01' as Day, MAX_RETRIES).map(midnight),
          },
        ],
      },
    },
  },
});

function readCalendarQuery({ startOn, count }: Static<typeof CALENDAR_QUERY>): {
  readonly startOn: Day | null;
  readonly count: number;
} {
  return { startOn: (startOn ?? null) as Day | null, count: count ?? USUAL_COUNT };
}

function writePlannedBilling({ installment, dueOn, amount, retriesOn }: PlannedBilling): object {
  return {
    installment,
    expireAt: midnight(dueOn),
    amount: new ExactNumber(reaisText(amount)),
    retriesOn: retriesOn.map(midnight),
  };
}

export const PLAN_CALENDAR_ENDPOINTS: readonly Endpoint<ReadCalendarTools>[] = [
  endpoint(GET_PLAN_CALENDAR, async (tools: ReadCalendarTools, call) => {
    const wanted = readCalendarQuery(call.query);
    const { planId } = call.parameters;
    const found = await readPlanCalendar(tools, callerOf(call).merchantId, planId, wanted);
    if (found === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    if (found === 'behindCalendar') return refusalAnswer(PLAN_REFUSALS.behindCalendar, call.language);
    const { billings, ...of } = found;
    return { status: 200, body: { ...of, items: billings.map(writePlannedBilling) } };
  }),
];
