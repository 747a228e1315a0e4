import type { Page, TooManyToOrder } from '../platform/pages.ts';
import type { Reader, Row } from '../platform/postgres/database.ts';
import { itemsOf, type PageStatements, pageOf, readPageOf } from '../platform/postgres/page-of.ts';
import { column, listsCodec, rowCodec } from '../platform/postgres/row-codec.ts';
import { type Instant, utcText } from '../values/instant.ts';
import type { ShareTotal } from './split.ts';
import type { ListedTransaction } from './transaction.ts';
import { DECIDED, INSTALLMENTS, OWN_COLUMNS, parseOwn, UNDER_WAY } from './transaction-queries.sql.ts';
import {
  keyToLookUp,
  TRANSACTION_KEYS,
  type TransactionFilter,
  transactionSearchKind,
  type WantedTransactions,
} from './transaction-search.ts';

const TOTALS = listsCodec<ShareTotal>(
  { position: column.whole(), amount: column.money(), canceledAmount: column.money() },
  'share',
  's',
);

/** Shares are added up by the database: a page can have 100 sales, and a sale 9,900 shares. */
const LISTED = `${OWN_COLUMNS}, ${TOTALS.columns}
   from page g cross join lateral (
     select * from transactions where merchant_id = $1 and transaction_id = g.transaction_id limit 1
   ) t cross join ${INSTALLMENTS} cross join lateral (
     select array_agg(position order by position) as share_position, array_agg(amount order by position) as share_amount,
       array_agg(canceled_amount order by position) as share_canceled_amount
     from (
       select position, sum(amount)::bigint as amount, sum(canceled_amount)::bigint as canceled_amount
       from shares where merchant_id = t.merchant_id and transaction_id = t.transaction_id
       group by position
     ) by_position
   ) s`;

const OF_REFERENCE = 'from transactions where merchant_id = $1 and reference_transaction = $4';

/** For the count: only the index in this order can answer it, however few rows there are. */
const IN_ORDER = 'order by sold_at, transaction_id';

const OF_REFERENCE_BY_DAY = pageOf({
  name: 'transactions.list_of_reference',
  before: `counted as materialized (select count(*) as total from (select ${OF_REFERENCE} ${IN_ORDER} {counted}) c)`,
  keys: `select sold_at, transaction_id ${OF_REFERENCE}`,
  key: 'transaction_id',
  order: ['sold_at', 'transaction_id'],
  shown: LISTED,
});

/** A range of the index by day. Counting reads only the index. */
const OF_DAYS = `from transactions where merchant_id = $1 and sold_at >= $4::timestamptz
  and sold_at < $5::timestamptz and state = any ($6::text[]) and installments_state = any ($7::text[])`;

const TO_SHOW = 'order by {order} limit $2::bigint + $3::bigint';

const BY_DAY = pageOf({
  name: 'transactions.list_by_day',
  before: `counted as materialized (
     select count(*) as total from (
       (select 1 ${OF_DAYS} and ${DECIDED} ${IN_ORDER} {counted})
       union all (select 1 ${OF_DAYS} and ${UNDER_WAY} ${IN_ORDER} {counted}) {counted}
     ) c
   )`,
  keys: `select * from (
       (select sold_at, transaction_id ${OF_DAYS} and ${DECIDED} ${TO_SHOW})
       union all (select sold_at, transaction_id ${OF_DAYS} and ${UNDER_WAY} ${TO_SHOW})
     ) o`,
  key: 'transaction_id',
  order: ['sold_at', 'transaction_id'],
  shown: LISTED,
});

/** One card, or the few with the same last digits. Uses the index that begins with these digits. */
const OF_CARD = `${OF_DAYS} and card_last_four = $8`;

const BY_LAST_FOUR = pageOf({
  name: 'transactions.list_of_last_four',
  before: `counted as materialized (
     select count(*) as total from (
       (select 1 ${OF_CARD} and ${DECIDED} ${IN_ORDER} {counted})
       union all (select 1 ${OF_CARD} and ${UNDER_WAY} ${IN_ORDER} {counted}) {counted}
     ) c
   )`,
  keys: `select * from (
       (select sold_at, transaction_id ${OF_CARD} and ${DECIDED} ${TO_SHOW})
       union all (select sold_at, transaction_id ${OF_CARD} and ${UNDER_WAY} ${TO_SHOW})
     ) o`,
  key: 'transaction_id',
  order: ['sold_at', 'transaction_id'],
  shown: LISTED,
});

/** The index by status: all but sales being charged, and approved ones that are as they were sold. */
const HAS_STRETCH = `state <> 'charging' and (state <> 'approved' or installments_state <> 'authorized')`;

/**
 * Each status is a range of that index; of each as many keys are read as the page needs in all. What follows
 * adds the days, or the part of them after a place, and ends with `) o`.
 */
export const OF_STRETCHES = `select o.sold_at, o.transaction_id
   from unnest($6::text[]) s(state) cross join unnest($7::text[]) i(installments_state) cross join lateral (
     select sold_at, transaction_id from transactions
     where merchant_id = $1 and state = s.state and installments_state = i.installments_state and ${HAS_STRETCH}`;
const WITHIN_DAYS = 'sold_at >= $4::timestamptz and sold_at < $5::timestamptz';

const BY_STATUS = pageOf({
  name: 'transactions.list_of_status',
  before: `counted as materialized (
     select count(*) as total from (
       ${OF_STRETCHES} and ${WITHIN_DAYS} ${IN_ORDER} {counted}) o {counted}
     ) c
   )`,
  keys: `${OF_STRETCHES} and ${WITHIN_DAYS} order by {order} limit $2::bigint + $3::bigint) o`,
  key: 'transaction_id',
  order: ['sold_at', 'transaction_id'],
  shown: LISTED,
});

