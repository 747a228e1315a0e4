import {
  type CommitStep,
  type Database,
  type Reader,
  type Row,
  type Step,
  statement,
} from '../../platform/postgres/database.ts';
import type { Day } from '../../values/instant.ts';
import type { SumDifference, Summed } from './kept-sums.ts';
import { type SpentQuestions, spendStep } from './question-budgets.sql.ts';
import { type ComparedDay, endSumDifferences, keepSumDifferences } from './sum-differences.sql.ts';
import { type DifferencePlace, endDifferences, keepDifferences } from './truth-differences.sql.ts';
import type {
  ChargePlace,
  ComparedPlace,
  CountedDifferences,
  EndedRun,
  KeptDifference,
  TruthRun,
  TruthTally,
} from './truth-run.ts';

const LIST_MERCHANTS = statement(
  'truth_runs.list_merchants',
  `select c.merchant_id, n.day::text as day from receivable_cursors c
   left join lateral (
     select day from truth_runs where merchant_id = c.merchant_id and cause = 'night' order by day desc limit 1
   ) n on true
   where c.merchant_id > $1 order by c.merchant_id limit $2`,
);

export type VerifiedMerchant = { readonly merchantId: string; readonly lastNight: Day | null };

/** Merchants that have sold something, behind one of them. */
export async function listVerifiedMerchants(
  database: Database,
  behind: string,
  limit: number,
): Promise<VerifiedMerchant[]> {
  return (await database.query(LIST_MERCHANTS, [behind, limit])).map((row) => ({
    merchantId: row.merchant_id as string,
    lastNight: row.day as Day | null,
  }));
}

const OPEN_NIGHT = statement(
  'truth_runs.open_night',
  `insert into truth_runs (merchant_id, day, cause, from_on, due_at)
   values ($1, $2::date, 'night', $3::date, now() - random() * interval '1 minute')
   on conflict (merchant_id, day) where cause = 'night' do nothing returning run_number`,
);

/**
 * At a place among those that wait which is another one each night: where questions to the acquirer are
 * fewer than merchants, others get them. False: another process has opened it, or it was that night's.
 */
export async function openNight(
  database: Database,
  merchantId: string,
  day: Day,
  fromOn: Day,
): Promise<boolean> {
  return (await database.query(OPEN_NIGHT, [merchantId, day, fromOn])).length === 1;
}

const COLUMNS = `t.merchant_id, t.run_number, t.day::text as day_text, t.from_on::text as from_day, t.after_on::text as after_day,
  t.after_transaction_id, t.after_installment_number, t.fence, t.receivables, t.standing, t.settled, t.settled_by_books,
  t.settled_by_feed, t.settled_by_files, t.explained, t.only_in_feed, t.only_in_files, t.asked, t.is_cut_short, t.beyond_look_up,
  t.left_out, t.charges, t.charge_after_at::text as charge_after_text, t.charge_after_id, t.differences, t.cause, t.began_at, t.ended_at,
  t.receivable_days_after::text as receivable_days_text, t.billing_days_after::text as billing_days_text, t.days, t.days_left_out`;

/** What somebody asked for is leased from its beginning to the process that works on it. */
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

/** The one that has waited the longest: a batch of each merchant after the other. */
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
  const [row] = await database.query(CLAIM, [leaseMilliseconds]);
  return row === undefined ? null : parseRun(row);
}

/** Null: no run waits. */
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
  /** Everything that was looked at and is at one. */
  readonly atOne: readonly DifferencePlace[];
  /** Days whose sums were compared, and what differs on them. */
  readonly days: readonly ComparedDay[];
  readonly foundOfDays: readonly SumDifference[];
  /** Null: the acquirer could not be asked. */
  readonly spent: SpentQuestions | null;
};

/** A batch in one commit. False: another process has taken the run over, and nothing was written. */
export async function recordBatch(
  database: Database,
  { merchantId, runNumber, fence }: TruthRun,
  batch: ComparedBatch,
  leaseMilliseconds: number,
): Promise<boolean> {
  const { after, afterCharge, afterDays, tally, isLast, found, atOne, days, foundOfDays, spent } = batch;
  const advance: Step = {
    statement: ADVANCE,
    values: [
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
    ],
  };
  const onlyMine =
    (step: Step | null): CommitStep =>
    (rows) =>
      rows[0]?.length === 1 ? step : null;
  const rows = await database.commit([
    advance,
    onlyMine(keepDifferences(merchantId, found)),
    onlyMine(endDifferences(merchantId, atOne)),
    onlyMine(keepSumDifferences(merchantId, foundOfDays)),
    onlyMine(endSumDifferences(merchantId, days, foundOfDays)),
    onlyMine(spent === null ? null : spendStep(spent)),
  ]);
  return rows[0]?.length === 1;
}

