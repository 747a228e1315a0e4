import type { Page, TooManyToOrder } from '../../platform/pages.ts';
import type { Reader, Row } from '../../platform/postgres/database.ts';
import { itemsOf, type PageStatements, pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import { column, listsCodec, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { ShareTotal } from '../../transactions/split.ts';
import type { ListedTransaction } from '../../transactions/transaction.ts';
import { DECIDED, parseOwn, UNDER_WAY } from '../../transactions/transaction-queries.sql.ts';
import type { ListedPayment } from '../payment.ts';
import {
  BOLETO_KEY,
  BOLETO_RANGES,
  CARD_KEY,
  CARD_RANGES,
  DECIDED_OF_STATES,
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
import {
  keyToLookUp,
  PAYMENT_KEYS,
  type PaymentSearchKind,
  paymentSearchKind,
  type WantedPayments,
} from './payment-search.ts';

const TOTALS = listsCodec<ShareTotal>(
  { position: column.whole(), amount: column.money(), canceledAmount: column.money() },
  'share',
  's',
);

/** The database adds up shares: a page can have 100 sales, and a sale 9,900 shares. */
const LISTED = `${SHOWN_COLUMNS}, ${TOTALS.columns} from page g ${SHOWN_ROWS} cross join lateral (
     select array_agg(position order by position) as share_position, array_agg(amount order by position) as share_amount,
       array_agg(canceled_amount order by position) as share_canceled_amount
     from (
       select position, sum(amount)::bigint as amount, sum(canceled_amount)::bigint as canceled_amount
       from shares where merchant_id = t.merchant_id and transaction_id = t.transaction_id
       group by position
     ) by_position
   ) s`;

/** For the count: only the index in this order can answer it, however few rows there are. */
const TO_COUNT = 'order by sold_at, payment_id {counted}';
/** Reads of each method as many as the page needs in all; then they are merged. */
const TO_SHOW = 'order by {order} limit $2::bigint + $3::bigint';
const OF_DAYS = 'sold_at >= $4::timestamptz and sold_at < $5::timestamptz';
const REQUESTED = 'requested_at >= $4::timestamptz and requested_at < $5::timestamptz';

const OTHERS_TO_COUNT = `${PIX_RANGES} and ${REQUESTED} ${TO_COUNT}) o)
     union all ${BOLETO_RANGES} and ${REQUESTED} ${TO_COUNT}) o)`;
const OTHERS_TO_SHOW = `${PIX_RANGES} and ${REQUESTED} ${TO_SHOW}) o)
     union all ${BOLETO_RANGES} and ${REQUESTED} ${TO_SHOW}) o)`;

/** A range of the index by day. Counting reads only the index. */
const CARDS_OF_DAYS = `from transactions where merchant_id = $1 and ${OF_DAYS}
  and state = any ($6::text[]) and installments_state = any ($7::text[])`;
/** One card, or the few with the same last digits. Uses the index that begins with these digits. */
const CARDS_OF_LAST_FOUR = `${CARDS_OF_DAYS} and card_last_four = $11`;

const BY_DAY = pageOf({
  name: 'payments.list_by_day',
  before: `counted as materialized (
     select count(*) as total from (
       (select ${CARD_KEY} ${CARDS_OF_DAYS} and ${DECIDED_OF_STATES} ${TO_COUNT})
       union all (select ${CARD_KEY} ${CARDS_OF_DAYS} and ${UNDER_WAY} ${TO_COUNT})
       union all ${OTHERS_TO_COUNT} {counted}
     ) c
   )`,
  keys: `select * from (
       (select ${CARD_KEY} ${CARDS_OF_DAYS} and ${DECIDED_OF_STATES} ${TO_SHOW})
       union all (select ${CARD_KEY} ${CARDS_OF_DAYS} and ${UNDER_WAY} ${TO_SHOW})
       union all ${OTHERS_TO_SHOW}
     ) o`,
  key: 'method, payment_id',
  order: ['sold_at', 'payment_id'],
  shown: LISTED,
});

const BY_LAST_FOUR = pageOf({
  name: 'payments.list_of_last_four',
  before: `counted as materialized (
     select count(*) as total from (
       (select ${CARD_KEY} ${CARDS_OF_LAST_FOUR} and ${DECIDED_OF_STATES} ${TO_COUNT})
       union all (select ${CARD_KEY} ${CARDS_OF_LAST_FOUR} and ${UNDER_WAY} ${TO_COUNT})
       union all ${OTHERS_TO_COUNT} {counted}
     ) c
   )`,
  keys: `select * from (
       (select ${CARD_KEY} ${CARDS_OF_LAST_FOUR} and ${DECIDED_OF_STATES} ${TO_SHOW})
       union all (select ${CARD_KEY} ${CARDS_OF_LAST_FOUR} and ${UNDER_WAY} ${TO_SHOW})
       union all ${OTHERS_TO_SHOW}
     ) o`,
  key: 'method, payment_id',
  order: ['sold_at', 'payment_id'],
  shown: LISTED,
});

const BY_STATUS = pageOf({
  name: 'payments.list_of_status',
  before: `counted as materialized (
     select count(*) as total from (
       ${CARD_RANGES} and ${OF_DAYS} ${TO_COUNT}) o) union all ${OTHERS_TO_COUNT} {counted}
     ) c
   )`,
  keys: `select * from (${CARD_RANGES} and ${OF_DAYS} ${TO_SHOW}) o) union all ${OTHERS_TO_SHOW}) o`,
  key: 'method, payment_id',
  order: ['sold_at', 'payment_id'],
  shown: LISTED,
});

const PARTLY_CARDS = `select ${CARD_KEY} ${CARDS_OF_DAYS} and ${IS_PARTLY_RETURNED}`;
const PARTLY_PIX = `${PARTLY_RETURNED_PIX} and ${REQUESTED} limit 1) p`;

const PARTLY_RETURNED = pageOf({
  name: 'payments.list_partly_returned',
  before: `counted as materialized (
     select count(*) as total from (
       (${PARTLY_CARDS} ${TO_COUNT}) union all (${PARTLY_PIX} ${TO_COUNT}) {counted}
     ) c
   )`,
  keys: `select * from ((${PARTLY_CARDS} ${TO_SHOW}) union all (${PARTLY_PIX} ${TO_SHOW})) o`,
  key: 'method, payment_id',
  order: ['sold_at', 'payment_id'],
  shown: LISTED,
});

const CARDS_OF_REFERENCE = `select ${CARD_KEY} from transactions where merchant_id = $1 and reference_transaction = $4`;
const PIX_OF_REFERENCE = `select ${PIX_KEY} from pix_charges
       where merchant_id = $1 and reference_transaction = $4 and ${WAS_ASKED}`;
const BOLETOS_OF_REFERENCE = `select ${BOLETO_KEY} from boletos
       where merchant_id = $1 and reference_transaction = $4 and ${WAS_ASKED}`;

const OF_REFERENCE_BY_DAY = pageOf({
  name: 'payments.list_of_reference',
  before: `counted as materialized (
     select count(*) as total from (
       (${CARDS_OF_REFERENCE} and ${DECIDED} ${TO_COUNT})
       union all (${CARDS_OF_REFERENCE} and ${UNDER_WAY} ${TO_COUNT})
       union all (${PIX_OF_REFERENCE} ${TO_COUNT})
       union all (${BOLETOS_OF_REFERENCE} ${TO_COUNT}) {counted}
     ) c
   )`,
  keys: `select * from (
       (${CARDS_OF_REFERENCE} and ${DECIDED} ${TO_SHOW})
       union all (${CARDS_OF_REFERENCE} and ${UNDER_WAY} ${TO_SHOW})
       union all (${PIX_OF_REFERENCE} ${TO_SHOW})
       union all (${BOLETOS_OF_REFERENCE} ${TO_SHOW})
     ) o`,
  key: 'method, payment_id',
  order: ['sold_at', 'payment_id'],
  shown: LISTED,
});

/*
 * $11 to $18: filters beside days and states: lastFour, txid, endToEndId, nsu, authorizationCode, billingId,
 * vaultId, referenceTransaction. $19: the key whose rows are read, or `days`.
 */
const IS_FOUND_CARD = `${OF_DAYS} and state = any ($6::text[]) and installments_state = any ($7::text[])
       and ($11::text is null or card_last_four = $11) and ($14::text is null or nsu = $14)
       and ($15::text is null or authorization_code = $15)
       and ($16::text is null or (origin = 'billing' and reference_transaction = $16))
       and ($17::uuid is null or vault_id = $17) and ($18::text is null or reference_transaction = $18)`;

const OF_CARDS = `select ${CARD_KEY}, amount, nsu, authorization_code, anti_fraud_verdict, ${IS_FOUND_CARD} as is_found
     from transactions where merchant_id = $1`;
const OF_VAULT_CARD = `${OF_CARDS} and vault_id = $17::uuid and amount > 0 and $19 = 'vaultId'`;
const OF_BILLING = `${OF_CARDS} and reference_transaction = $16 and $19 = 'billingId'`;
const OF_REFERENCE = `${OF_CARDS} and reference_transaction = $18 and $19 = 'referenceTransaction'`;
const SORTED_CARDS = `select ${CARD_KEY}, amount, nsu, authorization_code, anti_fraud_verdict, true as is_found`;
const SORTED_DAYS = `${SORTED_CARDS} ${CARDS_OF_DAYS}
     and $19 = 'days' and cardinality($6::text[]) > 0 and $11::text is null`;
const SORTED_LAST_FOUR = `${SORTED_CARDS} ${CARDS_OF_LAST_FOUR} and $19 = 'days'`;

/** A notification of any of its payments brings the nsu of that payment. */
const IS_FOUND_PIX = `${REQUESTED} and state = any ($8::text[]) and ($12::text is null or txid = $12)
       and (coalesce($13::text, $14::text) is null or exists (
         select from pix_payments y where y.merchant_id = $1 and y.pix_id = p.pix_id
           and ($13::text is null or y.end_to_end_id = $13) and ($14::text is null or right(y.end_to_end_id, 20) = $14)
       ))
       and ($16::text is null or (is_collected and reference_transaction = $16))
       and ($18::text is null or reference_transaction = $18)`;
const OF_PIX = `select ${PIX_KEY}, amount, right(end_to_end_id, 20) as nsu, null as authorization_code,
       null as anti_fraud_verdict, ${IS_FOUND_PIX} as is_found
     from pix_charges p where merchant_id = $1 and ${WAS_ASKED} and cardinality($8::text[]) > 0`;
const PAID_BY = 'select pix_id from pix_payments where merchant_id = $1';

const IS_FOUND_BOLETO = `${REQUESTED} and state = any ($9::text[]) and ${IS_SHOWN_AS}
       and ($14::text is null or our_number = $14) and ($18::text is null or reference_transaction = $18)`;
const OF_BOLETOS = `select ${BOLETO_KEY}, amount, our_number as nsu, null as authorization_code,
       null as anti_fraud_verdict, ${IS_FOUND_BOLETO} as is_found
     from boletos where merchant_id = $1 and ${WAS_ASKED} and cardinality($9::text[]) > 0`;

/**
 * For orders without an index, and filters beside a key. Reads all rows of one key, or of the days if there
 * is none. Sorts nothing if there are more than the bound ($21). Rows without a value come last.
 */
const SORTED = pageOf({
  name: 'payments.list_sorted',
  before: `looked_at as materialized (
     select * from (
       ${OF_CARDS} and nsu = $14 and $19::text = 'nsu'
       union all ${OF_CARDS} and authorization_code = $15 and $19 = 'authorizationCode'
       union all ${OF_BILLING} and ${DECIDED} union all ${OF_BILLING} and ${UNDER_WAY}
       union all ${OF_VAULT_CARD} and ${DECIDED} union all ${OF_VAULT_CARD} and ${UNDER_WAY}
       union all ${OF_REFERENCE} and ${DECIDED} union all ${OF_REFERENCE} and ${UNDER_WAY}
       union all ${SORTED_DAYS} and ${DECIDED_OF_STATES} union all ${SORTED_DAYS} and ${UNDER_WAY}
       union all ${SORTED_LAST_FOUR} and ${DECIDED_OF_STATES} union all ${SORTED_LAST_FOUR} and ${UNDER_WAY}
       union all ${OF_PIX} and txid = $12 and $19 = 'txid'
       union all ${OF_PIX} and $19 = 'endToEndId' and pix_id = any (array(
         ${PAID_BY} and right(end_to_end_id, 20) = right($13::text, 20)))
       union all ${OF_PIX} and $19 = 'nsu' and pix_id = any (array(${PAID_BY} and right(end_to_end_id, 20) = $14))
       union all ${OF_PIX} and reference_transaction = $16 and $19 = 'billingId'
       union all ${OF_PIX} and reference_transaction = $18 and $19 = 'referenceTransaction'
       union all ${OF_PIX} and amount > 0 and state = any ($8::text[]) and $19 = 'days' and ${REQUESTED}
       union all ${OF_BOLETOS} and our_number = $14 and $19 = 'nsu'
       union all ${OF_BOLETOS} and reference_transaction = $18 and $19 = 'referenceTransaction'
       union all ${OF_BOLETOS} and amount > 0 and state = any ($9::text[]) and $19 = 'days' and ${REQUESTED}
     ) o limit $21::bigint + 1
   ), found as materialized (
     select * from looked_at where is_found
   ), counted as materialized (
     select (select count(*) from found) as total, (select count(*) from looked_at) as looked_at
   )`,
  keys: `select method, payment_id,
       case $20::text when 'amount' then amount
         when 'soldAt' then (extract(epoch from sold_at) * 1000000)::bigint end as number,
       (case $20::text when 'nsu' then nsu when 'authorizationCode' then authorization_code
         when 'verdict' then anti_fraud_verdict end) collate "C" as word
     from found where (select looked_at from counted) <= $21::bigint`,
  key: 'method, payment_id',
  order: ['number nulls last', 'word nulls last', 'payment_id'],
  shown: LISTED,
});

const LOOKED = rowCodec({ lookedAt: column.whole() });

/** Page and total are of one moment. At most `mostSorted` rows are read to be sorted. */
export async function searchPayments(
  database: Reader,
  merchantId: string,
  wanted: WantedPayments,
  mostSorted: number,
): Promise<Page<ListedPayment> | TooManyToOrder> {
  const kind = paymentSearchKind(wanted);
  if (kind === 'sorted') {
    const values = [...filtersOf(wanted), ...keysOf(wanted), wanted.order.field, mostSorted];
    const found = await readPageOf(database, SORTED, merchantId, wanted, values);
    const { lookedAt } = LOOKED.parse(found.counted);
    return lookedAt > mostSorted ? 'tooManyToOrder' : itemsOf(found, null, parseListed);
  }
  const [list, values] = listOf(kind, wanted);
  return itemsOf(await readPageOf(database, list, merchantId, wanted, values), null, parseListed);
}

function listOf(
  kind: Exclude<PaymentSearchKind, 'sorted'>,
  wanted: WantedPayments,
): readonly [PageStatements, readonly unknown[]] {
  if (kind === 'ofReference') return [OF_REFERENCE_BY_DAY, [wanted.referenceTransaction]];
  if (kind === 'partlyReturned') return [PARTLY_RETURNED, filtersOf(wanted).slice(0, PARTLY_VALUES)];
  if (wanted.lastFour !== null) return [BY_LAST_FOUR, filtersOf(wanted)];
  return [hasRanges(wanted) ? BY_STATUS : BY_DAY, filtersOf(wanted).slice(0, -1)];
}

/** How many values a list of what was given back in part has: `$4` to `$8`, none of boletos. */
const PARTLY_VALUES = 5;

/** The values `$4` to `$11`. */
function filtersOf(wanted: WantedPayments): readonly unknown[] {
  return [...daysOf(wanted), ...statesOf(wanted), wanted.lastFour];
}

/** The values `$12` to `$19`. */
function keysOf(wanted: WantedPayments): readonly unknown[] {
  return [...PAYMENT_KEYS.map((key) => wanted[key]), keyToLookUp(wanted) ?? 'days'];
}

function parseListed(row: Row): ListedPayment {
  return parseShown<ListedTransaction>(row, (card) => ({
    ...parseOwn(card),
    shareTotals: TOTALS.parse(card),
  }));
}
