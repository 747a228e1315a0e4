import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Day } from '../../values/instant.ts';
import { INSTALLMENT_KEY } from '../judging/judged.sql.ts';
import type { InstallmentKey } from '../judging/judged-installment.ts';
import type { DayOfReceivables } from './day.ts';

/** Receipts count on the day they came. Irregular installments count only as expected. */
const SUMS = rowCodec({
  day: column.day(),
  expectedCount: column.whole('sum(expected_count)::bigint'),
  expectedNet: column.keptSum('sum(expected_net)::bigint'),
  expectedFee: column.keptSum('sum(expected_fee)::bigint'),
  openCount: column.whole('sum(open_count)::bigint'),
  openNet: column.keptSum('sum(open_net)::bigint'),
  receivedCount: column.whole('sum(received_count)::bigint'),
  receivedNet: column.whole('sum(received_net)::bigint'),
  receivedFee: column.whole('sum(received_fee)::bigint'),
  withoutNet: column.whole('sum(without_net_count)::bigint'),
  unfiledCount: column.whole('sum(unfiled_count)::bigint'),
  unfiledNet: column.whole('sum(unfiled_net)::bigint'),
  differingCount: column.whole('sum(differing_count)::bigint'),
  difference: column.whole('sum(difference)::bigint'),
});

const LIST_DAYS = statement(
  'receivable_days.list',
  `select ${SUMS.columns}
   from receivable_days where merchant_id = $1 and account_number = $2 and day between $3 and $4
   group by day having sum(expected_count + received_count) > 0
   order by day`,
);

export type PeriodOfAccount = {
  readonly accountNumber: string;
  readonly from: Day;
  readonly to: Day;
};

/** Both ends included, without the receipts of `listApart`. */
export async function listReceivableDays(
  database: Reader,
  merchantId: string,
  { accountNumber, from, to }: PeriodOfAccount,
): Promise<DayOfReceivables[]> {
  const rows = await database.query(LIST_DAYS, [merchantId, accountNumber, from, to]);
  return rows.map(SUMS.parse).map((sums) => ({
    day: sums.day,
    expected: { count: sums.expectedCount, net: sums.expectedNet, fee: sums.expectedFee },
    open: { count: sums.openCount, net: sums.openNet },
    received: {
      count: sums.receivedCount,
      net: sums.receivedNet,
      fee: sums.receivedFee,
      withoutNet: sums.withoutNet,
    },
    unfiled: { count: sums.unfiledCount, net: sums.unfiledNet },
    taken: { count: 0, net: 0 },
    differing: { count: sums.differingCount, difference: sums.difference },
  }));
}

const TO_RECEIVE = rowCodec({
  day: column.day(),
  expected: column.keptSum('sum(expected_net)::bigint'),
  open: column.keptSum('sum(open_net)::bigint'),
});

const SUM_TO_RECEIVE = statement(
  'receivable_days.sum_to_receive',
  `select ${TO_RECEIVE.columns}
   from receivable_days where merchant_id = $1 and account_number = any ($2::text[]) and day between $3 and $4
   group by day order by day`,
);

export async function sumToReceive(
  database: Reader,
  merchantId: string,
  {
    accountNumbers,
    from,
    to,
  }: Omit<PeriodOfAccount, 'accountNumber'> & {
    readonly accountNumbers: readonly string[];
  },
): Promise<RowOf<typeof TO_RECEIVE>[]> {
  const rows = await database.query(SUM_TO_RECEIVE, [merchantId, accountNumbers, from, to]);
  return rows.map(TO_RECEIVE.parse);
}

const LIST_APART = statement(
  'receivables.list_apart',
  `select ${INSTALLMENT_KEY.columns} from receivables
   where merchant_id = $1 and account_number = $2 and apart_to >= $3 and apart_from <= $4
   order by apart_to, transaction_id, installment_number limit $5`,
);

/** Installments that are not paid by exactly one payout. */
export async function listApart(
  database: Reader,
  merchantId: string,
  { accountNumber, from, to }: PeriodOfAccount,
  limit: number,
): Promise<InstallmentKey[]> {
  const rows = await database.query(LIST_APART, [merchantId, accountNumber, from, to, limit]);
  return rows.map(INSTALLMENT_KEY.parse);
}
