import { type Reader, statement } from '../../platform/postgres/database.ts';
import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import { ROUNDING_CENTS } from '../receivables/receivable.ts';
import type { DayOfReceivables } from './day.ts';

/**
 * Each half reads along its own index. What came counts on the day on which it came: its `payment_on`
 * then. An installment of which nothing was left before its payout is not expected. What is rounding
 * is so by the rule of fees (`isRoundingOfFee`).
 */
const LIST_DAYS = statement(
  'receivables.list_days',
  `select coalesce(e.on_day, g.on_day)::text as on_day, coalesce(e.count, 0) as expected_count,
     coalesce(e.net, 0)::bigint as expected_net, coalesce(e.fee, 0)::bigint as expected_fee,
     coalesce(e.open_count, 0) as open_count, coalesce(e.open_net, 0)::bigint as open_net,
     coalesce(g.count, 0) as received_count, coalesce(g.net, 0)::bigint as received_net,
     coalesce(g.fee, 0)::bigint as received_fee, coalesce(g.without_net, 0) as without_net,
     coalesce(g.differing, 0) as differing_count, coalesce(g.difference, 0)::bigint as difference
   from (
     select expected_on as on_day, count(*) as count, sum(expected_net) as net, sum(expected_fee) as fee,
       count(*) filter (where not is_here) as open_count, sum(expected_net) filter (where not is_here) as open_net
     from (
       select expected_on, expected_net, expected_fee,
         coalesce(filed_bank_on, reported_bank_on, paid_on) is not null as is_here
       from receivables
       where merchant_id = $1 and account_number = $2 and expected_on between $3 and $4 and expected_net > 0
     ) r group by expected_on
   ) e full join (
     select payment_on as on_day, count(*) as count, sum(net) as net, sum(fee) as fee,
       count(*) filter (where net is null) as without_net,
       count(*) filter (where abs(net - expected_net) > installment_count - 1 + $5) as differing, sum(net - expected_net) as difference
     from (
       select payment_on, expected_net, installment_count, case when filed_bank_on is null then reported_net else filed_net end as net,
         case when filed_bank_on is null then reported_fee else filed_fee + coalesce(filed_anticipation, 0) end as fee
       from receivables
       where merchant_id = $1 and account_number = $2 and payment_on between $3 and $4
         and coalesce(filed_bank_on, reported_bank_on, paid_on) is not null
     ) r group by payment_on
   ) g on g.on_day = e.on_day
   order by 1`,
);

/** The days of a period on which anything was expected or came, both ends included. */
export async function listReceivableDays(
  database: Reader,
  merchantId: string,
  wanted: { readonly accountNumber: string; readonly from: Day; readonly to: Day },
): Promise<DayOfReceivables[]> {
  const { accountNumber, from, to } = wanted;
  const rows = await database.query(LIST_DAYS, [merchantId, accountNumber, from, to, ROUNDING_CENTS]);
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
      net: row.received_net as Cents,
      fee: row.received_fee as Cents,
      withoutNet: row.without_net as number,
    },
    differing: { count: row.differing_count as number, difference: row.difference as number },
  }));
}
