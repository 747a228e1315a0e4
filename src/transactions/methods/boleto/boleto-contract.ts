import { Type } from 'typebox';
import { named, orNull } from '../../../platform/http/named.ts';
import type { MessageContract } from '../../../platform/reference/messages.ts';
import { type BarCode, digitableLine } from '../../../values/bar-code.ts';
import { inCell } from '../../../values/cell.ts';
import { reaisText } from '../../../values/cents.ts';
import { ExactNumber } from '../../../values/exact-json.ts';
import { PAYMENT_KINDS } from '../../bill-payment.ts';
import { BEING_ISSUED_WORD, STATUS_WORDS, statusBill, statusWord } from './bill-status.ts';
import type { Boleto } from './boleto.ts';

const RECEIVED_PAYMENT = {
  amount: Type.Integer({ description: 'Cents.' }),
  paidOn: Type.String({ description: 'YYYY-MM-DD.' }),
  kind: Type.Enum([...PAYMENT_KINDS], {
    description:
      '`second`: it was paid already; `afterEnd`: it was canceled, expired or refused; `otherAmount`: other than what was to be paid on that day.',
  }),
  state: Type.Enum(['open', 'resolved'], {
    description: 'open: nobody has said yet what became of a payment that was not expected.',
  }),
};

/** The payer as clients of this family read it; null where it was erased. */
const FLAT_PAYER = {
  payerName: orNull(Type.String(), '`payer.name`'),
  payerDocument: orNull(Type.String(), '`payer.documentNumber`'),
  payerEmail: orNull(Type.String(), '`payer.email`'),
  payerStreetAndNumber: orNull(Type.String(), '`payer.address.street` and `payer.address.number`'),
  payerDistrict: orNull(Type.String(), '`payer.address.district`'),
  payerCity: orNull(Type.String(), '`payer.address.city`'),
  payerCityState: orNull(Type.String(), '`payer.address.state`'),
  payerZipCode: orNull(Type.String(), '`payer.address.zipCode`'),
};

function writeFlatPayer(payer: Boleto['payer']): Record<keyof typeof FLAT_PAYER, string | null> {
  const address = payer?.address;
  return {
    payerName: payer?.name ?? null,
    payerDocument: payer?.documentNumber ?? null,
    payerEmail: payer?.email ?? null,
    payerStreetAndNumber: address === undefined ? null : `${address.street}, ${address.number}`,
    payerDistrict: address?.district ?? null,
    payerCity: address?.city ?? null,
    payerCityState: address?.state ?? null,
    payerZipCode: address?.zipCode ?? null,
  };
}

export const BOLETO_ANSWER = named('Boleto', {
  id: Type.String({ description: 'Of the boleto.' }),
  accountNumber: Type.String(),
  value: Type.Number({ description: 'Reais, as it was issued.' }),
  issueDate: Type.String({ description: 'YYYY-MM-DD.' }),
  dueDate: Type.String({
    description: 'YYYY-MM-DD. On a day without banks it is paid in time on the next business day.',
  }),
  payableUntil: Type.String({ description: 'The last day on which it can be paid, YYYY-MM-DD.' }),
  barCode: orNull(Type.String(), '44 digits; null: the bank has not answered yet.'),
  digitableLine: orNull(Type.String(), '47 digits, which payers type; null: the bank has not answered yet.'),
  pixEmv: orNull(Type.String(), 'The text of a Pix that pays the same boleto; null: the bank gives none.'),
  ourNumber: Type.String({ description: 'Eleven digits, the `nsu` of its notifications.' }),
  statusBill: Type.Integer({
    description: '0 being issued, 1 issued, 2 paid, 3 overdue, 4 canceled, 5 expired.',
  }),
  statusDescription: Type.Enum([BEING_ISSUED_WORD, ...Object.values(STATUS_WORDS)]),
  effectivePaymentValue: orNull(
    Type.Number(),
    'Reais that were paid: other than the value with fine, interest or discount, or in part. null: it is not paid.',
  ),
  effectivePaymentDate: orNull(Type.String(), 'The day of the payment, YYYY-MM-DD; null: it is not paid.'),
  payments: Type.Array(
    named('BoletoPayment', {
      ...RECEIVED_PAYMENT,
      exceptionId: orNull(Type.String(), 'The exception by which it is resolved; null: it was expected.'),
    }),
    {
      description: 'All that the bank has reported, in that order.',
    },
  ),
  payer: orNull(
    named('Payer', {
      name: Type.String(),
      documentNumber: Type.String(),
      email: orNull(Type.String()),
      address: named('PayerAddress', {
        street: Type.String(),
        number: Type.String(),
        complement: orNull(Type.String()),
        district: Type.String(),
        city: Type.String(),
        state: Type.String(),
        zipCode: Type.String(),
      }),
    }),
    'Who pays; null: it was erased.',
  ),
  ...FLAT_PAYER,
  referenceTransaction: orNull(Type.String()),
  linkId: Type.Optional(Type.String({ description: 'Its payment link.' })),
  url: Type.String({ description: 'The page to print, for the payer: whoever has the address sees it.' }),
});

