import type { BoletoPayer } from '../banks/bank.ts';
import type { Row } from '../platform/postgres/database.ts';
import type { Cents } from '../values/cents.ts';
import type { Day, Instant } from '../values/instant.ts';
import type { Boleto, BoletoState, OpenState } from './boleto.ts';
import type { ReceivedPayment } from './changes/received-payment.ts';

/** By which its exception is found; `p`: a payment. */
const EXCEPTION_KEY = `'boleto:' || p.boleto_id || ':' || p.change_id`;

const PAYMENTS = `(
    select coalesce(jsonb_agg(jsonb_build_object('amount', p.amount, 'paidOn', p.paid_on, 'kind', p.kind,
      'isOpen', coalesce(e.state = 'open', false), 'exceptionId', e.exception_id) order by p.created_at, p.change_id), '[]')
    from boleto_payments p left join reconciliation_exceptions e on e.merchant_id = p.merchant_id
      and e.exception_key = ${EXCEPTION_KEY}
    where p.merchant_id = b.merchant_id and p.boleto_id = b.boleto_id
  ) as payments`;

/** The columns of a boleto `b` that `parseBoleto` reads. */
export const BOLETO_COLUMNS = `b.merchant_id, b.boleto_id, b.account_number, b.our_number, b.page_key, b.state, b.state_before,
  b.is_expiring, b.amount, b.issued_on::text as issued_on, b.due_on::text as due_on,
  b.payable_until::text as payable_until, b.payer, b.reference_transaction, b.instructions, b.fine_portion,
  b.interest_portion, b.discount_amount, b.discount_until::text as discount_until, b.callback_url, b.bar_code, b.pix_emv, b.asked_bank,
  b.refusal_reason, b.paid_amount, b.paid_on::text as paid_on, b.acts_at, b.requested_at, b.fence, b.tries,
  b.unknown_reason is not null as is_unresolved, ${PAYMENTS}`;

export function parseBoleto(row: Row): Boleto {
  return {
    merchantId: row.merchant_id as string,
    boletoId: row.boleto_id as string,
    accountNumber: row.account_number as string,
    ourNumber: row.our_number as string,
    pageKey: row.page_key as string,
    state: row.state as BoletoState,
    stateBefore: row.state_before as OpenState | null,
    isExpiring: row.is_expiring as boolean,
    amount: row.amount as Cents,
    issuedOn: row.issued_on as Day,
    dueOn: row.due_on as Day,
    payableUntil: row.payable_until as Day,
    payer: row.payer as BoletoPayer | null,
    referenceTransaction: row.reference_transaction as string | null,
    instructions: row.instructions as string[],
    finePortion: row.fine_portion as number | null,
    interestPortion: row.interest_portion as number | null,
    discount:
      row.discount_amount === null
        ? null
        : { amount: row.discount_amount as Cents, until: row.discount_until as Day },
    callbackUrl: row.callback_url as string | null,
    registered:
      row.bar_code === null
        ? null
        : { barCode: row.bar_code as string, pixEmv: row.pix_emv as string | null },
    askedBank: row.asked_bank as string | null,
    refusalReason: row.refusal_reason as Boleto['refusalReason'],
    payment: row.paid_on === null ? null : { amount: row.paid_amount as Cents, paidOn: row.paid_on as Day },
    payments: row.payments as ReceivedPayment[],
    actsAt: row.acts_at as Instant | null,
    requestedAt: row.requested_at as Instant,
    fence: row.fence as number,
    tries: row.tries as number,
    isUnresolved: row.is_unresolved as boolean,
  };
}
