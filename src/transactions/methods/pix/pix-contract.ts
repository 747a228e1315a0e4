import { Type } from 'typebox';
import { named, orNull } from '../../../platform/http/named.ts';
import type { MessageContract } from '../../../platform/reference/messages.ts';
import { portionHalfEven } from '../../../values/apportion.ts';
import { inCell } from '../../../values/cell.ts';
import { saoPauloOffsetText, saoPauloText } from '../../../values/instant.ts';
import { PAYMENT_KINDS } from '../../bill-payment.ts';
import { SPLIT_IN_LIST, writeSplitInList } from '../../split-contract.ts';
import { givenBack, type Pix, sharesOf } from './pix.ts';
import { isPartlyReturned, nsuOf, PIX_WORDS, statusWord } from './pix-status.ts';
import type { Refund, RefundState } from './refunds/refund.ts';

const STATUS = Type.Enum(Object.values(PIX_WORDS), {
  description:
    'Processando: the bank has not answered yet. Negada: it makes no such charge. Cancelada: taken away, or given back whole.',
});

const OF_CHARGE = {
  paymentId: Type.String(),
  txid: Type.String({ description: 'What names it at the bank: 32 letters and digits.' }),
  pixEmv: orNull(
    Type.String(),
    'The text of the QR code ("copia e cola"); null: the bank has not given one.',
  ),
  qrCodeUrl: Type.String({
    description: 'The QR code as PNG, at an address that nobody can guess; with `.svg` at its end as SVG.',
  }),
  url: Type.String({ description: 'The page for the payer, which shows the payment by itself.' }),
  expiresAt: Type.String({ description: 'Until when it can be paid, with offset.' }),
  referenceTransaction: orNull(Type.String()),
};

export const PIX_ISSUED = named('PixCharge', { ...OF_CHARGE, status: STATUS, amount: Type.Integer() });

export const PIX_EXAMPLE = {
  paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  txid: '0199c1f26a2b7c119a3e5d1f0c7b2a44',
  status: 'Aguardando',
  amount: 14_990,
  pixEmv:
    '00020101021226770014br.gov.bcb.pix2555pix.banco.example/qr/0199c1f26a2b7c119a3e5d1f0c7b2a445204000053039865802BR5906FULANO6009SAO PAULO62070503***63043A1C',
  qrCodeUrl: 'https://pix.example/pix/3f9c2a7e5b1d4c8e9f0a6b7c8d9e0f1a/qr.png',
  url: 'https://pix.example/pix/3f9c2a7e5b1d4c8e9f0a6b7c8d9e0f1a',
  expiresAt: '2026-11-30T10:00:00.000-03:00',
  referenceTransaction: 'PEDIDO-1001',
};

const RECEIVED = {
  endToEndId: Type.String({ description: 'Names the Pix in the whole country.' }),
  amount: Type.Integer({ description: 'Cents.' }),
  paidAt: Type.String({ description: 'With offset.' }),
  kind: Type.Enum([...PAYMENT_KINDS], {
    description:
      '`second`: it was paid already; `afterEnd`: it was canceled, expired or refused; `otherAmount`: other than what was to be paid on that day.',
  }),
  state: Type.Enum(['open', 'resolved'], {
    description: 'open: nobody has said yet what became of a payment that was not expected.',
  }),
};

const REFUND_WORDS = {
  refunding: 'Processando',
  pending: 'Pendente',
  refunded: 'Cancelado',
  refused: 'Recusado',
} as const satisfies Record<RefundState, string>;

