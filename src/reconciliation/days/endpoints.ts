import { type Static, Type } from 'typebox';
import { callerOf, contract, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, RETRY_AFTER_SECONDS } from '../../platform/http/failures.ts';
import { named } from '../../platform/http/named.ts';
import { type RefusalShape, refusal, refusalAnswer } from '../../platform/http/refusal.ts';
import { cents, reaisText } from '../../values/cents.ts';
import { ExactNumber } from '../../values/exact-json.ts';
import type { Day } from '../../values/instant.ts';
import {
  ACCOUNT,
  dayField,
  exampleOf,
  MOST_DAYS,
  periodCheck,
  RECEIVABLE_REFUSALS,
  reais,
} from '../period-contract.ts';
import { OF_RECONCILIATION } from '../receivables/endpoints.ts';
import type { DayOfReceivables } from './day.ts';
import { type ListDaysTools, listDays, type WantedDays } from './list-days.ts';

const QUERY = Type.Object({
  accountNumber: ACCOUNT,
  from: dayField('First day, YYYY-MM-DD in São Paulo.'),
  to: dayField('Last day, included.'),
});

const count = (description: string) => Type.Integer({ description });
const money = (description: string) => Type.Number({ description });

const DAY = named('ReconciliationDay', {
  day: Type.String(),
  expectedInstallments: count('Installments that were to be paid on this day.'),
  expectedValue: money('Reais that they should bring, after the fee.'),
  expectedFee: money('Reais of their fees.'),
  openInstallments: count('Those of them that have not come, on this day or another.'),
  openValue: money('Reais that they should have brought.'),
  receivedInstallments: count('Installments that came on this day, whenever they were expected.'),
  receivedValue: money('Reais that came, less what was taken off on this day; below zero: more was taken.'),
  receivedFee: money('Reais that the acquirer kept of them, for paying earlier too.'),
  receivedWithoutValue: count('Those of them of which the acquirer did not say how much they brought.'),
  unfiledInstallments: count(
    'Those of them that the acquirer has reported by itself, and no file of it has.',
  ),
  unfiledValue: money('Reais that they brought. Without them the value is that of the sheet of the day.'),
  takenInstallments: count('Installments of which files take something off on this day.'),
  takenValue: money(
    'Reais of cancels, chargebacks and claims of others that files take off; below zero: give back.',
  ),
  differentInstallments: count(
    'Those of them that brought more or less than expected, by more than rounding: a cent for each installment of the sale.',
  ),
  difference: money(
    'Reais that those which came brought more than expected, before anything was taken off; below zero: less. One that came in ' +
      'parts counts on the last of its days.',
  ),
});

const EXAMPLE: DayOfReceivables = {
  day: '2026-12-21' as Day,
  expected: { count: 2, net: cents(12_666), fee: cents(324) },
  open: { count: 1, net: cents(6_333) },
  received: { count: 1, net: 5_333, fee: 162, withoutNet: 0 },
  unfiled: { count: 0, net: 0 },
  taken: { count: 1, net: 1_000 },
  differing: { count: 0, difference: 0 },
};

export const LIST_DAYS = contract({
  ...OF_RECONCILIATION,
  id: 'listReconciliationDays',
  method: 'GET',
  path: '/api/reconciliation/days',
  summary: 'See what was expected and what came, by day',
  description:
    'Days of an account on which installments were to be paid or came, in order; others are left out. An installment is expected on ' +
    `the day of its forecast, and counts as received on the day on which it came. At most ${MOST_DAYS} days.`,
  query: QUERY,
  checkQuery: periodCheck('from', 'to'),
  answers: {
    200: {
      description: 'The days of the period.',
      schema: Type.Array(DAY),
      example: exampleOf([writeDay(EXAMPLE)]),
    },
  },
});

export const DAY_REFUSALS = {
  tooManyApart: refusal(400, 'to', {
    pt: 'O período tem estornos, contestações e pagamentos em partes demais; peça menos dias.',
    en: 'The period has too many cancels, chargebacks and payouts in parts; ask for fewer days.',
  }),
} as const satisfies Record<string, RefusalShape>;

function readDaysQuery({ accountNumber, from, to }: Static<typeof QUERY>): WantedDays {
  return { accountNumber, from: from as Day, to: to as Day };
}

function writeDay({ day, expected, open, received, unfiled, taken, differing }: DayOfReceivables): object {
  return {
    day,
    expectedInstallments: expected.count,
    expectedValue: reais(expected.net),
    expectedFee: reais(expected.fee),
    openInstallments: open.count,
    openValue: reais(open.net),
    receivedInstallments: received.count,
    receivedValue: signedReais(received.net),
    receivedFee: signedReais(received.fee),
    receivedWithoutValue: received.withoutNet,
    unfiledInstallments: unfiled.count,
    unfiledValue: signedReais(unfiled.net),
    takenInstallments: taken.count,
    takenValue: signedReais(taken.net),
    differentInstallments: differing.count,
    difference: signedReais(differing.difference),
  };
}

function signedReais(amount: number): ExactNumber {
  const text = `${reaisText(cents(Math.abs(amount)))}00`;
  return new ExactNumber(amount < 0 ? `-${text}` : text);
}

const RETRY = { 'retry-after': RETRY_AFTER_SECONDS };

export const DAY_ENDPOINTS: readonly Endpoint<ListDaysTools>[] = [
  endpoint(LIST_DAYS, async (tools: ListDaysTools, call) => {
    const days = await listDays(tools, callerOf(call).merchantId, readDaysQuery(call.query));
    if (days === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    if (days === 'tooManyApart') return refusalAnswer(DAY_REFUSALS[days], call.language);
    if (days === 'receivablesBehind') return refusalAnswer(RECEIVABLE_REFUSALS[days], call.language, RETRY);
    return { status: 200, body: days.map(writeDay) };
  }),
];
