import { type Static, Type } from 'typebox';
import { endpoint } from '../../platform/http/endpoint.ts';
import type { Installment } from '../../transactions/transaction.ts';
import { saoPauloOffsetText } from '../../values/instant.ts';
import type { FoundPayment, PaymentStatus } from '../payment.ts';
import { SPLIT_ANSWER, writeSplit } from '../split/contract.ts';

const PAYMENT_ANSWER = Type.Object({
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
  split: Type.Optional(SPLIT_ANSWER),
});

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
};

export const GET_PAYMENT = endpoint({
  id: 'getPayment',
  method: 'GET',
  path: '/v1/payments/{paymentId}',
  api: 'gateway',
  scope: 'gateway',
  group: 'Payments',
  summary: 'Read a payment',
  description:
    'statusDescription: Processando, Autorizada, Negada, Desfeita, Cancelada, Bloqueada or Paga. Amounts in cents, as ' +
    'they were charged; canceledAmount says what was given back of them.',
  parameters: Type.Object({ paymentId: Type.String({ maxLength: 36 }) }),
  answers: {
    200: { description: 'The payment as it stands.', schema: PAYMENT_ANSWER, example: PAYMENT_EXAMPLE },
  },
});

const LIST_QUERY = Type.Object({
  referenceTransaction: Type.String({ minLength: 1, maxLength: 50 }),
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'From 1, which is the default.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Of a page; default 20.' })),
});

export const LIST_PAYMENTS = endpoint({
  id: 'listPayments',
  method: 'GET',
  path: '/v1/payments',
  api: 'gateway',
  scope: 'gateway',
  group: 'Payments',
  summary: 'Find the payments of a reference',
  description:
    'What became of an order: every payment of yours with that referenceTransaction, those that are being processed ' +
    'too, newest first. After a lost connection this tells whether there is a charge: none here, none there.',
  query: LIST_QUERY,
  answers: {
    200: {
      description: 'One page of them; total counts all.',
      schema: Type.Object({
        items: Type.Array(PAYMENT_ANSWER),
        page: Type.Integer(),
        limit: Type.Integer(),
        total: Type.Integer(),
      }),
      example: { items: [PAYMENT_EXAMPLE], page: 1, limit: 20, total: 1 },
    },
  },
});

const USUAL_LIMIT = 20;

export function readListQuery({
  referenceTransaction,
  page = 1,
  limit = USUAL_LIMIT,
}: Static<typeof LIST_QUERY>) {
  return { referenceTransaction, page, limit };
}

export const STATUS_WORDS: Record<PaymentStatus, string> = {
  processing: 'Processando',
  authorized: 'Autorizada',
  declined: 'Negada',
  undone: 'Desfeita',
  canceled: 'Cancelada',
  blocked: 'Bloqueada',
  paid: 'Paga',
};

export function writePayment({ transaction, status }: FoundPayment): object {
  const { split, shares, installments } = transaction;
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
    ...writeSplit(split === null || shares.length === 0 ? null : { split, shares }),
  };
}

function writeInstallment({ number, amount, canceledAmount, state }: Installment): object {
  return { installmentNumber: number, amount, canceledAmount, status: STATUS_WORDS[state] };
}
