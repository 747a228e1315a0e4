import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Day } from '../../values/instant.ts';
import type { SumDifference, Summed } from './kept-sums.ts';
import { type ComparedDay, endSumDifferences, keepSumDifferences } from './receivable-sums.sql.ts';
import {
  type DifferencePlace,
  endDifferences,
  keepDifferences,
  type SpentQuestions,
  spendQuestions,
} from './truth-differences.sql.ts';

import {
  type ChargePlace,
  type ComparedPlace,
  type CountedDifferences,
  type EndedRun,
  type KeptDifference,
  RUN_CAUSES,
  type TruthRun,
  type TruthTally,
} from './truth-run.ts';

const VERIFIED = rowCodec({
  merchantId: column.text('c.merchant_id'),
  lastNight: column.nullable(column.day('n.day')),
});

export type VerifiedMerchant = RowOf<typeof VERIFIED>;

const LIST_MERCHANTS = statement(
  'truth_runs.list_merchants',
  `select ${VERIFIED.columns} from receivable_cursors c
   left join lateral (
     select day from truth_runs where merchant_id = c.merchant_id and cause = 'night' order by day desc limit 1
   ) n on true
   where c.merchant_id > $1 order by c.merchant_id limit $2`,
);

export async function listVerifiedMerchants(
  database: Database,
  behind: string,
  limit: number,
): Promise<VerifiedMerchant[]> {
  return (await database.query(LIST_MERCHANTS, [behind, limit])).map(VERIFIED.parse);
}

const OPEN_NIGHT = statement(
  'truth_runs.open_night',
  `insert into truth_runs (merchant_id, day, cause, from_on, due_at)
   values ($1, $2::date, 'night', $3::date, now() - random() * interval '1 minute')
   on conflict (merchant_id, day) where cause = 'night' do nothing returning run_number`,
);

/**
 * False if the night was opened before. Runs of a night are due in random order, so that scarce questions
 * reach all merchants.
 */
export async function openNight(
  database: Database,
  merchantId: string,
  day: Day,
  fromOn: Day,
): Promise<boolean> {
  return (await database.query(OPEN_NIGHT, [merchantId, day, fromOn])).length === 1;
}

const TALLY = rowCodec<TruthTally>(
  {
    charges: column.whole(),
    receivables: column.whole(),
    standing: column.whole(),
    settled: column.whole(),
    settledByBooks: column.whole(),
    settledByFeed: column.whole(),
    settledByFiles: column.whole(),
    explained: column.whole(),
    onlyInFeed: column.whole(),
    onlyInFiles: column.whole(),
    asked: column.whole(),
    isCutShort: column.boolean(),
    beyondLookUp: column.whole(),
    leftOut: column.whole(),
    days: column.whole(),
    daysLeftOut: column.whole(),
    differences: column.parsedBy((value) =>
      typeof value === 'object' && value !== null ? (value as CountedDifferences) : undefined,
    ),
  },
  't',
);

const RUN = rowCodec(
  {
    merchantId: column.text(),
    runNumber: column.whole(),
    day: column.day(),
    fromOn: column.day(),
    afterOn: column.day(),
    afterTransactionId: column.text(),
    afterInstallmentNumber: column.whole(),
    /** As text, which is exact to the microsecond. */
    chargeAfterAt: column.text('t.charge_after_at::text'),
    chargeAfterId: column.text(),
    receivableDaysAfter: column.day(),
    billingDaysAfter: column.day(),
    fence: column.whole(),
  },
  't',
);

const COLUMNS = `${RUN.columns}, ${TALLY.columns}`;

function parseRun(row: Row): TruthRun {
  const { merchantId, runNumber, day, fromOn, fence, ...behind } = RUN.parse(row);
  return {
    ...{ merchantId, runNumber, day, fromOn, fence },
    after: {
      paymentOn: behind.afterOn,
      transactionId: behind.afterTransactionId,
      installmentNumber: behind.afterInstallmentNumber,
    },
    afterCharge: { soldAt: behind.chargeAfterAt, transactionId: behind.chargeAfterId },
    afterDays: { receivables: behind.receivableDaysAfter, billings: behind.billingDaysAfter },
    tally: TALLY.parse(row),
  };
}

