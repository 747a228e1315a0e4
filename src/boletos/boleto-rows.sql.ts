import type { BoletoPayer } from '../banks/bank.ts';
import type { Row } from '../platform/postgres/database.ts';
import {
  boolean,
  day,
  instantOf,
  listOf,
  money,
  nullable,
  oneOf,
  parsedBy,
  rowCodec,
  text,
  whole,
} from '../platform/postgres/row-codec.ts';
import { BOLETO_STATES, type Boleto, NOT_SENT, OPEN_STATES, REGISTRATION_REFUSALS } from './boleto.ts';
import { PAYMENT_KINDS, type ReceivedPayment } from './changes/received-payment.ts';

/** By which its exception is found; `p`: a payment. */
const EXCEPTION_KEY = `'boleto:' || p.boleto_id || ':' || p.change_id`;

const PAYMENTS = `(
    select coalesce(jsonb_agg(jsonb_build_object('amount', p.amount, 'paid_on', p.paid_on, 'kind', p.kind,
      'is_open', coalesce(e.state = 'open', false), 'exception_id', e.exception_id) order by p.created_at, p.change_id), '[]')
    from boleto_payments p left join reconciliation_exceptions e on e.merchant_id = p.merchant_id
      and e.exception_key = ${EXCEPTION_KEY}
    where p.merchant_id = b.merchant_id and p.boleto_id = b.boleto_id
  )`;

const PAYMENT = rowCodec<ReceivedPayment>({
  amount: money(),
  paidOn: day(),
  kind: oneOf(PAYMENT_KINDS),
  isOpen: boolean(),
  exceptionId: nullable(text()),
});

/** As the contract read it. */
export function readPayer(value: unknown): BoletoPayer | undefined {
  return typeof value === 'object' && value !== null ? (value as BoletoPayer) : undefined;
}

/** The columns of a boleto `b` that `parseBoleto` reads. */
export const BOLETO = rowCodec(
  {
    merchantId: text(),
    boletoId: text(),
    accountNumber: text(),
    ourNumber: text(),
    pageKey: text(),
    state: oneOf(BOLETO_STATES),
    stateBefore: nullable(oneOf(OPEN_STATES)),
    isExpiring: boolean(),
    amount: money(),
    issuedOn: day(),
    dueOn: day(),
    payableUntil: day(),
    payer: nullable(parsedBy(readPayer)),
    referenceTransaction: nullable(text()),
    instructions: listOf(text()),
    finePortion: nullable(whole()),
    interestPortion: nullable(whole()),
    discountAmount: nullable(money()),
    discountUntil: nullable(day()),
    callbackUrl: nullable(text()),
    barCode: nullable(text()),
    pixEmv: nullable(text()),
    askedBank: nullable(text()),
    refusalReason: nullable(oneOf([...REGISTRATION_REFUSALS, NOT_SENT] as const)),
    paidAmount: nullable(money()),
    paidOn: nullable(day()),
    actsAt: nullable(instantOf()),
    requestedAt: instantOf(),
    fence: whole(),
    tries: whole(),
    isUnresolved: boolean('b.unknown_reason is not null'),
    payments: parsedBy(
      (value) => (Array.isArray(value) ? value.map(PAYMENT.parse) : undefined),
      `${PAYMENTS}`,
    ),
  },
  'b',
);

export function parseBoleto(row: Row): Boleto {
  const { discountAmount, discountUntil, barCode, pixEmv, paidAmount, paidOn, ...boleto } = BOLETO.parse(row);
  return {
    ...boleto,
    discount:
      discountAmount === null || discountUntil === null
        ? null
        : { amount: discountAmount, until: discountUntil },
    registered: barCode === null ? null : { barCode, pixEmv },
    payment: paidAmount === null || paidOn === null ? null : { amount: paidAmount, paidOn },
  };
}
