import { type Static, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { named, namedUnion, orNull } from '../../platform/http/named.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { DECLINE_FIELDS, writeDeclineFields } from '../../providers/acquirers/endpoints.ts';
import { readDecline } from '../../providers/acquirers/issuer-code.ts';
import type { CancelState, ListedCancel, TransactionWithCancels } from '../../transactions/cancels/cancel.ts';
import { PIX_PAYMENT } from '../../transactions/methods/pix/pix-contract.ts';
import {
  SPLIT_ANSWER,
  SPLIT_IN_LIST,
  SPLIT_PAGES_ANSWER,
  SPLIT_QUERY,
  writeSplit,
  writeSplitInList,
} from '../../transactions/split-contract.ts';
import {
  type Attempt,
  INSTALLMENT_WORDS,
  type Installment,
  type ListedTransaction,
  notChargedOf,
  type Transaction,
} from '../../transactions/transaction.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { saoPauloOffsetText, saoPauloText } from '../../values/instant.ts';
import { THREE_D_SECURE_ANSWER, writeAuthentication } from '../authentication-contract.ts';
import { CAPTURE_UNTIL } from '../messages-contract.ts';
import { billingOf, type FoundPayment, type PaymentStatus } from '../payment.ts';
import { BOLETO_PAYMENT } from './boleto-contract.ts';

export const STATUS_WORDS = {
  processing: 'Processando',
  preauthorized: 'Pré-autorizada',
  authorized: 'Autorizada',
  declined: 'Negada',
  voided: 'Desfeita',
  canceled: 'Cancelada',
  blocked: 'Bloqueada',
  paid: 'Paga',
} as const satisfies Record<PaymentStatus, string>;

const FIELDS_OF_ALL = {
  paymentId: Type.String(),
  method: Type.Enum(['card']),
  referenceTransaction: orNull(Type.String()),
  billingId: orNull(Type.String(), 'The billing that was charged; null: no billing.'),
  statusDescription: Type.Enum(Object.values(STATUS_WORDS)),
  ...Type.Partial(Type.Object(DECLINE_FIELDS)).properties,
  transactionDate: Type.String(),
  transactionMoment: Type.String(),
  authorizationCode: orNull(Type.String()),
  nsu: orNull(Type.String()),
  acquirer: Type.String({
    description: 'Who charged it, by the name that the operator gave it; default: the only one.',
  }),
  card: named('PaymentCard', {
    brand: Type.Enum([...CARD_BRANDS]),
    firstSix: Type.String(),
    lastFour: Type.String(),
  }),
  value: Type.Integer(),
  authorizedAmount: Type.Optional(
    Type.Integer({
      description:
        'Only of captureType pa: cents as they were authorized; value is what was captured of them.',
    }),
  ),
  captureUntil: Type.Optional(CAPTURE_UNTIL),
  threeDSecure: THREE_D_SECURE_ANSWER,
  canceledAmount: Type.Integer({ description: 'Cents that were given back.' }),
  isPartlyReturned: Type.Boolean({
    description: 'A part of it was given back, and not all: its status says nothing of that.',
  }),
  cancelingAmount: Type.Integer({
    description: 'Cents of cancels whose answer is awaited: they will be given back, or set free again.',
  }),
  installments: Type.Array(
    named('PaymentInstallment', {
      installmentNumber: Type.Integer(),
      amount: Type.Integer(),
      canceledAmount: Type.Integer(),
      status: Type.Enum(Object.values(INSTALLMENT_WORDS)),
    }),
  ),
  antifraud: orNull(
    Type.Enum(['accept', 'review']),
    'What anti-fraud said before it was charged; review: have a look at it. null: nobody decided.',
  ),
  antifraudReasons: Type.Array(Type.String(), {
    description: 'The rules behind it, as `card/hour/attempts`; `silent`: no decision came in time.',
  }),
};

const CANCEL_WORDS = {
  canceling: 'Processando',
  pending: 'Pendente',
  canceled: 'Cancelado',
  refused: 'Recusado',
} as const satisfies Record<CancelState, string>;

const LISTED_CANCEL = named('PaymentCancel', {
  cancelId: Type.String(),
  amount: Type.Integer(),
  status: Type.Enum(Object.values(CANCEL_WORDS), {
    description:
      'Processando: the acquirer is asked until it answers. Pendente: it accepted the cancel and decides later. Cancelado: given back. Recusado: the acquirer gives nothing back.',
  }),
  createdAt: Type.String(),
  decidedAt: orNull(Type.String()),
});

const ATTEMPT = named('PaymentAttempt', {
  paymentId: Type.String({ description: 'Of this attempt; the first is Desfeita.' }),
  acquirer: Type.String({ description: 'Who was asked.' }),
  notCharged: orNull(
    Type.Enum(['notConnected', 'requestRefused']),
    'Why surely nothing was charged there. notConnected: the request did not reach the acquirer. requestRefused: it answered by a code that proves it. null: the outcome is that of the payment.',
  ),
});

const PAYMENT_ANSWER = named('PaymentDetail', {
  ...FIELDS_OF_ALL,
  capturingAmount: Type.Optional(
    Type.Integer({
      description:
        'Cents of a capture whose answer is awaited, while it is awaited: they will be captured, or the payment is as it was.',
    }),
  ),
  attempts: Type.Optional(
    Type.Array(ATTEMPT, {
      description:
        'Only of a payment that went to a second acquirer, because the first surely did not charge it: both, in the order in which they were asked.',
    }),
  ),
  cancels: Type.Array(LISTED_CANCEL, { description: 'The newest hundred, oldest first.' }),
  split: Type.Optional(SPLIT_ANSWER),
  ...SPLIT_PAGES_ANSWER,
});
export const LISTED_PAYMENT = named('Payment', { ...FIELDS_OF_ALL, split: Type.Optional(SPLIT_IN_LIST) });

export const PAYMENT_EXAMPLE = {
  paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  method: 'card',
  referenceTransaction: 'PEDIDO-1001',
  billingId: null,
  statusDescription: 'Autorizada',
  transactionDate: '2026-11-21T10:00:00.123',
  transactionMoment: '2026-11-21T10:00:00.123-03:00',
  authorizationCode: 'A1B2C3',
  nsu: '1000000042',
  acquirer: 'default',
  card: { brand: 'mastercard', firstSix: '515590', lastFour: '0001' },
  value: 12_990,
  canceledAmount: 0,
  isPartlyReturned: false,
  cancelingAmount: 0,
  installments: [
    { installmentNumber: 1, amount: 6_495, canceledAmount: 0, status: 'Autorizada' },
    { installmentNumber: 2, amount: 6_495, canceledAmount: 0, status: 'Autorizada' },
  ],
  antifraud: 'review',
  antifraudReasons: ['document/hour/cards'],
};

const EXAMPLE_OF_CANCELS = {
  canceledAmount: 4_330,
  isPartlyReturned: true,
  installments: [
    { installmentNumber: 1, amount: 6_495, canceledAmount: 0, status: 'Autorizada' },
    { installmentNumber: 2, amount: 6_495, canceledAmount: 4_330, status: 'Autorizada' },
  ],
  cancels: [
    {
      cancelId: '0199c1f3-0b1d-7a20-8c4e-2b6d1e5f3a77',
      amount: 4_330,
      status: 'Cancelado',
      createdAt: '2026-11-22T09:30:00.000-03:00',
      decidedAt: '2026-11-22T09:30:00.456-03:00',
    },
  ],
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
    'statusDescription: Processando, Pré-autorizada, Autorizada, Negada, Desfeita, Cancelada, Bloqueada or Paga. Amounts in cents, as ' +
    'they were charged; canceledAmount says what was given back of them. A split of very many shares is shown in pages. ' +
    'Of a Pix Processando, Aguardando, Paga, Expirada, Cancelada or Negada, with all that arrived for it; of a boleto Vencida too.',
  parameters: Type.Object({ paymentId: Type.String({ maxLength: 36 }) }),
  query: SPLIT_QUERY,
  answers: {
    200: {
      description: 'The payment as it stands.',
      schema: namedUnion('AnyPaymentDetail', [PAYMENT_ANSWER, PIX_PAYMENT, BOLETO_PAYMENT]),
      example: { ...PAYMENT_EXAMPLE, ...EXAMPLE_OF_CANCELS },
    },
  },
});

