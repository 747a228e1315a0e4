import type { BoletoPayer } from '../banks/bank.ts';
import type { Row } from '../platform/postgres/database.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';
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
  amount: column.money(),
  paidOn: column.day(),
  kind: column.oneOf(PAYMENT_KINDS),
  isOpen: column.boolean(),
  exceptionId: column.nullable(column.text()),
});

/** As the contract read it. */
export function readPayer(value: unknown): BoletoPayer | undefined {
  return typeof value === 'object' && value !== null ? (value as BoletoPayer) : undefined;
}

/** The columns of a boleto `b` that `parseBoleto` reads. */
export const BOLETO = rowCodec(
  {
    merchantId: column.text(),
    boletoId: column.text(),
    accountNumber: column.text(),
    ourNumber: column.text(),
    pageKey: column.text(),
    state: column.oneOf(BOLETO_STATES),
    stateBefore: column.nullable(column.oneOf(OPEN_STATES)),
    isExpiring: column.boolean(),
    amount: column.money(),
    issuedOn: column.day(),
    dueOn: column.day(),
    payableUntil: column.day(),
    payer: column.nullable(column.parsedBy(readPayer)),
    referenceTransaction: column.nullable(column.text()),
    instructions: column.listOf(column.text()),
    finePortion: column.nullable(column.whole()),
    interestPortion: column.nullable(column.whole()),
    discountAmount: column.nullable(column.money()),
    discountUntil: column.nullable(column.day()),
    callbackUrl: column.nullable(column.text()),
    barCode: column.nullable(column.text()),
    pixEmv: column.nullable(column.text()),
    askedBank: column.nullable(column.text()),
    refusalReason: column.nullable(column.oneOf([...REGISTRATION_REFUSALS, NOT_SENT] as const)),
    paidAmount: column.nullable(column.money()),
    paidOn: column.nullable(column.day()),
    actsAt: column.nullable(column.instant()),
    requestedAt: column.instant(),
    fence: column.whole(),
    tries: column.whole(),
    isUnresolved: column.boolean('b.unknown_reason is not null'),
    payments: column.parsedBy(
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