export const PIX_PAYMENT = named('PixPayment', {
  ...OF_CHARGE,
  method: Type.Enum(['pix']),
  billingId: orNull(
    Type.String(),
    'The billing that it was collected for (Pix Automático); null: no billing.',
  ),
  linkId: Type.Optional(Type.String({ description: 'Its payment link.' })),
  statusDescription: STATUS,
  isPartlyReturned: Type.Boolean({ description: 'A part of what paid it was given back.' }),
  transactionDate: Type.String(),
  transactionMoment: Type.String(),
  authorizationCode: orNull(Type.String(), 'Of cards alone; always null.'),
  nsu: orNull(Type.String(), 'The last twenty of the end-to-end id of what paid it; null: nothing yet.'),
  value: Type.Integer({ description: 'Cents, as it was charged.' }),
  paidAmount: orNull(
    Type.Integer(),
    'Cents that paid it: other than value with fine, interest or discount. null: it is not paid.',
  ),
  fee: orNull(Type.Integer(), "Cents of paidAmount that are the operator's fee; null: it is not paid."),
  netAmount: orNull(
    Type.Integer(),
    'paidAmount less the fee, settled when it was paid; null: it is not paid.',
  ),
  canceledAmount: Type.Integer({ description: 'Cents that were given back, of all that arrived.' }),
  cancelingAmount: Type.Integer({ description: 'Cents that are being given back.' }),
  dueDate: orNull(Type.String(), 'YYYY-MM-DD; null: it is to be paid at once.'),
  description: orNull(Type.String(), 'What the payer was shown.'),
  payer: orNull(
    named('PixPayer', { name: Type.String(), documentNumber: Type.String() }),
    'Who was to pay; null: not given, or erased.',
  ),
  split: Type.Optional(SPLIT_IN_LIST),
  bank: Type.String({ description: 'Where it was charged, by the name that the operator gave it.' }),
  payments: Type.Array(
    named('PixReceipt', {
      ...RECEIVED,
      canceledAmount: Type.Integer({ description: 'Cents of it that were given back.' }),
      exceptionId: orNull(Type.String(), 'The exception by which it is resolved; null: it was expected.'),
    }),
    { description: 'All that arrived for it, in that order.' },
  ),
  cancels: Type.Optional(
    Type.Array(
      named('PixRefund', {
        cancelId: Type.String(),
        endToEndId: Type.String({ description: 'What it is given back from.' }),
        amount: Type.Integer(),
        status: Type.Enum(Object.values(REFUND_WORDS), {
          description:
            'Processando: the bank is asked until it answers. Pendente: it carries it out. Cancelado: given back. Recusado: the bank gives nothing back.',
        }),
        createdAt: Type.String(),
        decidedAt: orNull(Type.String()),
      }),
      { description: 'The newest hundred devolutions, oldest first; read alone.' },
    ),
  ),
});

/** The address of a payer's page without its key. `origin` null: unknown, so only the path is given. */
export function pagesAt(origin: string | null, cell: string | null): string {
  return `${origin ?? ''}/pix/${inCell(cell, '')}`;
}

function writeCharge(pix: Pix, pages: string): object {
  const url = pages + pix.pageKey;
  return {
    paymentId: pix.pixId,
    txid: pix.txid,
    pixEmv: pix.pixEmv,
    qrCodeUrl: `${url}/qr.png`,
    url,
    expiresAt: saoPauloOffsetText(pix.expiresAt),
    referenceTransaction: pix.referenceTransaction,
  };
}

export function writeIssuedPix(pix: Pix, pages: string): object {
  return { ...writeCharge(pix, pages), status: statusWord(pix), amount: pix.amount };
}

/**
 * What is needed to show a Pix besides the Pix. `feePortion`: the operator's fee when it was asked for, in
 * hundredths of a percent.
 */
export type PixSurroundings = { readonly pages: string; readonly feePortion: number };

