import type { Row } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { parseShownBoleto, SHOWN_BOLETO } from '../../transactions/methods/boleto/boletos.sql.ts';
import { parseShownPix, SHOWN_PIX } from '../../transactions/methods/pix/pix-charges.sql.ts';
import { DECIDED, INSTALLMENTS, OWN_COLUMNS } from '../../transactions/transaction-queries.sql.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import { type ListedPayment, paymentOf } from '../payment.ts';
import { METHODS, type PaymentFilter, type WantedStates } from './payment-search.ts';

/** The indexes of searches have this condition; those by state `amount > 0` too, which is always true. */
export const WAS_ASKED = `refusal_reason is distinct from 'notSent'`;
/** Finds a boleto that is being canceled by the state in which it is shown. */
export const IS_SHOWN_AS = `(state not in ('canceling', 'changing') or state_before = any ($10::text[]))`;

/**
 * The condition of the index by status: all except sales being charged, and approved ones unchanged since the
 * sale.
 */
const HAS_RANGE = `state <> 'charging' and (state <> 'approved' or installments_state <> 'authorized')`;

/*
 * For each method: each state is a range of an index in the order of time. Users of these texts add the rest
 * of the range, its order and the number of keys to read of each, and end with `) o)`. No state: nothing is
 * read.
 */
export const CARD_RANGES = `(select o.sold_at, o.payment_id, 'card' as method
     from unnest($6::text[]) s (state) cross join unnest($7::text[]) i (installments_state) cross join lateral (
       select sold_at, transaction_id as payment_id from transactions
       where merchant_id = $1 and state = s.state and installments_state = i.installments_state and ${HAS_RANGE}`;
export const PIX_RANGES = `(select o.sold_at, o.payment_id, 'pix' as method
     from unnest($8::text[]) s (state) cross join lateral (
       select requested_at as sold_at, pix_id as payment_id from pix_charges
       where merchant_id = $1 and state = s.state and ${WAS_ASKED} and amount > 0`;
export const BOLETO_RANGES = `(select o.sold_at, o.payment_id, 'boleto' as method
     from unnest($9::text[]) s (state) cross join lateral (
       select requested_at as sold_at, boleto_id as payment_id from boletos
       where merchant_id = $1 and state = s.state and ${WAS_ASKED} and amount > 0 and ${IS_SHOWN_AS}`;

/** What was given back in part, by the condition of an index. A further payment of a Pix does not count. */
export const IS_PARTLY_RETURNED = 'is_partly_returned';
/**
 * A Pix is paid within 1,900 days of its request: it is due 1,825 days later at most, and ends 60 days after.
 * Users of this text add the range, on `requested_at` and `pix_id`, and end with `limit 1) p`.
 */
export const PARTLY_RETURNED_PIX = `select p.requested_at as sold_at, p.pix_id as payment_id, 'pix' as method
     from (
       select pix_id, end_to_end_id from pix_payments
       where merchant_id = $1 and returned_amount > 0 and returned_amount < amount and paid_at >= $4::timestamptz
         and paid_at < $5::timestamptz + interval '1900 days'
     ) y cross join lateral (
       select requested_at, pix_id from pix_charges
       where merchant_id = $1 and pix_id = y.pix_id and end_to_end_id = y.end_to_end_id and state = 'paid'
         and state = any ($8::text[]) and ${WAS_ASKED}`;

/** The key of a row, in the words of the list. */
export const CARD_KEY = `sold_at, transaction_id as payment_id, 'card' as method`;
export const PIX_KEY = `requested_at as sold_at, pix_id as payment_id, 'pix' as method`;
export const BOLETO_KEY = `requested_at as sold_at, boleto_id as payment_id, 'boleto' as method`;

/**
 * Decided sales of the states `$6`. Sales of the states `charging` and `unresolved` are always under way:
 * where only such are wanted PostgreSQL leaves the whole branch out, and looks through no sale in vain.
 */
export const DECIDED_OF_STATES = `${DECIDED} and not $6::text[] <@ '{charging,unresolved}'`;

export function hasRanges({ states, installmentStates }: WantedStates): boolean {
  const isAsSold = states.includes('approved') && installmentStates.includes('authorized');
  return !states.includes('charging') && !isAsSold;
}

const METHOD = rowCodec({ method: column.oneOf(METHODS) }, 'g');

/** For the page `g` of `payment_id` and `method`: each row from its own table, by its key. */
export const SHOWN_COLUMNS = `${METHOD.columns}, ${OWN_COLUMNS}, x.*, y.*`;
export const SHOWN_ROWS = `left join lateral (
     select * from transactions where g.method = 'card' and merchant_id = $1 and transaction_id = g.payment_id limit 1
   ) t on true cross join ${INSTALLMENTS} left join lateral (
     select ${SHOWN_PIX.columns} from pix_charges p
     where g.method = 'pix' and p.merchant_id = $1 and p.pix_id = g.payment_id limit 1
   ) x on true left join lateral (
     select ${SHOWN_BOLETO.columns} from boletos b
     where g.method = 'boleto' and b.merchant_id = $1 and b.boleto_id = g.payment_id limit 1
   ) y on true`;

/** `parseCard`: reads the selected columns of a card payment. */
export function parseShown<Card extends Parameters<typeof paymentOf>[0]>(
  row: Row,
  parseCard: (row: Row) => Card,
): ListedPayment<Card> {
  const { method } = METHOD.parse(row);
  switch (method) {
    case 'card':
      return { method, ...paymentOf(parseCard(row)) };
    case 'pix':
      return { method, pix: parseShownPix(row) };
    case 'boleto':
      return { method, boleto: parseShownBoleto(row) };
  }
}

/** Values of $4 and $5 in the statements that find payments. */
export function daysOf({ soldFrom, soldBefore }: PaymentFilter): readonly [string, string] {
  const textOf = (moment: Instant | null, otherwise: string) =>
    moment === null ? otherwise : utcText(moment);
  return [textOf(soldFrom, '-infinity'), textOf(soldBefore, 'infinity')];
}

/** The values `$6` to `$10`. */
export function statesOf(wanted: WantedStates): unknown[] {
  const { states, installmentStates, pixStates, boletoStates, shownAs } = wanted;
  return [states, installmentStates, pixStates, boletoStates, shownAs];
}