const LOOKED_AT = `transaction_id, state, installments_state, sold_at, amount, card_last_four, nsu,
  authorization_code, vault_id, origin, reference_transaction, anti_fraud_verdict`;

const OF_KEY = `select ${LOOKED_AT} from transactions where merchant_id = $1`;
const OF_VAULT_CARD = `${OF_KEY} and vault_id = $12::uuid and amount > 0 and $14 = 'vaultId'`;
const SORTED_DAYS = `select ${LOOKED_AT} ${OF_DAYS} and $14 = 'days' and $8::text is null`;
const SORTED_CARD = `select ${LOOKED_AT} ${OF_CARD} and $14 = 'days'`;

/**
 * For orders without an index, and filters beside a key. Reads all rows of one key ($14 says which), or of
 * the days if there is none. Sorts nothing if there are more than the bound ($16). Rows without a value come
 * last.
 */
const SORTED = pageOf({
  name: 'transactions.list_sorted',
  before: `looked_at as materialized (
     select * from (
       ${OF_KEY} and nsu = $9 and $14::text = 'nsu'
       union all ${OF_KEY} and authorization_code = $10 and $14 = 'authorizationCode'
       union all ${OF_KEY} and reference_transaction = $11 and $14 = 'billingId'
       union all ${OF_VAULT_CARD} and ${DECIDED} union all ${OF_VAULT_CARD} and ${UNDER_WAY}
       union all ${OF_KEY} and reference_transaction = $13 and $14 = 'referenceTransaction'
       union all ${SORTED_DAYS} and ${DECIDED} union all ${SORTED_DAYS} and ${UNDER_WAY}
       union all ${SORTED_CARD} and ${DECIDED} union all ${SORTED_CARD} and ${UNDER_WAY}
     ) o limit $16::bigint + 1
   ), found as materialized (
     select * from looked_at
     where sold_at >= $4::timestamptz and sold_at < $5::timestamptz and state = any ($6::text[])
       and installments_state = any ($7::text[]) and ($8::text is null or card_last_four = $8)
       and ($9::text is null or nsu = $9) and ($10::text is null or authorization_code = $10)
       and ($11::text is null or (origin = 'billing' and reference_transaction = $11))
       and ($12::uuid is null or vault_id = $12) and ($13::text is null or reference_transaction = $13)
   ), counted as materialized (
     select (select count(*) from found) as total, (select count(*) from looked_at) as looked_at
   )`,
  keys: `select transaction_id,
       case $15::text when 'amount' then amount
         when 'soldAt' then (extract(epoch from sold_at) * 1000000)::bigint end as number,
       (case $15::text when 'nsu' then nsu when 'authorizationCode' then authorization_code
         when 'verdict' then anti_fraud_verdict end) collate "C" as word
     from found where (select looked_at from counted) <= $16::bigint`,
  key: 'transaction_id',
  order: ['number nulls last', 'word nulls last', 'transaction_id'],
  shown: LISTED,
});

const LOOKED = rowCodec({ lookedAt: column.whole() });

/** Page and total are of one moment. At most `mostSorted` rows are read to be sorted. */
export async function searchTransactions(
  database: Reader,
  merchantId: string,
  wanted: WantedTransactions,
  mostSorted: number,
): Promise<Page<ListedTransaction> | TooManyToOrder> {
  const kind = transactionSearchKind(wanted);
  if (kind === 'sorted') {
    const values = [...daysOf(wanted), ...keysOf(wanted), wanted.order.field, mostSorted];
    const found = await readPageOf(database, SORTED, merchantId, wanted, values);
    const { lookedAt } = LOOKED.parse(found.counted);
    return lookedAt > mostSorted ? 'tooManyToOrder' : itemsOf(found, null, parseListed);
  }
  const [list, values] = listOf(kind, wanted);
  return itemsOf(await readPageOf(database, list, merchantId, wanted, values), null, parseListed);
}

function listOf(
  kind: 'byDay' | 'ofReference',
  wanted: WantedTransactions,
): readonly [PageStatements, readonly unknown[]] {
  if (kind === 'ofReference') return [OF_REFERENCE_BY_DAY, [wanted.referenceTransaction]];
  const days = daysOf(wanted);
  if (wanted.lastFour !== null) return [BY_LAST_FOUR, days];
  return [hasStretches(wanted) ? BY_STATUS : BY_DAY, days.slice(0, -1)];
}

/** Whether the index by status has everything that is searched for. */
export function hasStretches({
  states,
  installmentStates,
}: Pick<TransactionFilter, 'states' | 'installmentStates'>): boolean {
  const isAsSold = states.includes('approved') && installmentStates.includes('authorized');
  return !states.includes('charging') && !isAsSold;
}

/** $4 to $8. */
export function daysOf(wanted: TransactionFilter): unknown[] {
  const { soldFrom, soldBefore, states, installmentStates, lastFour } = wanted;
  const textOf = (moment: Instant | null, otherwise: string) =>
    moment === null ? otherwise : utcText(moment);
  return [textOf(soldFrom, '-infinity'), textOf(soldBefore, 'infinity'), states, installmentStates, lastFour];
}

/** $9 to $14. */
function keysOf(wanted: TransactionFilter): unknown[] {
  return [...TRANSACTION_KEYS.map((key) => wanted[key]), keyToLookUp(wanted) ?? 'days'];
}

function parseListed(row: Row): ListedTransaction {
  return { ...parseOwn(row), shareTotals: TOTALS.parse(row) };
}