const OPEN_ASKED = statement(
  'truth_runs.open_asked',
  `insert into truth_runs as t (merchant_id, day, cause, from_on, due_at)
   values ($1, $2::date, 'asked', $3::date, now() + $4 * interval '1 millisecond') returning ${COLUMNS}`,
);

export async function openAskedRun(
  database: Database,
  { merchantId, day, fromOn }: Pick<TruthRun, 'merchantId' | 'day' | 'fromOn'>,
  leaseMilliseconds: number,
): Promise<TruthRun> {
  const [row] = await database.query(OPEN_ASKED, [merchantId, day, fromOn, leaseMilliseconds]);
  if (row === undefined) throw new Error('the run was not opened');
  return parseRun(row);
}

/** Claims the run that has been due longest, so that merchants get one batch each in turn. */
const CLAIM = statement(
  'truth_runs.claim',
  `with due as (
     select merchant_id, run_number from truth_runs where due_at <= now()
     order by due_at limit 1 for no key update skip locked
   )
   update truth_runs t set fence = fence + 1, due_at = now() + $1 * interval '1 millisecond'
   from due d where t.merchant_id = d.merchant_id and t.run_number = d.run_number
   returning ${COLUMNS}`,
);

export async function claimTruthRun(database: Database, leaseMilliseconds: number): Promise<TruthRun | null> {
  return firstOf(await database.query(CLAIM, [leaseMilliseconds]), parseRun);
}

