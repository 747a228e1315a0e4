import { type Static, Type } from 'typebox';
import { streamOf } from '../../platform/exports.ts';
import { callerOf, contract, type Endpoint, endpoint, type Fault } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { named } from '../../platform/http/named.ts';
import { type RefusalShape, refusal, refusalAnswer } from '../../platform/http/refusal.ts';
import { pageFor, pageQuery, readPage, tooManyToOrder, writePage } from '../../platform/pages.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import { notePayment } from '../../platform/tracing/scope.ts';
import type { TransactionWithCancels } from '../../transactions/cancels/cancel.ts';
import { NOT_SENT, type Pix } from '../../transactions/methods/pix/pix.ts';
import { findPix } from '../../transactions/methods/pix/pix-charges.sql.ts';
import { pagesAt, writePixPayment } from '../../transactions/methods/pix/pix-contract.ts';
import type { Refund } from '../../transactions/methods/pix/refunds/refund.ts';
import { listRefunds } from '../../transactions/methods/pix/refunds/refunds.sql.ts';
import { findTransactionWithCancels } from '../../transactions/transaction-queries.sql.ts';
import {
  TRANSACTION_KEYS,
  type TransactionOrder,
  type WantedTransactions,
} from '../../transactions/transaction-search.ts';
import { CSV_TYPE } from '../../values/csv.ts';
import { idOrUnissued, isUuid } from '../../values/ids.ts';
import { addDays, type Day, isDay, startOfSaoPauloDay } from '../../values/instant.ts';
import {
  type FoundPayment,
  PAYMENT_STATUSES,
  type PaymentExportRefusal,
  paymentOf,
  statesOfStatus,
} from '../payment.ts';
import {
  CSV_EXAMPLE,
  csvOfPayments,
  GET_PAYMENT,
  LISTED_PAYMENT,
  NDJSON_EXAMPLE,
  ndjsonOfPayments,
  PAYMENT_EXAMPLE,
  STATUS_WORDS,
  writeCsv,
  writeListedPayment,
  writePayment,
} from './contract.ts';
import { type ListAllPaymentsTools, listAllPayments, listPayments } from './list-payments.ts';

type FindPaymentTools = {
  readonly lookUp: LookUp;
  /** Null if the service has no cells. */
  readonly cell: string | null;
};

type FoundPix = { readonly pix: Pix; readonly refunds: readonly Refund[] };

/** Null for unknown payments and those of other merchants. */
async function findPayment(
  { lookUp }: Pick<FindPaymentTools, 'lookUp'>,
  merchantId: string,
  paymentId: string,
  splitPage: number,
): Promise<FoundPayment<TransactionWithCancels> | null> {
  if (!isUuid(paymentId)) return null;
  const transaction = await lookUp(merchantId, (database) =>
    findTransactionWithCancels(database, merchantId, paymentId, splitPage),
  );
  if (transaction === null) return null;
  notePayment({ referenceTransaction: transaction.referenceTransaction });
  return paymentOf(transaction);
}

const MOST_REFUNDS = 100;

async function findPixPayment(
  { lookUp }: Pick<FindPaymentTools, 'lookUp'>,
  merchantId: string,
  pixId: string,
): Promise<FoundPix | null> {
  if (!isUuid(pixId)) return null;
  const key = { merchantId, pixId };
  return lookUp(merchantId, async (database) => {
    const pix = await findPix(database, key);
    if (pix === null || pix.refusalReason === NOT_SENT) return null;
    return { pix, refunds: await listRefunds(database, key, MOST_REFUNDS) };
  });
}

