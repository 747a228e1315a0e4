import { type Reader, type Row, type Statement, statement } from '../platform/postgres/database.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';
import type { Transaction } from './transaction.ts';
import { DECIDED, INSTALLMENTS, OWN_COLUMNS, parseOwn, UNDER_WAY } from './transaction-queries.sql.ts';
import type { TransactionWalk, WantedTransactions } from './transaction-search.ts';
import { daysOf, hasStretches, OF_STRETCHES } from './transaction-searches.sql.ts';

type Place = {
  /** As PostgreSQL writes it, so that it is exact, whatever wrote the row. */
  readonly soldAtText: string;
  readonly transactionId: string;
};

/** Without shares: a page of sales may have millions. */
export type WalkedTransaction = Omit<Transaction, 'shares'> & { readonly place: Place };

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

type Walk = { readonly rising: Statement; readonly falling: Statement };

const PLACE = rowCodec({ soldAtText: column.text('g.sold_at::text') });

const SHOWN = `select ${PLACE.columns}, ${OWN_COLUMNS}
   from page g cross join lateral (
     select * from transactions where merchant_id = $1 and transaction_id = g.transaction_id limit 1
   ) t cross join ${INSTALLMENTS}`;
const KEYS = 'select sold_at, transaction_id from transactions where merchant_id = $1';
const OF_STATES = 'state = any ($6::text[]) and installments_state = any ($7::text[])';

/** After a page the start ($4 rising, $5 falling) becomes the moment of the last row, and $3 its id. */
const BEHIND = '(sold_at, transaction_id) > ($4::timestamptz, $3::uuid) and sold_at < $5::timestamptz';
const BEFORE = '(sold_at, transaction_id) < ($5::timestamptz, $3::uuid) and sold_at >= $4::timestamptz';
const RISING = 'order by sold_at, transaction_id limit $2::bigint';
const FALLING = 'order by sold_at desc, transaction_id desc limit $2::bigint';
const SHOWN_RISING = `${SHOWN} order by g.sold_at, g.transaction_id`;
const SHOWN_FALLING = `${SHOWN} order by g.sold_at desc, g.transaction_id desc`;

const RISING_DAYS = `${KEYS} and ${BEHIND} and ${OF_STATES}`;
const FALLING_DAYS = `${KEYS} and ${BEFORE} and ${OF_STATES}`;
const OF_CARD = 'card_last_four = $8';

const BY_DAY: Walk = {
  rising: statement(
    'transactions.walk_by_day_up',
    `with page as (select * from (
       (${RISING_DAYS} and ${DECIDED} ${RISING}) union all (${RISING_DAYS} and ${UNDER_WAY} ${RISING})
     ) o ${RISING}) ${SHOWN_RISING}`,
  ),
  falling: statement(
    'transactions.walk_by_day_down',
    `with page as (select * from (
       (${FALLING_DAYS} and ${DECIDED} ${FALLING}) union all (${FALLING_DAYS} and ${UNDER_WAY} ${FALLING})
     ) o ${FALLING}) ${SHOWN_FALLING}`,
  ),
};

const OF_LAST_FOUR: Walk = {
  rising: statement(
    'transactions.walk_of_last_four_up',
    `with page as (select * from (
       (${RISING_DAYS} and ${OF_CARD} and ${DECIDED} ${RISING})
       union all (${RISING_DAYS} and ${OF_CARD} and ${UNDER_WAY} ${RISING})
     ) o ${RISING}) ${SHOWN_RISING}`,
  ),
  falling: statement(
    'transactions.walk_of_last_four_down',
    `with page as (select * from (
       (${FALLING_DAYS} and ${OF_CARD} and ${DECIDED} ${FALLING})
       union all (${FALLING_DAYS} and ${OF_CARD} and ${UNDER_WAY} ${FALLING})
     ) o ${FALLING}) ${SHOWN_FALLING}`,
  ),
};

const OF_STATUS: Walk = {
  rising: statement(
    'transactions.walk_of_status_up',
    `with page as (${OF_STRETCHES} and ${BEHIND} ${RISING}) o ${RISING}) ${SHOWN_RISING}`,
  ),
  falling: statement(
    'transactions.walk_of_status_down',
    `with page as (${OF_STRETCHES} and ${BEFORE} ${FALLING}) o ${FALLING}) ${SHOWN_FALLING}`,
  ),
};

/** Uses the index of references: `coalesce` rules out an index by day, which needs the bare column. */
const OF_REFERENCE_ROWS = `reference_transaction = $9 and ($8::text is null or card_last_four = $8)
     and state = any ($6::text[]) and coalesce(installments_state, '') = any ($7::text[])`;

const OF_REFERENCE: Walk = {
  rising: statement(
    'transactions.walk_of_reference_up',
    `with page as (${KEYS} and ${BEHIND} and ${OF_REFERENCE_ROWS} ${RISING}) ${SHOWN_RISING}`,
  ),
  falling: statement(
    'transactions.walk_of_reference_down',
    `with page as (${KEYS} and ${BEFORE} and ${OF_REFERENCE_ROWS} ${FALLING}) ${SHOWN_FALLING}`,
  ),
};

/** `after` null: from the beginning. No row comes twice, however many are written meanwhile. */
export async function walkTransactions(
  database: Reader,
  merchantId: string,
  wanted: WantedTransactions & { readonly walk: TransactionWalk },
  after: Place | null,
  limit: number,
): Promise<WalkedTransaction[]> {
  const [statements, values] = walkOf(wanted, after);
  const walked = wanted.order.isDescending ? statements.falling : statements.rising;
  return (await database.query(walked, [merchantId, limit, ...values])).map(parseWalked);
}

/** $3 to $9, as far as used. The first id is below any: the start of the days is included, the end not. */
function walkOf(
  wanted: WantedTransactions & { readonly walk: TransactionWalk },
  after: Place | null,
): readonly [Walk, readonly unknown[]] {
  const [from, before, states, installmentStates, lastFour] = daysOf(wanted);
  const { isDescending } = wanted.order;
  const days = isDescending ? [from, after?.soldAtText ?? before] : [after?.soldAtText ?? from, before];
  const values = [after?.transactionId ?? FIRST_ID, ...days, states, installmentStates];
  if (wanted.walk === 'ofReference')
    return [OF_REFERENCE, [...values, lastFour, wanted.referenceTransaction]];
  if (lastFour !== null) return [OF_LAST_FOUR, [...values, lastFour]];
  return [hasStretches(wanted) ? OF_STATUS : BY_DAY, values];
}

function parseWalked(row: Row): WalkedTransaction {
  const own = parseOwn(row);
  return { ...own, place: { ...PLACE.parse(row), transactionId: own.transactionId } };
}