export const EARLIEST_RUN = statement(
  'truth_runs.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds from truth_runs
   where due_at is not null`,
);

const POSTPONE = statement(
  'truth_runs.postpone',
  `update truth_runs set due_at = now() + $4 * interval '1 millisecond'
   where merchant_id = $1 and run_number = $2 and fence = $3 and ended_at is null`,
);

export async function postponeRun(
  database: Database,
  { merchantId, runNumber, fence }: TruthRun,
  milliseconds: number,
): Promise<void> {
  await database.query(POSTPONE, [merchantId, runNumber, fence, milliseconds]);
}

const ADVANCE = statement(
  'truth_runs.advance',
  `update truth_runs set after_on = $4::date, after_transaction_id = $5, after_installment_number = $6, receivables = $7,
     standing = $8, settled = $9, settled_by_books = $10, settled_by_feed = $11, settled_by_files = $12, explained = $13,
     only_in_feed = $14, only_in_files = $15, asked = $16, is_cut_short = $17, differences = $18::jsonb,
     beyond_look_up = $19, left_out = $20, ended_at = case when $21 then now() end,
     due_at = case when $21 then null else now() + $22 * interval '1 millisecond' end, charges = $23,
     charge_after_at = $24::timestamptz, charge_after_id = $25, receivable_days_after = $26::date,
     billing_days_after = $27::date, days = $28, days_left_out = $29
   where merchant_id = $1 and run_number = $2 and fence = $3 and ended_at is null
   returning run_number`,
);

export type ComparedBatch = {
  readonly after: ComparedPlace;
  readonly afterCharge: ChargePlace;
  readonly afterDays: Readonly<Record<Summed, Day>>;
  readonly tally: TruthTally;
  readonly isLast: boolean;
  readonly found: readonly KeptDifference[];
  readonly atOne: readonly DifferencePlace[];
  readonly days: readonly ComparedDay[];
  readonly foundOfDays: readonly SumDifference[];
  readonly spent: SpentQuestions | null;
};

/** False if another process has the run: nothing was written. */
export async function recordBatch(
  database: Database,
  run: TruthRun,
  batch: ComparedBatch,
  leaseMilliseconds: number,
): Promise<boolean> {
  const { merchantId } = run;
  const { found, atOne, days, foundOfDays, spent } = batch;
  return database.transaction(async (tx) => {
    if (!(await advanceRun(tx, run, batch, leaseMilliseconds))) return false;
    await keepDifferences(tx, merchantId, found);
    await endDifferences(tx, merchantId, atOne);
    await keepSumDifferences(tx, merchantId, foundOfDays);
    await endSumDifferences(tx, merchantId, days, foundOfDays);
    if (spent !== null) await spendQuestions(tx, spent);
    return true;
  });
}

async function advanceRun(
  tx: Tx,
  { merchantId, runNumber, fence }: TruthRun,
  { after, afterCharge, afterDays, tally, isLast }: ComparedBatch,
  leaseMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(ADVANCE, [
    merchantId,
    runNumber,
    fence,
    after.paymentOn,
    after.transactionId,
    after.installmentNumber,
    tally.receivables,
    tally.standing,
    tally.settled,
    tally.settledByBooks,
    tally.settledByFeed,
    tally.settledByFiles,
    tally.explained,
    tally.onlyInFeed,
    tally.onlyInFiles,
    tally.asked,
    tally.isCutShort,
    JSON.stringify(tally.differences),
    tally.beyondLookUp,
    tally.leftOut,
    isLast,
    leaseMilliseconds,
    tally.charges,
    afterCharge.soldAt,
    afterCharge.transactionId,
    afterDays.receivables,
    afterDays.billings,
    tally.days,
    tally.daysLeftOut,
  ]);
  return rows.length === 1;
}

const FORGET = statement(
  'truth_runs.forget',
  `delete from truth_runs where merchant_id = $1 and run_number in (
     select run_number from truth_runs where merchant_id = $1 and day < $2::date and ended_at is not null limit 100
   )`,
);

export async function forgetRuns(database: Database, merchantId: string, before: Day): Promise<void> {
  await database.query(FORGET, [merchantId, before]);
}

const ENDED = rowCodec<EndedRun>(
  {
    ...TALLY.fields,
    merchantId: column.text(),
    day: column.day(),
    cause: column.oneOf(RUN_CAUSES),
    beganAt: column.instant(),
    endedAt: column.instant(),
  },
  't',
);

const NEWEST = rowCodec<NewestRun>(
  { ...ENDED.fields, ageSeconds: column.real('extract(epoch from now() - t.ended_at)::float8') },
  't',
);

const READ_NEWEST = statement(
  'truth_runs.read_newest',
  `select ${NEWEST.columns} from receivable_cursors c cross join lateral (
     select * from truth_runs where merchant_id = c.merchant_id and ended_at is not null order by run_number desc limit 1
   ) t
   where $1::text is null or c.merchant_id = $1
   order by c.merchant_id`,
);

export type NewestRun = EndedRun & { readonly ageSeconds: number };

export async function readNewestRuns(reader: Reader, merchantId: string | null): Promise<NewestRun[]> {
  return (await reader.query(READ_NEWEST, [merchantId])).map(NEWEST.parse);
}

const READ_OF_DAY = statement(
  'truth_runs.read_of_day',
  `select ${ENDED.columns} from receivable_cursors w left join lateral (
     select * from truth_runs where merchant_id = w.merchant_id
       and ended_at >= $1::date::timestamp at time zone 'America/Sao_Paulo'
       and ended_at < ($1::date + 1)::timestamp at time zone 'America/Sao_Paulo'
     order by run_number desc limit 1
   ) t on true
   order by w.merchant_id`,
);

/**
 * The last run of each merchant that ended on `day`, of real time. `merchants`: how many there are, with or
 * without one.
 */
export async function readRunsOfDay(
  database: Database,
  day: Day,
): Promise<{ readonly merchants: number; readonly runs: readonly EndedRun[] }> {
  const rows = await database.query(READ_OF_DAY, [day]);
  const verified = rows.filter((row) => row.merchant_id !== null);
  return { merchants: rows.length, runs: verified.map(ENDED.parse) };
}
