import { type Static, Type } from 'typebox';
import { contract, type Fault } from '../platform/http/endpoint.ts';
import type { RefusalShape } from '../platform/http/refusal.ts';
import { daysBetween } from '../values/business-day.ts';
import { type Day, isDay } from '../values/instant.ts';
import { statesOfStatus } from './bill-status.ts';
import { BOLETO_ANSWER, BOLETO_EXAMPLE } from './boleto-contract.ts';
import type { WantedBoletos } from './boleto-search.ts';
import { MOST_DAYS, MOST_IN_ARRAY } from './boleto-search.ts';

const LARGEST_PAGE = 1_000_000;
const MOST_OF_PAGE = 100;
const USUAL_LIMIT = 20;

const day = (description: string) => Type.String({ format: 'day', maxLength: 10, description });

const LIST_QUERY = Type.Object({
  accountNumber: Type.String({ minLength: 1, maxLength: 20, description: 'An account of your merchant.' }),
  startDate: day('First due day, YYYY-MM-DD.'),
  endDate: day('Last due day, included.'),
  statusBill: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 5,
      description: 'Only these: 0 being issued, 1 issued, 2 paid, 3 overdue, 4 canceled, 5 expired.',
    }),
  ),
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LARGEST_PAGE,
      description: 'From 1; with it the answer is a page with its total, without it an array of all.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MOST_OF_PAGE, description: 'Of a page; default 20.' }),
  ),
});

/** What the fields of a list must be to each other. */
export const BOLETO_LIST_FAULTS = {
  rangeBackwards: {
    status: 400,
    tag: 'endDate',
    sentence: { pt: 'O fim do período vem antes do começo.', en: 'The period ends before its beginning.' },
  },
  periodTooLong: {
    status: 400,
    tag: 'endDate',
    sentence: {
      pt: `O período tem mais de ${MOST_DAYS} dias.`,
      en: `The period has more than ${MOST_DAYS} days.`,
    },
  },
  limitWithoutPage: {
    status: 400,
    tag: 'limit',
    sentence: {
      pt: 'limit só vale junto com page.',
      en: 'limit needs page beside it.',
    },
  },
} as const satisfies Record<string, RefusalShape>;

/** Faults of a text itself are named by the schema. */
function checkList(query: Readonly<Record<string, unknown>>): Fault[] {
  const { startDate: from, endDate: to, page, limit } = query;
  const { rangeBackwards, periodTooLong, limitWithoutPage } = BOLETO_LIST_FAULTS;
  const faults: Fault[] = limit !== undefined && page === undefined ? [limitWithoutPage] : [];
  if (typeof from !== 'string' || typeof to !== 'string' || !isDay(from) || !isDay(to)) return faults;
  if (from > to) return [...faults, rangeBackwards];
  return daysBetween(from, to) >= MOST_DAYS ? [...faults, periodTooLong] : faults;
}

export const LIST_BOLETOS = contract({
  id: 'listBoletos',
  method: 'GET',
  path: '/api/billissuer/list/by/due-date',
  api: 'integration',
  scope: 'integration',
  group: 'Boletos',
  summary: 'List boletos by due day',
  description:
    `Of one account, by due day, ${MOST_DAYS} days at most; what the bank has refused is not among them. Without page the answer is an array of all of ` +
    `them, as clients of this family expect it, and more than ${MOST_IN_ARRAY} are refused (400, tag page); with page it is a page, whose total is exact.`,
  query: LIST_QUERY,
  checkQuery: checkList,
  answers: {
    200: {
      description: 'All of them, or a page.',
      schema: Type.Union([
        Type.Array(BOLETO_ANSWER),
        Type.Object({
          items: Type.Array(BOLETO_ANSWER),
          page: Type.Integer(),
          limit: Type.Integer(),
          total: Type.Integer(),
        }),
      ]),
      example: [BOLETO_EXAMPLE],
    },
  },
});

export function readBoletosQuery(query: Static<typeof LIST_QUERY>): WantedBoletos {
  const { accountNumber, startDate, endDate, statusBill, page, limit = USUAL_LIMIT } = query;
  const order = { field: 'dueDate', isDescending: false } as const;
  return {
    accountNumber,
    dueFrom: startDate as Day,
    dueTo: endDate as Day,
    states: statusBill === undefined ? null : statesOfStatus(statusBill),
    isArray: page === undefined,
    page: page ?? 1,
    limit: page === undefined ? MOST_IN_ARRAY : limit,
    order,
  };
}