export const PAYMENT_SEARCH_REFUSALS = {
  tooManyOfPeriod: tooManyToOrder(
    'São mais de cem mil pagamentos para esta ordem; restrinja o período ou escolha a ordem por transactionDate.',
    'More than a hundred thousand payments for this order; narrow the period or choose the order by transactionDate.',
  ),
  tooManyOfKey: tooManyToOrder(
    'São mais de cem mil pagamentos para esta ordem ou estes filtros; busque uma referenceTransaction na ordem de transactionDate, sem outro filtro, ou por período.',
    'More than a hundred thousand payments for this order or these filters; search by referenceTransaction in the order of transactionDate, without another filter, or by period.',
  ),
  notInThisOrder: refusal(400, 'format', {
    pt: 'Com format vêm pagamentos de um período ou de uma referenceTransaction, na ordem de transactionDate.',
    en: 'With format come payments of a period or of a referenceTransaction, in the order of transactionDate.',
  }),
} as const satisfies Record<PaymentExportRefusal, RefusalShape>;

/** Fields to sort by, and their names in the module. */
const ORDERS = {
  paymentId: 'id',
  transactionDate: 'soldAt',
  value: 'amount',
  nsu: 'nsu',
  authorizationCode: 'authorizationCode',
  antifraud: 'verdict',
} as const satisfies Record<string, TransactionOrder>;
const FIELDS = Object.keys(ORDERS) as (keyof typeof ORDERS)[];

/** For a search without a key. */
const MOST_DAYS = 93;
/** The last day of the calendar. */
const LAST_DAY = '9999-12-31';

const key = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));
const day = (description: string) =>
  Type.Optional(Type.String({ format: 'day', maxLength: 10, description }));

const LIST_QUERY = Type.Object({
  referenceTransaction: key(50, 'Your own reference of the sale; of a charge of a billing its billingId.'),
  nsu: key(50, 'As notifications bring it.'),
  authorizationCode: key(50, 'Of the issuer, as receipts show it.'),
  vaultId: key(36, 'What a stored card was charged.'),
  billingId: key(36, 'Every charge of a billing, declined ones too.'),
  status: Type.Optional(
    Type.Enum(
      PAYMENT_STATUSES.map((status) => STATUS_WORDS[status]),
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
    pt: 'Informe o período, ou um entre referenceTransaction, nsu, authorizationCode, vaultId e billingId.',
    en: 'Give the period, or one of referenceTransaction, nsu, authorizationCode, vaultId and billingId.',
  }),
  rangeBackwards: refusal(400, 'dateRangeEndDate', {
    pt: 'O fim do período vem antes do começo.',
    en: 'The period ends before its beginning.',
  }),
  periodTooLong: refusal(400, 'dateRangeEndDate', {
    pt: `O período tem mais de ${MOST_DAYS} dias.`,
    en: `The period has more than ${MOST_DAYS} days.`,
  }),
  noPages: refusal(400, 'page', {
    pt: 'Com format vem tudo o que foi encontrado: deixe page e limit de fora.',
    en: 'With format everything that was found comes: leave page and limit out.',
  }),
} as const satisfies Record<string, RefusalShape>;

/** A period is needed without a key. The schema reports malformed texts. */
function checkSearch(query: Readonly<Record<string, unknown>>): Fault[] {
  const { dateRangeStartDate: from, dateRangeEndDate: to } = query;
  const isNarrow = TRANSACTION_KEYS.some((name) => query[name] !== undefined);
  const { noPeriod, rangeBackwards, periodTooLong, noPages } = PAYMENT_SEARCH_FAULTS;
  const lacking = (['dateRangeStartDate', 'dateRangeEndDate'] as const).filter(
    (tag) => !isNarrow && query[tag] === undefined,
  );
  const paging = (['page', 'limit'] as const).filter(
    (tag) => query.format !== undefined && query[tag] !== undefined,
  );
  const faults: Fault[] = [
    ...lacking.map((tag) => ({ ...noPeriod, tag })),
    ...paging.map((tag) => ({ ...noPages, tag })),
  ];
  if (typeof from !== 'string' || typeof to !== 'string' || !isDay(from) || !isDay(to)) return faults;
  if (from > to) return [...faults, rangeBackwards];
  const isLong = Date.parse(to) - Date.parse(from) >= MOST_DAYS * 86_400_000;
  return isLong && !isNarrow ? [...faults, periodTooLong] : faults;
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
    'By what a notification, a receipt or an order brings, or by day: those that are being processed and those that were ' +
    'declined too, charges of billings among them. Without referenceTransaction, nsu, authorizationCode, vaultId and ' +
    `billingId both days are needed, ${MOST_DAYS} of them at most. Newest first unless orderBy says otherwise. An order other than by ` +
    'transactionDate, and other filters beside one of those five, read everything that was found: they are refused (400, tag orderBy) ' +
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
      description: 'One page of them; total counts all.',
      headers: ['X-Total-Count'],
      schema: named('PaymentPage', {
        items: Type.Array(LISTED_PAYMENT),
        page: Type.Integer(),
        limit: Type.Integer(),
        total: Type.Integer(),
      }),
      example: { items: [PAYMENT_EXAMPLE], page: 1, limit: 20, total: 1 },
      csvExample: CSV_EXAMPLE,
      ndjsonExample: NDJSON_EXAMPLE,
    },
  },
});

