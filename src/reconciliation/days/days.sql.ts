import { type Reader, statement } from '../../platform/postgres/database.ts';
import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import { parseKey } from '../judging/judged.sql.ts';
import type { InstallmentKey } from '../judging/matched-part.ts';
import type { DayOfReceivables } from './day.ts';

/**
 * The sums that the database keeps of each day. What came counts on the day on which it
 * came. Of what lines of files move otherwise than by one payout only the expectation is here. An installment
 * of which nothing was left before its payout is not expected.
 */
const LIST_DAYS = statement(
  'receivable_days.list',
  `select day::text as on_day, sum(expected_count)::bigint as expected_count, sum(expected_net)::bigint as expected_net,
     sum(expected_fee)::bigint as expected_fee, sum(open_count)::bigint as open_count, sum(open_net)::bigint as open_net,
     sum(received_count)::bigint as received_count, sum(received_net)::bigint as received_net,
     sum(received_fee)::bigint as received_fee, sum(without_net_count)::bigint as without_net_count,
     sum(unfiled_count)::bigint as unfiled_count, sum(unfiled_net)::bigint as unfiled_net,
     sum(differing_count)::bigint as differing_count, sum(difference)::bigint as difference
   from receivable_days where merchant_id = $1 and account_number = $2 and day between $3 and $4
   group by day having sum(expected_count + received_count) > 0
   order by day`,
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
  const rows = await database.query(LIST_DAYS, [merchantId, accountNumber, from, to]);
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
      withoutNet: row.without_net_count as number,
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
