import { type Reader, statement } from '../../platform/postgres/database.ts';
import { type Cents, MOST_INSTALLMENTS } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import { parseKey } from '../judging/judged.sql.ts';
import { roundingOfFee } from '../judging/judged-installment.ts';
import type { InstallmentKey } from '../judging/matched-part.ts';
import type { DayOfReceivables } from './day.ts';

/** By the number of installments of a sale. */
const ROUNDING = Array.from({ length: MOST_INSTALLMENTS }, (_, at) =>
  roundingOfFee({ installmentCount: at + 1 }),
);

/**
 * Each half reads along its own index. What came counts on the day on which it came: its `payment_on`
 * then. Of what lines of files move otherwise than by one payout only the expectation is here. An
 * installment of which nothing was left before its payout is not expected.
 */
const LIST_DAYS = statement(
  'receivables.list_days',
  `select coalesce(e.on_day, g.on_day)::text as on_day, coalesce(e.count, 0) as expected_count,
     coalesce(e.net, 0)::bigint as expected_net, coalesce(e.fee, 0)::bigint as expected_fee,
     coalesce(e.open_count, 0) as open_count, coalesce(e.open_net, 0)::bigint as open_net,
     coalesce(g.count, 0) as received_count, coalesce(g.net, 0)::bigint as received_net,
     coalesce(g.fee, 0)::bigint as received_fee, coalesce(g.without_net, 0) as without_net,
     coalesce(g.unfiled_count, 0) as unfiled_count, coalesce(g.unfiled_net, 0)::bigint as unfiled_net,
     coalesce(g.differing, 0) as differing_count, coalesce(g.difference, 0)::bigint as difference
   from (
     select expected_on as on_day, count(*) as count, sum(expected_net) as net, sum(expected_fee) as fee,
       count(*) filter (where not is_here) as open_count, sum(expected_net) filter (where not is_here) as open_net
     from (
       select expected_on, expected_net, expected_fee,
         num_nonnulls(filed_net, reported_bank_on, paid_on) > 0 as is_here
       from receivables
       where merchant_id = $1 and account_number = $2 and expected_on between $3 and $4 and expected_net > 0
     ) r group by expected_on
   ) e full join (
     select payment_on as on_day, count(*) as count, sum(net) as net, sum(fee) as fee,
       count(*) filter (where net is null) as without_net,
       count(*) filter (where is_unfiled) as unfiled_count, sum(net) filter (where is_unfiled) as unfiled_net,
       count(*) filter (where abs(net - expected_net) > ($5::integer[])[installment_count]) as differing,
       sum(net - expected_net) as difference
     from (
       select payment_on, expected_net, installment_count, filed_net is null as is_unfiled, coalesce(filed_net, reported_net) as net,
         case when filed_net is null then reported_fee else filed_fee + coalesce(filed_anticipation, 0) end as fee
       from receivables
       where merchant_id = $1 and account_number = $2 and payment_on between $3 and $4
         and case when filed_net is null then coalesce(reported_bank_on, paid_on) is not null else apart_to is null end
     ) r group by payment_on
   ) g on g.on_day = e.on_day
   order by 1`,
);

export type PeriodOfAccount = {
  readonly accountNumber: string;
  /** Both included. */
  readonly from: Day;
  readonly to: Day;
};

/**
 * The days of a period on which anything was expected or came, both ends included, but for what
 * `listApart` gives.
 */
export async function listReceivableDays(
  database: Reader,
  merchantId: string,
  { accountNumber, from, to }: PeriodOfAccount,
): Promise<DayOfReceivables[]> {
  const rows = await database.query(LIST_DAYS, [merchantId, accountNumber, from, to, ROUNDING]);
  return rows.map((row) => ({
    day: row.on_day as Day,
    expected: {
      count: row.expected_count as number,
      net: row.expected_net as Cents,
      fee: row.expected_fee as Cents,
    },
    open: { count: row.open_count as number, net: row.open_net as Cents },
    received: {
      count: row.received_count as number,
      net: row.received_net as number,
      fee: row.received_fee as number,
      withoutNet: row.without_net as number,
    },
    unfiled: { count: row.unfiled_count as number, net: row.unfiled_net as number },
    taken: { count: 0, net: 0 },
    differing: { count: row.differing_count as number, difference: row.difference as number },
  }));
}

/** Those whose first and last day embrace some of the period. */
const LIST_APART = statement(
  'receivables.list_apart',
  `select merchant_id, transaction_id, installment_number from receivables
   where merchant_id = $1 and account_number = $2 and apart_to >= $3 and apart_from <= $4
   order by apart_to, transaction_id, installment_number limit $5`,
);

/** Installments of which lines move otherwise than by one payout, in a period. */
export async function listApart(
  database: Reader,
  merchantId: string,
  { accountNumber, from, to }: PeriodOfAccount,
  limit: number,
): Promise<InstallmentKey[]> {
  return (await database.query(LIST_APART, [merchantId, accountNumber, from, to, limit])).map(parseKey);
}