/** A malformed id finds nothing, like an unknown one. */
export function readListQuery(query: Static<typeof LIST_QUERY>): WantedTransactions {
  const newest = { field: 'transactionDate', isDescending: true } as const;
  const { page, limit, order } = readPage(query, FIELDS, newest);
  const { dateRangeStartDate: from, dateRangeEndDate: to } = query as Record<string, Day | undefined>;
  const status = PAYMENT_STATUSES.find((known) => STATUS_WORDS[known] === query.status) ?? null;
  return {
    nsu: query.nsu ?? null,
    authorizationCode: query.authorizationCode ?? null,
    billingId: query.billingId === undefined ? null : idOrUnissued(query.billingId),
    vaultId: query.vaultId === undefined ? null : idOrUnissued(query.vaultId),
    referenceTransaction: query.referenceTransaction ?? null,
    lastFour: query.lastFour ?? null,
    ...statesOfStatus(status),
    soldFrom: from === undefined ? null : startOfSaoPauloDay(from),
    soldBefore: to === undefined || to === LAST_DAY ? null : startOfSaoPauloDay(addDays(to, 1)),
    page,
    limit,
    order: { ...order, field: ORDERS[order.field] },
  };
}

type PaymentStatusTools = ListAllPaymentsTools & FindPaymentTools;

export const PAYMENT_STATUS_ENDPOINTS: readonly Endpoint<PaymentStatusTools>[] = [
  endpoint(LIST_PAYMENTS, async (tools: PaymentStatusTools, call) => {
    const { language, query, wantsCsv } = call;
    const { merchantId } = callerOf(call);
    const wanted = pageFor(call, readListQuery(query));
    if (query.format !== undefined) {
      const all = await listAllPayments(tools, merchantId, wanted);
      if (typeof all === 'string') return refusalAnswer(PAYMENT_SEARCH_REFUSALS[all], language);
      const formatOf = query.format === 'ndjson' ? ndjsonOfPayments : csvOfPayments;
      return { status: 200, stream: streamOf(all, formatOf(language)) };
    }
    const found = await listPayments(tools, merchantId, wanted);
    if (typeof found === 'string') return refusalAnswer(PAYMENT_SEARCH_REFUSALS[found], language);
    const headers = { 'x-total-count': `${found.total}` };
    if (wantsCsv) {
      const text = { content: writeCsv(found.items, language), type: CSV_TYPE };
      return { status: 200, text, headers };
    }
    const body = writePage(wanted, found, (payment) => writeListedPayment(payment, language));
    return { status: 200, body, headers };
  }),
  endpoint(GET_PAYMENT, async (tools: PaymentStatusTools, call) => {
    const { paymentId } = call.parameters;
    const { splitPage = 1 } = call.query;
    const { merchantId } = callerOf(call);
    const found = await findPayment(tools, merchantId, paymentId, splitPage);
    if (found !== null) return { status: 200, body: writePayment(found, call.language, splitPage) };
    const other = await findPixPayment(tools, merchantId, paymentId);
    if (other === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    const body = writePixPayment(other.pix, other.refunds, pagesAt(call.origin(), tools.cell));
    return { status: 200, body };
  }),
];
