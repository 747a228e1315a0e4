import { type Static, Type } from 'typebox';
import { MOST_DAYS_OF_EXPORT } from '../../platform/exports.ts';
import { contract, type Fault } from '../../platform/http/endpoint.ts';
import { namedUnion } from '../../platform/http/named.ts';
import { endsBeforeItBegins, hasMoreDays, type RefusalShape, refusal } from '../../platform/http/refusal.ts';
import { pageAnswer, pageQuery, readPage } from '../../platform/pages.ts';
import { PIX_PAYMENT } from '../../transactions/methods/pix/pix-contract.ts';
import { idOrUnissued } from '../../values/ids.ts';
import { type Day, isDay, reachedFrom, startOfSaoPauloDay } from '../../values/instant.ts';
import { BOLETO_PAYMENT } from '../status/boleto-contract.ts';
import { LISTED_PAYMENT, PAYMENT_EXAMPLE, STATUS_WORDS } from '../status/contract.ts';
import { LISTED_STATUSES, type ListedStatus, methodsOfStatus, statesOfStatus } from './listed-status.ts';
import {
  METHODS,
  type Method,
  MOST_DAYS,
  methodsOfFilter,
  PAYMENT_KEYS,
  type PaymentOrder,
  statesOfMethods,
  type WantedPayments,
} from './payment-search.ts';
import { CSV_EXAMPLE, NDJSON_EXAMPLE } from './rows-contract.ts';

const LISTED_WORDS = {
  ...STATUS_WORDS,
  waiting: 'Aguardando',
  overdue: 'Vencida',
  expired: 'Expirada',
} as const satisfies Record<ListedStatus, string>;

const ORDERS = {
  paymentId: 'id',
  transactionDate: 'soldAt',
  value: 'amount',
  nsu: 'nsu',
  authorizationCode: 'authorizationCode',
  antifraud: 'verdict',
} as const satisfies Record<string, PaymentOrder>;
const FIELDS = Object.keys(ORDERS) as (keyof typeof ORDERS)[];

const key = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));
const day = (description: string) =>
  Type.Optional(Type.String({ format: 'day', maxLength: 10, description }));

const LIST_QUERY = Type.Object({
  method: Type.Optional(Type.Enum([...METHODS], { description: 'Absent: of all methods.' })),
  referenceTransaction: key(50, 'Your own reference of the sale; of a charge of a billing its billingId.'),
  nsu: key(50, 'As notifications bring it.'),
  authorizationCode: key(50, 'Of the issuer, as receipts show it. Of cards alone.'),
  vaultId: key(36, 'What a stored card was charged. Of cards alone.'),
  billingId: key(36, 'Every charge of a billing, declined ones too.'),
  txid: key(35, 'Of a Pix, as its bank names it.'),
  endToEndId: key(32, 'Of a Pix that arrived, as statements of banks show it.'),
  status: Type.Optional(
    Type.Enum(
      LISTED_STATUSES.map((status) => LISTED_WORDS[status]),
      { description: 'As `statusDescription` shows it.' },
    ),
  ),
  lastFour: Type.Optional(
    Type.String({
      format: 'digits',
      minLength: 4,
      maxLength: 4,
      description: 'The last four digits of the card.',
    }),
  ),
  isPartlyReturned: Type.Optional(
    Type.Enum(['true'], { description: 'A part of it went back. By day, beside method and status alone.' }),
  ),
  dateRangeStartDate: day('First day of the sale (`transactionDate`), YYYY-MM-DD in São Paulo.'),
  dateRangeEndDate: day('Last day of the sale, included.'),
  ...pageQuery(FIELDS),
  format: Type.Optional(
    Type.Enum(['csv-stream', 'ndjson'], {
      description: 'All that is found, of any length: as CSV, or a JSON object a line. Absent: a page.',
    }),
  ),
});

export const PAYMENT_SEARCH_FAULTS = {
  noPeriod: refusal(400, 'dateRangeStartDate', {
    pt: 'Informe o período, ou um entre referenceTransaction, nsu, authorizationCode, vaultId, billingId, txid e endToEndId.',
    en: 'Give the period, or one of referenceTransaction, nsu, authorizationCode, vaultId, billingId, txid and endToEndId.',
  }),
  rangeBackwards: endsBeforeItBegins('dateRangeEndDate'),
  periodTooLong: hasMoreDays('dateRangeEndDate', MOST_DAYS),
  fileTooLong: hasMoreDays('dateRangeEndDate', MOST_DAYS_OF_EXPORT),
  noPages: refusal(400, 'page', {
    pt: 'Com format vem tudo o que foi encontrado: deixe page e limit de fora.',
    en: 'With format everything that was found comes: leave page and limit out.',
  }),
  notByPart: refusal(400, 'isPartlyReturned', {
    pt: 'Com isPartlyReturned busca-se por período, method e status, na ordem de transactionDate: deixe os outros filtros de fora.',
    en: 'With isPartlyReturned the search is by period, method and status, in the order of transactionDate: leave other filters out.',
  }),
  notOfMethod: refusal(400, 'lastFour', {
    pt: 'Nenhum pagamento do method informado tem isso: deixe um dos dois de fora.',
    en: 'No payment of the given method has this: leave one of them out.',
  }),
} as const satisfies Record<string, RefusalShape>;

type AnyQuery = Readonly<Record<string, unknown>>;

const statusOf = (word: unknown) => LISTED_STATUSES.find((known) => LISTED_WORDS[known] === word) ?? null;

