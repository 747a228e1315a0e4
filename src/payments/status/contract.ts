import { type Static, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { pageQuery, readPage } from '../../platform/pages.ts';
import type {
  Installment,
  ListedTransaction,
  Transaction,
  TransactionOrder,
} from '../../transactions/transaction.ts';
import { saoPauloOffsetText } from '../../values/instant.ts';
import type { FoundPayment, PaymentStatus } from '../payment.ts';
import {
  SPLIT_ANSWER,
  SPLIT_IN_LIST,
  SPLIT_PAGES_ANSWER,
  SPLIT_QUERY,
  writeSplit,
  writeSplitInList,
} from '../split/contract.ts';

const FIELDS_OF_ALL = {
  paymentId: Type.String(),
  referenceTransaction: Type.Union([Type.String(), Type.Null()]),
  statusDescription: Type.String(),
  transactionDate: Type.String(),
  authorizationCode: Type.Union([Type.String(), Type.Null()]),
  nsu: Type.Union([Type.String(), Type.Null()]),
  value: Type.Integer(),
  canceledAmount: Type.Integer({ description: 'Cents that were given back.' }),
  cancelingAmount: Type.Integer({
    description: 'Cents of cancels whose answer is awaited: they will be given back, or set free again.',
  }),
  installments: Type.Array(
    Type.Object({
      installmentNumber: Type.Integer(),
      amount: Type.Integer(),
      canceledAmount: Type.Integer(),
      status: Type.String(),
    }),
  ),
  antifraud: Type.Union([Type.Enum(['accept', 'review']), Type.Null()], {
    description:
      'What anti-fraud said before it was charged; review: have a look at it. null: nobody decided.',
  }),
  antifraudReasons: Type.Array(Type.String(), {
    description: 'The rules behind it, as `card/hour/attempts`; `silent`: no decision came in time.',
  }),
};

const PAYMENT_ANSWER = Type.Object({
  ...FIELDS_OF_ALL,
  split: Type.Optional(SPLIT_ANSWER),
  ...SPLIT_PAGES_ANSWER,
});
const LISTED_PAYMENT = Type.Object({ ...FIELDS_OF_ALL, split: Type.Optional(SPLIT_IN_LIST) });

const PAYMENT_EXAMPLE = {
  paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  referenceTransaction: 'PEDIDO-1001',
  statusDescription: 'Autorizada',
  transactionDate: '2026-11-21T10:00:00.123-03:00',
  authorizationCode: 'A1B2C3',
  nsu: '1000000042',
  value: 12_990,
  canceledAmount: 0,
  cancelingAmount: 0,
  installments: [
    { installmentNumber: 1, amount: 6_495, canceledAmount: 0, status: 'Autorizada' },
    { installmentNumber: 2, amount: 6_495, canceledAmount: 0, status: 'Autorizada' },
  ],
  antifraud: 'review',
  antifraudReasons: ['document/hour/cards'],
};

export const GET_PAYMENT = contract({
  id: 'getPayment',
  method: 'GET',
  path: '/v1/payments/{paymentId}',
  api: 'gateway',
  scope: 'gateway',
  group: 'Payments',
  summary: 'Read a payment',
  description:
    'statusDescription: Processando, Autorizada, Negada, Desfeita, Cancelada, Bloqueada or Paga. Amounts in cents, as ' +
    'they were charged; canceledAmount says what was given back of them. A split of very many shares is shown in pages.',
  parameters: Type.Object({ paymentId: Type.String({ maxLength: 36 }) }),
  query: SPLIT_QUERY,
  answers: {
    200: { description: 'The payment as it stands.', schema: PAYMENT_ANSWER, example: PAYMENT_EXAMPLE },
  },
});

/** The fields by which a list can be sorted, as the code names them. */
const ORDERS = {
  paymentId: 'id',
  transactionDate: 'soldAt',
  value: 'amount',
  nsu: 'nsu',
  authorizationCode: 'authorizationCode',
  antifraud: 'verdict',
} as const satisfies Record<string, TransactionOrder>;
const FIELDS = Object.keys(ORDERS) as (keyof typeof ORDERS)[];

const LIST_QUERY = Type.Object({
  referenceTransaction: Type.String({ minLength: 1, maxLength: 50 }),
  ...pageQuery(FIELDS),
});

export const LIST_PAYMENTS = contract({
  id: 'listPayments',
  method: 'GET',
  path: '/v1/payments',
  api: 'gateway',
  scope: 'gateway',
  group: 'Payments',
  summary: 'Find the payments of a reference',
  description:
    'What became of an order: every payment of yours with that referenceTransaction, those that are being processed ' +
    'too, newest first by default. After a lost connection: a payment that you sent goes on without you and may appear here late. That ' +
    "there is no charge, and will be none, is certain once the deadline of a request (15 seconds, or the operator's own) and one " +
    'second more have passed since you sent it. Sent again with its Idempotency-Key it is answered at once, and is made if the ' +
    'first never came.',
  query: LIST_QUERY,
  answers: {
    200: {
      description: 'One page of them; total counts all.',
      schema: Type.Object({
        items: Type.Array(LISTED_PAYMENT),
        page: Type.Integer(),
        limit: Type.Integer(),
        total: Type.Integer(),
      }),
      example: { items: [PAYMENT_EXAMPLE], page: 1, limit: 20, total: 1 },
    },
  },
});

export function readListQuery(query: Static<typeof LIST_QUERY>) {
  const { page, limit, order } = readPage(query, FIELDS, { field: 'paymentId', isDescending: true });
  const { referenceTransaction } = query;
  return { referenceTransaction, page, limit, order: { ...order, field: ORDERS[order.field] } };
}

export const STATUS_WORDS: Record<PaymentStatus, string> = {
  processing: 'Processando',
  authorized: 'Autorizada',
  declined: 'Negada',
  voided: 'Desfeita',
  canceled: 'Cancelada',
  blocked: 'Bloqueada',
  paid: 'Paga',
};

/** With one page of its split. */
export function writePayment(found: FoundPayment, splitPage = 1): object {
  const { split, shares, installments } = found.transaction;
  const shown = split && { split, shares };
  return { ...writeSharedFields(found), ...writeSplit(shown, installments.length, splitPage) };
}

/** As it is shown in a list. */
export function writeListedPayment(found: FoundPayment<ListedTransaction>): object {
  const { split, shareTotals } = found.transaction;
  return { ...writeSharedFields(found), ...writeSplitInList(split, shareTotals) };
}

type WithoutShares = Omit<Transaction, 'shares'>;

function writeSharedFields({ transaction, status }: FoundPayment<WithoutShares>): object {
  const { installments } = transaction;
  const canceledAmount = installments.reduce((sum, part) => sum + part.canceledAmount, 0);
  return {
    paymentId: transaction.transactionId,
    referenceTransaction: transaction.referenceTransaction,
    statusDescription: STATUS_WORDS[status],
    transactionDate: saoPauloOffsetText(transaction.soldAt),
    authorizationCode: transaction.authorizationCode,
    nsu: transaction.nsu,
    value: transaction.amount,
    canceledAmount,
    cancelingAmount: transaction.heldAmount - canceledAmount,
    installments: installments.map(writeInstallment),
    antifraud: transaction.verdict,
    antifraudReasons: transaction.verdictReasons,
  };
}

function writeInstallment({ number, amount, canceledAmount, state }: Installment): object {
  return { installmentNumber: number, amount, canceledAmount, status: STATUS_WORDS[state] };
}