export const BOLETO_EXAMPLE = {
  id: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  accountNumber: '1000001',
  value: 149.9,
  issueDate: '2026-11-23',
  dueDate: '2029-12-10',
  payableUntil: '2030-01-09',
  barCode: '00191131000000149900000001234567890000000000',
  digitableLine: '00190000090123456789700000000003113100000014990',
  pixEmv: null,
  ourNumber: '00000000042',
  statusBill: 1,
  statusDescription: 'Emitido',
  effectivePaymentValue: null,
  effectivePaymentDate: null,
  payments: [],
  payer: {
    name: 'Ana Souza',
    documentNumber: '52998224725',
    email: 'ana@cliente.example',
    address: {
      street: 'Rua das Flores',
      number: '100',
      complement: null,
      district: 'Centro',
      city: 'São Paulo',
      state: 'SP',
      zipCode: '01001000',
    },
  },
  payerName: 'Ana Souza',
  payerDocument: '52998224725',
  payerEmail: 'ana@cliente.example',
  payerStreetAndNumber: 'Rua das Flores, 100',
  payerDistrict: 'Centro',
  payerCity: 'São Paulo',
  payerCityState: 'SP',
  payerZipCode: '01001000',
  referenceTransaction: 'PEDIDO-1001',
  url: 'https://boletos.example/boletos/3f9c2a7e5b1d4c8e9f0a6b7c8d9e0f1a',
};

/** The address of a page without its key. `origin` null: unknown, so only the path is given. */
export function pagesAt(origin: string | null, cell: string | null): string {
  return `${origin ?? ''}/boletos/${inCell(cell, '')}`;
}

export function writeBoleto(boleto: Boleto, pages: string): object {
  const { registered, payment, payments, payer } = boleto;
  return {
    id: boleto.boletoId,
    accountNumber: boleto.accountNumber,
    value: new ExactNumber(reaisText(boleto.amount)),
    issueDate: boleto.issuedOn,
    dueDate: boleto.dueOn,
    payableUntil: boleto.payableUntil,
    barCode: registered?.barCode ?? null,
    digitableLine: registered === null ? null : digitableLine(registered.barCode as BarCode),
    pixEmv: registered?.pixEmv ?? null,
    ourNumber: boleto.ourNumber,
    statusBill: statusBill(boleto),
    statusDescription: statusWord(boleto),
    effectivePaymentValue: payment === null ? null : new ExactNumber(reaisText(payment.amount)),
    effectivePaymentDate: payment?.paidOn ?? null,
    payments: payments.map(({ isOpen, ...received }) => ({
      ...received,
      state: isOpen ? 'open' : 'resolved',
    })),
    payer,
    ...writeFlatPayer(payer),
    referenceTransaction: boleto.referenceTransaction,
    ...(boleto.linkId !== null && { linkId: boleto.linkId }),
    url: pages + boleto.pageKey,
  };
}

/** Written by `bill-status.ts`. */
export const BOLETO_MESSAGES: readonly MessageContract[] = [
  {
    id: 'boletoCallback',
    group: 'What is sent to you',
    summary: 'What became of a boleto',
    description:
      'Goes to the `urlCallBack` of the boleto, at each change that it shows: issued, overdue, paid, canceled, expired; when its due day changed, or the bank refused to; and when money comes that was not expected. Repetitions are known by ' +
      '`webhook-id`.',
    body: named('BoletoCallback', {
      id: Type.String(),
      ourNumber: Type.String(),
      referenceTransaction: orNull(Type.String()),
      value: Type.Number(),
      dueDate: Type.String(),
      statusBill: Type.Integer(),
      statusDescription: Type.Enum([BEING_ISSUED_WORD, ...Object.values(STATUS_WORDS)]),
      effectivePaymentValue: orNull(Type.Number()),
      effectivePaymentDate: orNull(Type.String()),
      unexpectedPayment: orNull(
        named('UnexpectedPayment', RECEIVED_PAYMENT),
        'Why it is sent, where money came that was not expected; null: the status changed.',
      ),
      moment: Type.String(),
    }),
    example: {
      id: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
      ourNumber: '00000000042',
      referenceTransaction: 'PEDIDO-1001',
      value: 149.9,
      dueDate: '2026-12-10',
      statusBill: 2,
      statusDescription: 'Pago',
      effectivePaymentValue: 149.9,
      effectivePaymentDate: '2026-12-08',
      unexpectedPayment: { amount: 14_990, paidOn: '2026-12-09', kind: 'second', state: 'open' },
      moment: '2026-12-08T20:00:00.000-03:00',
    },
  },
];