/** `refunds` null: the Pix is shown in a list, without its refunds. */
export function writePixPayment(
  pix: Pix,
  refunds: readonly Refund[] | null,
  { pages, feePortion }: PixSurroundings,
): object {
  const { payment } = pix;
  const fee = payment === null ? null : portionHalfEven(payment.amount, feePortion);
  const { returned, held } = givenBack(pix);
  return {
    ...writeCharge(pix, pages),
    method: 'pix',
    billingId: pix.billingId,
    ...(pix.linkId !== null && { linkId: pix.linkId }),
    statusDescription: statusWord(pix),
    isPartlyReturned: isPartlyReturned(pix),
    transactionDate: saoPauloText(pix.requestedAt),
    transactionMoment: saoPauloOffsetText(pix.requestedAt),
    authorizationCode: null,
    nsu: payment === null ? null : nsuOf(payment.endToEndId),
    value: pix.amount,
    paidAmount: payment?.amount ?? null,
    fee,
    netAmount: payment === null || fee === null ? null : payment.amount - fee,
    canceledAmount: returned,
    cancelingAmount: held - returned,
    ...writeSplitInList(pix.split, sharesOf(pix)),
    dueDate: pix.due?.dueOn ?? null,
    description: pix.description,
    payer: pix.payer,
    bank: pix.bank,
    payments: pix.payments.map((one) => ({
      endToEndId: one.endToEndId,
      amount: one.amount,
      paidAt: saoPauloOffsetText(one.paidAt),
      kind: one.kind,
      state: one.isOpen ? 'open' : 'resolved',
      canceledAmount: one.returnedAmount,
      exceptionId: one.exceptionId,
    })),
    ...(refunds !== null && { cancels: refunds.map(writeRefund) }),
  };
}

function writeRefund({ refundId, endToEndId, amount, state, requestedAt, refundedAt }: Refund): object {
  return {
    cancelId: refundId,
    endToEndId,
    amount,
    status: REFUND_WORDS[state],
    createdAt: saoPauloOffsetText(requestedAt),
    decidedAt: refundedAt === null ? null : saoPauloOffsetText(refundedAt),
  };
}

/** Written by `pix-status.ts`. */
export const PIX_MESSAGES: readonly MessageContract[] = [
  {
    id: 'pixCallback',
    group: 'What is sent to you',
    summary: 'What became of a Pix',
    description:
      'Goes to the `urlCallBack` of the Pix, at each change of its status, when a part of it was given back, and when money comes that was not expected. Repetitions are known by `webhook-id`.',
    body: named('PixCallback', {
      Value: Type.Number(),
      Origin: Type.Enum(['GATEWAY_2D']),
      Date: Type.String(),
      Installments: Type.Integer(),
      TransactionType: Type.Enum(['PIX']),
      ResultId: Type.String(),
      AuthorizationCode: orNull(Type.String(), 'Of cards alone; always null.'),
      Status: Type.String(),
      paymentId: Type.String(),
      referenceTransaction: orNull(Type.String()),
      txid: Type.String(),
      statusDescription: Type.Enum(Object.values(PIX_WORDS)),
      endToEndId: orNull(Type.String()),
      paidAmount: orNull(Type.Integer()),
      returnedAmount: Type.Integer(),
      unexpectedPayment: orNull(
        named('PixUnexpectedReceipt', {
          endToEndId: RECEIVED.endToEndId,
          amount: RECEIVED.amount,
          kind: RECEIVED.kind,
          state: RECEIVED.state,
        }),
        'Why it is sent, where money came that was not expected; null: the status changed.',
      ),
    }),
    example: {
      Value: 149.9,
      Origin: 'GATEWAY_2D',
      Date: '2026-11-29T10:00:42.000-03:00',
      Installments: 1,
      TransactionType: 'PIX',
      ResultId: PIX_EXAMPLE.paymentId,
      AuthorizationCode: null,
      Status: 'PAGA',
      paymentId: PIX_EXAMPLE.paymentId,
      referenceTransaction: 'PEDIDO-1001',
      txid: PIX_EXAMPLE.txid,
      statusDescription: 'Paga',
      endToEndId: 'E12345678202611291300A1B2C3D4E5F6',
      paidAmount: 14_990,
      returnedAmount: 0,
      unexpectedPayment: null,
    },
  },
];