const FORGET = statement(
  'truth_runs.forget',
  `delete from truth_runs where merchant_id = $1 and run_number in (
     select run_number from truth_runs where merchant_id = $1 and day < $2::date and ended_at is not null limit 100
   )`,
);

/** Runs of days before this one; some at a time. */
export async function forgetRuns(database: Database, merchantId: string, before: Day): Promise<void> {
  await database.query(FORGET, [merchantId, before]);
}

const READ_NEWEST = statement(
  'truth_runs.read_newest',
  `select ${COLUMNS}, extract(epoch from now() - t.ended_at)::float8 as age from receivable_cursors c cross join lateral (
     select * from truth_runs where merchant_id = c.merchant_id and ended_at is not null order by run_number desc limit 1
   ) t
   where $1::text is null or c.merchant_id = $1
   order by c.merchant_id`,
);

export type NewestRun = EndedRun & { readonly ageSeconds: number };

/** The newest run of every merchant, or of one. */
export async function readNewestRuns(reader: Reader, merchantId: string | null): Promise<NewestRun[]> {
  return (await reader.query(READ_NEWEST, [merchantId])).map((row) => ({
    ...parseEnded(row),
    ageSeconds: row.age as number,
  }));
}

const READ_OF_DAY = statement(
  'truth_runs.read_of_day',
  `select ${COLUMNS}, w.merchant_id as seller from receivable_cursors w left join lateral (
     select * from truth_runs where merchant_id = w.merchant_id
       and ended_at >= $1::date::timestamp at time zone 'America/Sao_Paulo'
       and ended_at < ($1::date + 1)::timestamp at time zone 'America/Sao_Paulo'
     order by run_number desc limit 1
   ) t on true
   order by w.merchant_id`,
);

/** The last run of each merchant that ended on a day, by real time; and how many have sold something. */
export async function readRunsOfDay(
  database: Database,
  day: Day,
): Promise<{ readonly merchants: number; readonly runs: readonly EndedRun[] }> {
  const rows = await database.query(READ_OF_DAY, [day]);
  return { merchants: rows.length, runs: rows.filter((row) => row.merchant_id !== null).map(parseEnded) };
}

function parseTally(row: Row): TruthTally {
  return {
    charges: row.charges as number,
    receivables: row.receivables as number,
    standing: row.standing as number,
    settled: row.settled as number,
    settledByBooks: row.settled_by_books as number,
    settledByFeed: row.settled_by_feed as number,
    settledByFiles: row.settled_by_files as number,
    explained: row.explained as number,
    onlyInFeed: row.only_in_feed as number,
    onlyInFiles: row.only_in_files as number,
    asked: row.asked as number,
    isCutShort: row.is_cut_short as boolean,
    beyondLookUp: row.beyond_look_up as number,
    leftOut: row.left_out as number,
    days: row.days as number,
    daysLeftOut: row.days_left_out as number,
    differences: row.differences as CountedDifferences,
  };
}

function parseRun(row: Row): TruthRun {
  return {
    merchantId: row.merchant_id as string,
    runNumber: row.run_number as number,
    day: row.day_text as Day,
    fromOn: row.from_day as Day,
    after: {
      paymentOn: row.after_day as Day,
      transactionId: row.after_transaction_id as string,
      installmentNumber: row.after_installment_number as number,
    },
    afterCharge: {
      soldAt: row.charge_after_text as string,
      transactionId: row.charge_after_id as string,
    },
    afterDays: { receivables: row.receivable_days_text as Day, billings: row.billing_days_text as Day },
    fence: row.fence as number,
    tally: parseTally(row),
  };
}

function parseEnded(row: Row): EndedRun {
  return {
    ...parseTally(row),
    merchantId: row.merchant_id as string,
    day: row.day_text as Day,
    cause: row.cause as EndedRun['cause'],
    beganAt: row.began_at as number,
    endedAt: row.ended_at as number,
  };
}
