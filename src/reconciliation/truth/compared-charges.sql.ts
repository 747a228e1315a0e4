import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { TRANSACTION_STATES } from '../../transactions/transaction.ts';
import { DECIDED, NEVER_SENT, UNDER_WAY } from '../../transactions/transaction-queries.sql.ts';
import type { ComparedCharge } from './compared-charge.ts';
import type { ChargePlace, TruthRun } from './truth-run.ts';

const PLACE = '(sold_at, transaction_id) > ($3::timestamptz, $4::uuid)';
const ORDER = 'order by sold_at, transaction_id limit $5';

/**
 * The text of `sold_at` is not named like the column, so that `order by sold_at` takes the column's value.
 */
const PLACED = rowCodec({ transactionId: column.text(), soldText: column.text('sold_at::text') });

/** The condition on `installments_state` lets the planner use the index by day, which has it too. */
const OF_SOLD = `select transaction_id, sold_at from transactions
  where merchant_id = $1 and sold_at >= $2::date::timestamp at time zone 'America/Sao_Paulo'
  and installments_state is not null and ${PLACE}`;
const SOLD = `(${OF_SOLD} and ${DECIDED} ${ORDER})
  union all (${OF_SOLD} and ${UNDER_WAY} ${ORDER})`;

/** Charges sold from `$2` on, and at any age those with an open difference. */
const FIND = statement(
  'truth.find_charges',
  `select ${PLACED.columns} from (
     (select * from (${SOLD}) s ${ORDER})
     union
     (select t.transaction_id, t.sold_at from truth_differences d cross join lateral (
        select transaction_id, sold_at from transactions
        where merchant_id = $1 and transaction_id = d.transaction_id and ${PLACE} limit 1
      ) t
      where d.merchant_id = $1 and d.class in ('chargesDiffer', 'ledgerDiffers') and d.ended_at is null
      ${ORDER})
   ) k
   ${ORDER}`,
);

export async function findChargesToCompare(
  database: Database,
  { merchantId, fromOn, afterCharge }: Pick<TruthRun, 'merchantId' | 'fromOn' | 'afterCharge'>,
  limit: number,
): Promise<ChargePlace[]> {
  const { soldAt, transactionId } = afterCharge;
  const rows = await database.query(FIND, [merchantId, fromOn, soldAt, transactionId, limit]);
  return rows.map(PLACED.parse).map(({ soldText, ...place }) => ({ ...place, soldAt: soldText }));
}

const CHARGE = rowCodec({
  transactionId: column.text('t.transaction_id'),
  soldAt: column.instant('t.sold_at'),
  acquirer: column.text('t.acquirer'),
  state: column.oneOf(TRANSACTION_STATES, 't.state'),
  wasNeverSent: column.boolean(`(${NEVER_SENT}) is true`),
  amount: column.whole('t.amount'),
  canceled: column.whole('t.canceled_amount'),
  installmentCount: column.whole('t.installment_count'),
  count: column.whole('i.count'),
  gross: column.whole('i.gross'),
  moved: column.whole('m.count'),
  carried: column.whole('r.count'),
  isNoted: column.boolean(`exists (
       select from truth_differences
       where merchant_id = $1 and transaction_id = w.transaction_id and ended_at is null
     )`),
});

/** One statement, so that everything is from one snapshot. */
const READ = statement(
  'truth.read_charges',
  `select ${CHARGE.columns}
   from unnest($2::uuid[]) as w (transaction_id) cross join lateral (
     select * from transactions where merchant_id = $1 and transaction_id = w.transaction_id limit 1
   ) t cross join lateral (
     select count(*)::integer as count, coalesce(sum(amount), 0)::bigint as gross
     from installments where merchant_id = $1 and transaction_id = w.transaction_id
   ) i cross join lateral (
     select count(distinct installment_number)::integer as count from movements
     where merchant_id = $1 and transaction_id = w.transaction_id
   ) m cross join lateral (
     select count(*)::integer as count from receivables where merchant_id = $1 and transaction_id = w.transaction_id
   ) r`,
);

export async function readComparedCharges(
  database: Database,
  merchantId: string,
  transactionIds: readonly string[],
): Promise<ComparedCharge[]> {
  if (transactionIds.length === 0) return [];
  return (await database.query(READ, [merchantId, transactionIds])).map(parseCharge);
}

function parseCharge(row: Row): ComparedCharge {
  const { count, gross, ...charge } = CHARGE.parse(row);
  return { ...charge, installments: { count, gross } };
}