/** Filters that no payment of the wanted method can match. */
function notOfMethod(query: AnyQuery): Fault[] {
  const method = METHODS.find((known) => known === query.method);
  if (method === undefined) return [];
  const names = Object.keys(query).filter(
    (name) =>
      query[name] !== undefined &&
      !(name === 'status' ? methodsOfStatus(statusOf(query.status)) : methodsOfFilter(name)).includes(method),
  );
  return names.map((tag) => ({ ...PAYMENT_SEARCH_FAULTS.notOfMethod, tag }));
}

/** A period is needed without a key. The schema reports malformed texts. */
function checkSearch(query: AnyQuery): Fault[] {
  const { dateRangeStartDate: from, dateRangeEndDate: to } = query;
  const isNarrow = PAYMENT_KEYS.some((name) => query[name] !== undefined);
  const { noPeriod, rangeBackwards, periodTooLong, fileTooLong, noPages, notByPart } = PAYMENT_SEARCH_FAULTS;
  const { isPartlyReturned, lastFour, orderBy } = query;
  const isByOther =
    isNarrow || lastFour !== undefined || !/^transactionDate\b/.test(String(orderBy ?? 'transactionDate'));
  const lacking = (['dateRangeStartDate', 'dateRangeEndDate'] as const).filter(
    (tag) => !isNarrow && query[tag] === undefined,
  );
  const paging = (['page', 'limit'] as const).filter(
    (tag) => query.format !== undefined && query[tag] !== undefined,
  );
  const faults: Fault[] = [
    ...lacking.map((tag) => ({ ...noPeriod, tag })),
    ...paging.map((tag) => ({ ...noPages, tag })),
    ...notOfMethod(query),
    ...(isPartlyReturned !== undefined && isByOther ? [notByPart] : []),
  ];
  if (typeof from !== 'string' || typeof to !== 'string' || !isDay(from) || !isDay(to)) return faults;
  if (from > to) return [...faults, rangeBackwards];
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  const [most, fault] =
    query.format === undefined ? [MOST_DAYS, periodTooLong] : [MOST_DAYS_OF_EXPORT, fileTooLong];
  return days > most && !isNarrow ? [...faults, fault] : faults;
}

export const LIST_PAYMENTS = contract({
  id: 'listPayments',
  method: 'GET',
  path: '/v1/payments',
  api: 'gateway',
  scope: 'gateway',
  group: 'Payments',
  summary: 'Search payments',
  description:
    'Of all methods, each item with its `method`: by what a notification, a receipt or an order brings, or by day. Those that are being ' +
    'processed and those that were declined are there too, and charges of billings. Without referenceTransaction, nsu, authorizationCode, ' +
    `vaultId, billingId, txid and endToEndId both days are needed, ${MOST_DAYS} of them at most (with format ten years). Newest first unless orderBy says otherwise. ` +
    'A filter that only one method has finds payments of that method. An order other than by ' +
    'transactionDate, and other filters beside one of those seven, read everything that was found: they are refused (400, tag orderBy) ' +
    'beyond a hundred thousand payments. With `Accept: text/csv` the page comes as CSV, with the total in X-Total-Count. With format ' +
    'all payments of a period or of a referenceTransaction come, in the order of transactionDate; a stream ' +
    'that lacks its end broke off: ask again. ' +
    'After a lost connection: a payment that you sent goes on without you and may appear here late. That ' +
    "there is no charge, and will be none, is certain once the deadline of a request (15 seconds, or the operator's own) and one " +
    'second more have passed since you sent it. Sent again with its Idempotency-Key it answers at once, and is made if the ' +
    'first never came.',
  query: LIST_QUERY,
  checkQuery: checkSearch,
  answers: {
    200: {
      links: {
        getPayment: { paymentId: '/items/0/paymentId' },
        cancelPayment: { paymentId: '/items/0/paymentId' },
      },
      headers: ['X-Total-Count'],
      ...pageAnswer(
        'PaymentPage',
        namedUnion('AnyPayment', [LISTED_PAYMENT, PIX_PAYMENT, BOLETO_PAYMENT]),
        PAYMENT_EXAMPLE,
      ),
      csvExample: CSV_EXAMPLE,
      ndjsonExample: NDJSON_EXAMPLE,
    },
  },
});

/** A malformed id finds nothing, like an unknown one. */
export function readListQuery(query: Static<typeof LIST_QUERY>): WantedPayments {
  const newest = { field: 'transactionDate', isDescending: true } as const;
  const { page, limit, order } = readPage(query, FIELDS, newest);
  const { dateRangeStartDate: from, dateRangeEndDate: to } = query as Record<string, Day | undefined>;
  return {
    txid: query.txid?.toLowerCase() ?? null,
    endToEndId: query.endToEndId ?? null,
    nsu: query.nsu ?? null,
    authorizationCode: query.authorizationCode ?? null,
    billingId: query.billingId === undefined ? null : idOrUnissued(query.billingId),
    vaultId: query.vaultId === undefined ? null : idOrUnissued(query.vaultId),
    referenceTransaction: query.referenceTransaction ?? null,
    lastFour: query.lastFour ?? null,
    isPartlyReturned: query.isPartlyReturned !== undefined,
    ...statesOfMethods(statesOfStatus(statusOf(query.status)), methodsOf(query)),
    soldFrom: from === undefined ? null : startOfSaoPauloDay(from),
    soldBefore: to === undefined ? null : startOfSaoPauloDay(reachedFrom(to, 1)),
    page,
    limit,
    order: { ...order, field: ORDERS[order.field] },
  };
}

/** The methods that every filter of the query can find. */
function methodsOf(query: Static<typeof LIST_QUERY>): Method[] {
  const names = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return METHODS.filter(
    (method) =>
      (query.method === undefined || query.method === method) &&
      names.every((name) => methodsOfFilter(name).includes(method)),
  );
}
