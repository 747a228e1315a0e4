import { type Static, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { reaisText } from '../../values/cents.ts';
import { ExactNumber } from '../../values/exact-json.ts';
import type { Day } from '../../values/instant.ts';
import type { PlannedBilling } from './calendar.ts';
import { OF_PLANS, PLAN_EXAMPLE, PLAN_PARAMETERS } from './contract.ts';
import { MAX_RETRIES, possibleRetryDays, RETRY_PAUSES_TEXT } from './retry-schedule.ts';

/** A due day as resources show it: its first moment. */
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
      schema: Type.Object({
        planId: Type.String(),
        startOn: Type.String(),
        items: Type.Array(
          Type.Object({
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

export function readCalendarQuery({ startOn, count }: Static<typeof CALENDAR_QUERY>): {
  readonly startOn: Day | null;
  readonly count: number;
} {
  return { startOn: (startOn ?? null) as Day | null, count: count ?? USUAL_COUNT };
}

export function writePlannedBilling({ installment, dueOn, amount, retriesOn }: PlannedBilling): object {
  return {
    installment,
    expireAt: midnight(dueOn),
    amount: new ExactNumber(reaisText(amount)),
    retriesOn: retriesOn.map(midnight),
  };
}