export type CardPayment = Static<typeof PAYMENT_ANSWER>;

export function writePayment(
  found: FoundPayment<TransactionWithCancels>,
  language: Language,
  splitPage = 1,
): object {
  const { split, shares, installments, cancels, capturingAmount, attempts } = found.transaction;
  const shown = split && { split, shares };
  return {
    ...writeCardFields(found, language),
    ...(capturingAmount !== null && { capturingAmount }),
    ...(attempts.length > 0 && { attempts: attempts.map(writeAttempt) }),
    cancels: cancels.map(writeCancel),
    ...writeSplit(shown, installments.length, splitPage),
  };
}

/** The payment as in a list: split by beneficiary, not by installment. */
export function writeListedCard(found: FoundPayment<ListedTransaction>, language: Language): object {
  const { split, shareTotals } = found.transaction;
  return { ...writeCardFields(found, language), ...writeSplitInList(split, shareTotals) };
}

export type WithoutShares = Omit<Transaction, 'shares'>;

/** A payment by card without its split. */
export function writeCardFields(
  { transaction, status }: FoundPayment<WithoutShares>,
  language: Language,
): object {
  const { installments, preauthorization } = transaction;
  const canceledAmount = installments.reduce((sum, part) => sum + part.canceledAmount, 0);
  return {
    paymentId: transaction.transactionId,
    method: 'card',
    referenceTransaction: transaction.referenceTransaction,
    billingId: billingOf(transaction),
    statusDescription: STATUS_WORDS[status],
    ...writeDecline(transaction, language),
    transactionDate: saoPauloText(transaction.soldAt),
    transactionMoment: saoPauloOffsetText(transaction.soldAt),
    authorizationCode: transaction.authorizationCode,
    nsu: transaction.nsu,
    acquirer: transaction.acquirer,
    card: {
      brand: transaction.brand,
      firstSix: transaction.cardFirstSix,
      lastFour: transaction.cardLastFour,
    },
    value: transaction.amount,
    ...(preauthorization && {
      authorizedAmount: preauthorization.authorizedAmount,
      captureUntil: saoPauloOffsetText(preauthorization.captureUntil),
    }),
    ...writeAuthentication(transaction.authentication),
    canceledAmount,
    isPartlyReturned: canceledAmount > 0 && canceledAmount < transaction.amount,
    cancelingAmount: transaction.heldAmount - canceledAmount,
    installments: installments.map(writeInstallment),
    antifraud: transaction.verdict,
    antifraudReasons: transaction.verdictReasons,
  };
}

/** The decline as in the payment's own answer; empty unless declined. */
function writeDecline({ brand, responseCode, adviceCode, soldAt }: WithoutShares, language: Language) {
  if (responseCode === null) return {};
  const read = readDecline(brand, responseCode, adviceCode);
  return writeDeclineFields({ responseCode, adviceCode, read, soldAt }, language);
}

function writeCancel({ cancelId, amount, state, requestedAt, decidedAt }: ListedCancel): object {
  return {
    cancelId,
    amount,
    status: CANCEL_WORDS[state],
    createdAt: saoPauloOffsetText(requestedAt),
    decidedAt: decidedAt === null ? null : saoPauloOffsetText(decidedAt),
  };
}

function writeAttempt(attempt: Attempt): object {
  const { transactionId: paymentId, acquirer } = attempt;
  return { paymentId, acquirer, notCharged: notChargedOf(attempt) };
}

function writeInstallment({ number, amount, canceledAmount, state }: Installment): object {
  return { installmentNumber: number, amount, canceledAmount, status: INSTALLMENT_WORDS[state] };
}
