import { type Reader, type Row, type Statement, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { DECIDED, parseOwn, UNDER_WAY } from '../../transactions/transaction-queries.sql.ts';
import type { ListedPayment } from '../payment.ts';
import {
  BOLETO_KEY,
  BOLETO_RANGES,
  CARD_KEY,
  CARD_RANGES,
  daysOf,
  hasRanges,
  IS_PARTLY_RETURNED,
  IS_SHOWN_AS,
  PARTLY_RETURNED_PIX,
  PIX_KEY,
  PIX_RANGES,
  parseShown,
  SHOWN_COLUMNS,
  SHOWN_ROWS,
  statesOf,
  WAS_ASKED,
} from './found-payments.sql.ts';
import type { PaymentWalk, WantedPayments } from './payment-search.ts';

type Place = {
  /** As PostgreSQL writes it, so that it is exact, whatever wrote the row. */
  readonly soldAtText: string;
  readonly paymentId: string;
};

/** Without shares: a page of sales may have millions. */
export type WalkedPayment = ListedPayment<Omit<Transaction, 'shares'>> & { readonly place: Place };

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

type Walk = { readonly rising: Statement; readonly falling: Statement };

const PLACE = rowCodec({
  soldAtText: column.text('g.sold_at::text'),
  paymentId: column.text('g.payment_id'),
});

const SHOWN = `select ${PLACE.columns}, ${SHOWN_COLUMNS} from page g ${SHOWN_ROWS}`;

/** After a page the start ($4 rising, $5 falling) becomes the moment of the last row, and $3 its id. */
const BEHIND = '(sold_at, transaction_id) > ($4::timestamptz, $3::uuid) and sold_at < $5::timestamptz';
const BEFORE = '(sold_at, transaction_id) < ($5::timestamptz, $3::uuid) and sold_at >= $4::timestamptz';
const PIX_BEHIND = '(requested_at, pix_id) > ($4::timestamptz, $3::uuid) and requested_at < $5::timestamptz';
const PIX_BEFORE = '(requested_at, pix_id) < ($5::timestamptz, $3::uuid) and requested_at >= $4::timestamptz';
const BOLETO_BEHIND =
  '(requested_at, boleto_id) > ($4::timestamptz, $3::uuid) and requested_at < $5::timestamptz';
const BOLETO_BEFORE =
  '(requested_at, boleto_id) < ($5::timestamptz, $3::uuid) and requested_at >= $4::timestamptz';
const RISING = 'order by sold_at, payment_id limit $2::bigint';
const FALLING = 'order by sold_at desc, payment_id desc limit $2::bigint';
const SHOWN_RISING = `${SHOWN} order by g.sold_at, g.payment_id`;
const SHOWN_FALLING = `${SHOWN} order by g.sold_at desc, g.payment_id desc`;

const OTHERS_RISING = `${PIX_RANGES} and ${PIX_BEHIND} ${RISING}) o)
     union all ${BOLETO_RANGES} and ${BOLETO_BEHIND} ${RISING}) o)`;
const OTHERS_FALLING = `${PIX_RANGES} and ${PIX_BEFORE} ${FALLING}) o)
     union all ${BOLETO_RANGES} and ${BOLETO_BEFORE} ${FALLING}) o)`;

const CARDS = `select ${CARD_KEY} from transactions where merchant_id = $1`;
const OF_STATES = 'state = any ($6::text[]) and installments_state = any ($7::text[])';
const RISING_DAYS = `${CARDS} and ${BEHIND} and ${OF_STATES}`;
const FALLING_DAYS = `${CARDS} and ${BEFORE} and ${OF_STATES}`;
const OF_CARD = 'card_last_four = $11';

const BY_DAY: Walk = {
  rising: statement(
    'payments.walk_by_day_up',
    `with page as (select * from (
       (${RISING_DAYS} and ${DECIDED} ${RISING}) union all (${RISING_DAYS} and ${UNDER_WAY} ${RISING})
       union all ${OTHERS_RISING}
     ) o ${RISING}) ${SHOWN_RISING}`,
  ),
  falling: statement(
    'payments.walk_by_day_down',
    `with page as (select * from (
       (${FALLING_DAYS} and ${DECIDED} ${FALLING}) union all (${FALLING_DAYS} and ${UNDER_WAY} ${FALLING})
       union all ${OTHERS_FALLING}
     ) o ${FALLING}) ${SHOWN_FALLING}`,
  ),
};

const OF_LAST_FOUR: Walk = {
  rising: statement(
    'payments.walk_of_last_four_up',
    `with page as (select * from (
       (${RISING_DAYS} and ${OF_CARD} and ${DECIDED} ${RISING})
       union all (${RISING_DAYS} and ${OF_CARD} and ${UNDER_WAY} ${RISING})
       union all ${OTHERS_RISING}
     ) o ${RISING}) ${SHOWN_RISING}`,
  ),
  falling: statement(
    'payments.walk_of_last_four_down',
    `with page as (select * from (
       (${FALLING_DAYS} and ${OF_CARD} and ${DECIDED} ${FALLING})
       union all (${FALLING_DAYS} and ${OF_CARD} and ${UNDER_WAY} ${FALLING})
       union all ${OTHERS_FALLING}
     ) o ${FALLING}) ${SHOWN_FALLING}`,
  ),
};

const OF_STATUS: Walk = {
  rising: statement(
    'payments.walk_of_status_up',
    `with page as (select * from (
       ${CARD_RANGES} and ${BEHIND} ${RISING}) o) union all ${OTHERS_RISING}
     ) o ${RISING}) ${SHOWN_RISING}`,
  ),
  falling: statement(
    'payments.walk_of_status_down',
    `with page as (select * from (
       ${CARD_RANGES} and ${BEFORE} ${FALLING}) o) union all ${OTHERS_FALLING}
     ) o ${FALLING}) ${SHOWN_FALLING}`,
  ),
};

const PARTLY_RISING = `(${RISING_DAYS} and ${IS_PARTLY_RETURNED} ${RISING})
     union all (${PARTLY_RETURNED_PIX} and ${PIX_BEHIND} limit 1) p ${RISING})`;
const PARTLY_FALLING = `(${FALLING_DAYS} and ${IS_PARTLY_RETURNED} ${FALLING})
     union all (${PARTLY_RETURNED_PIX} and ${PIX_BEFORE} limit 1) p ${FALLING})`;

const PARTLY_RETURNED: Walk = {
  rising: statement(
    'payments.walk_partly_returned_up',
    `with page as (select * from (${PARTLY_RISING}) o ${RISING}) ${SHOWN_RISING}`,
  ),
  falling: statement(
    'payments.walk_partly_returned_down',
    `with page as (select * from (${PARTLY_FALLING}) o ${FALLING}) ${SHOWN_FALLING}`,
  ),
};

/** Uses the indexes of references: `coalesce` rules out one by day, which needs the bare column. */
const CARDS_OF_REFERENCE = `${CARDS} and reference_transaction = $12 and ($11::text is null or card_last_four = $11)
     and state = any ($6::text[]) and coalesce(installments_state, '') = any ($7::text[])`;
const PIX_OF_REFERENCE = `select ${PIX_KEY} from pix_charges
     where merchant_id = $1 and reference_transaction = $12 and state = any ($8::text[]) and ${WAS_ASKED}`;
const BOLETOS_OF_REFERENCE = `select ${BOLETO_KEY} from boletos
     where merchant_id = $1 and reference_transaction = $12 and state = any ($9::text[])
       and ${WAS_ASKED} and ${IS_SHOWN_AS}`;

const OF_REFERENCE: Walk = {
  rising: statement(
    'payments.walk_of_reference_up',
    `with page as (select * from (
       (${CARDS_OF_REFERENCE} and ${DECIDED} and ${BEHIND} ${RISING})
       union all (${CARDS_OF_REFERENCE} and ${UNDER_WAY} and ${BEHIND} ${RISING})
       union all (${PIX_OF_REFERENCE} and ${PIX_BEHIND} ${RISING})
       union all (${BOLETOS_OF_REFERENCE} and ${BOLETO_BEHIND} ${RISING})
     ) o ${RISING}) ${SHOWN_RISING}`,
  ),
  falling: statement(
    'payments.walk_of_reference_down',
    `with page as (select * from (
       (${CARDS_OF_REFERENCE} and ${DECIDED} and ${BEFORE} ${FALLING})
       union all (${CARDS_OF_REFERENCE} and ${UNDER_WAY} and ${BEFORE} ${FALLING})
       union all (${PIX_OF_REFERENCE} and ${PIX_BEFORE} ${FALLING})
       union all (${BOLETOS_OF_REFERENCE} and ${BOLETO_BEFORE} ${FALLING})
     ) o ${FALLING}) ${SHOWN_FALLING}`,
  ),
};

/** `after` null: from the beginning. No row comes twice, however many are written meanwhile. */
export async function walkPayments(
  database: Reader,
  merchantId: string,
  wanted: WantedPayments & { readonly walk: PaymentWalk },
  after: Place | null,
  limit: number,
): Promise<WalkedPayment[]> {
  const [statements, values] = walkOf(wanted, after);
  const walked = wanted.order.isDescending ? statements.falling : statements.rising;
  return (await database.query(walked, [merchantId, limit, ...values])).map(parseWalked);
}

/** $3 to $8. */
const PARTLY_VALUES = 6;

/** $3 to $12, as far as used. The first id is below any: the start of the days is included, the end not. */
function walkOf(
  wanted: WantedPayments & { readonly walk: PaymentWalk },
  after: Place | null,
): readonly [Walk, readonly unknown[]] {
  const [from, before] = daysOf(wanted);
  const { lastFour, order } = wanted;
  const days = order.isDescending ? [from, after?.soldAtText ?? before] : [after?.soldAtText ?? from, before];
  const values = [after?.paymentId ?? FIRST_ID, ...days, ...statesOf(wanted)];
  if (wanted.walk === 'ofReference')
    return [OF_REFERENCE, [...values, lastFour, wanted.referenceTransaction]];
  if (wanted.walk === 'partlyReturned') return [PARTLY_RETURNED, values.slice(0, PARTLY_VALUES)];
  if (lastFour !== null) return [OF_LAST_FOUR, [...values, lastFour]];
  return [hasRanges(wanted) ? OF_STATUS : BY_DAY, values];
}

function parseWalked(row: Row): WalkedPayment {
  return { ...parseShown<Omit<Transaction, 'shares'>>(row, parseOwn), place: PLACE.parse(row) };
}
