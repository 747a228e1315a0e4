import type { Database, Tx } from '../../platform/postgres/database.ts';
import { isRolledBack } from '../../platform/postgres/database-errors.ts';
import { UnreadableRow } from '../../platform/postgres/row-codec.ts';
import { BILLING_SUMS, type SoughtDays } from '../../recurrence/billings/billing-sums.sql.ts';
import type { Day } from '../../values/instant.ts';
import {
  compareSums,
  type DayOfSums,
  daysInTurn,
  type SumColumn,
  type SumDifference,
  type Summed,
} from './kept-sums.ts';
import { holdMoment, listDifferingDays, RECEIVABLE_SUMS } from './receivable-sums.sql.ts';

import type { TruthRun } from './truth-run.ts';

/** Index entries of a round: they take a fifth of a second if they are in memory. */
const ENTRIES_OF_ROUND = 10_000;
const DAYS_OF_ROUND = 1_000;
const STATEMENTS_OF_DAY = 100;
const ROUND_MILLISECONDS = 30_000;
/** Margin for a statement that still runs at the end of a round. */
const BEYOND_ROUND_MILLISECONDS = 10_000;
const END_OF_DAYS = '9999-12-31' as Day;

type FoundDay = { readonly day: Day; readonly entries: number; readonly most: number };

type SummedRows = DayOfSums & { readonly lane: number; readonly entries: number; readonly last: string };

/** A table of which sums by day are kept, and its rows. A lane is an index along which rows are read. */
type KeptTable = {
  readonly summed: Summed;
  readonly columns: readonly SumColumn[];
  readonly first: readonly string[];
  readonly last: string;
  findDays(tx: Tx, sought: SoughtDays): Promise<FoundDay[]>;
  readKept(tx: Tx, merchantId: string, days: readonly Day[]): Promise<DayOfSums[]>;
  readRows(
    tx: Tx,
    merchantId: string,
    days: readonly Day[],
    places: readonly string[],
    entries: number,
  ): Promise<SummedRows[]>;
};

const KEPT_TABLES: readonly KeptTable[] = [RECEIVABLE_SUMS, BILLING_SUMS];

export const SUMMING_MILLISECONDS = KEPT_TABLES.length * (ROUND_MILLISECONDS + BEYOND_ROUND_MILLISECONDS);

/** Days that were not compared because of an error. `days` empty: it is not known which. */
export type LeftOutDays = {
  readonly merchantId: string;
  readonly summed: Summed;
  readonly days: readonly Day[];
  readonly error: unknown;
};

export type SumTools = {
  readonly database: Database;
  readonly observeLeftOut: (leftOut: LeftOutDays) => void;
};

/** `after`: where the next round begins. `leftOut`: number of days that could not be read and compared. */
export type VerifiedSums = {
  readonly summed: Summed;
  readonly after: Day;
  readonly isLast: boolean;
  readonly days: readonly Day[];
  readonly leftOut: number;
  readonly found: readonly SumDifference[];
};

/** A database error leaves days out and does not end the run. Throws while the database is unreachable. */
export async function verifySums(
  tools: SumTools,
  run: TruthRun,
  signal: AbortSignal,
): Promise<VerifiedSums[]> {
  const verified: VerifiedSums[] = [];
  for (const table of KEPT_TABLES) verified.push(await verifyRound(tools, run, table, signal));
  return verified;
}

async function verifyRound(
  { database, observeLeftOut }: SumTools,
  run: TruthRun,
  table: KeptTable,
  signal: AbortSignal,
): Promise<VerifiedSums> {
  const { summed, columns } = table;
  const after = run.afterDays[summed];
  const nothing = { summed, after, days: [], leftOut: 0, found: [] };
  if (after === END_OF_DAYS) return { ...nothing, isLast: true };
  if (signal.aborted) return { ...nothing, isLast: false };
  const endsAt = performance.now() + ROUND_MILLISECONDS;
  let most = DAYS_OF_ROUND;
  let round = await readRound(database, run, table, { most, endsAt, signal });
  // A day that fails must not fail the others of its round.
  while (round.failure !== null && round.days.length !== 1 && most > 1 && !signal.aborted) {
    most = mostOfNext(round);
    round = await readRound(database, run, table, { most, endsAt, signal });
  }
  const { days, rows, kept, failure } = round;
  if (signal.aborted && (failure !== null || !round.isWhole)) return { ...nothing, isLast: false };
  const isLast = round.isLast || (failure !== null && days.length === 0);
  const behind = isLast ? END_OF_DAYS : (days.at(-1) ?? after);
  if (failure === null)
    return { ...nothing, after: behind, isLast, days, found: compareSums(summed, columns, { rows, kept }) };
  observeLeftOut({ merchantId: run.merchantId, summed, days, error: failure });
  return { ...nothing, after: behind, isLast, leftOut: Math.max(1, days.length) };
}

type RoundLimits = { readonly most: number; readonly endsAt: number; readonly signal: AbortSignal };

type Round = {
  days: readonly Day[];
  /** How many entries each day has, in order: those of `days`, and of later days that were found. */
  entries: readonly number[];
  isLast: boolean;
  isWhole: boolean;
  kept: readonly DayOfSums[];
  rows: readonly DayOfSums[];
  failure: unknown;
};

/**
 * With how many days to read the round again: the empty ones before the first with entries, but at least one.
 */
function mostOfNext({ entries }: Round): number {
  return Math.max(
    1,
    entries.findIndex((count) => count > 0),
  );
}

/** Reads days, kept sums and rows from one snapshot. After a failure it returns what was read before. */
async function readRound(
  database: Database,
  run: TruthRun,
  table: KeptTable,
  limits: RoundLimits,
): Promise<Round> {
  const { merchantId, fromOn } = run;
  const { most, signal } = limits;
  const after = run.afterDays[table.summed];
  const round: Round = {
    ...{ days: [], entries: [], kept: [], rows: [] },
    ...{ isLast: true, isWhole: true, failure: null },
  };
  try {
    const differing = await listDifferingDays(database, merchantId, table.summed, after, fromOn, most);
    const named = [...daysInTurn(run), ...differing].sort();
    const sought = { merchantId, after, fromOn, named, entries: ENTRIES_OF_ROUND, most };
    await database.transaction(async (tx) => {
      await holdMoment(tx);
      Object.assign(round, daysToRead(await table.findDays(tx, sought)));
      if (round.days.length === 0) return;
      round.kept = await table.readKept(tx, merchantId, round.days);
      Object.assign(round, await readRows(tx, merchantId, table, round.days, limits));
    });
    if (!round.isWhole && !signal.aborted) round.failure = new Error('it took too long');
  } catch (error) {
    const isOfDays = isRolledBack(error) || error instanceof RangeError || error instanceof UnreadableRow;
    if (!isOfDays) throw error;
    round.failure = error;
  }
  return round;
}

function daysToRead(found: readonly FoundDay[]): Pick<Round, 'days' | 'entries' | 'isLast'> {
  let entries = 0;
  const days = found.flatMap((one, index) => {
    entries += one.entries;
    return index === 0 || entries <= ENTRIES_OF_ROUND ? [one.day] : [];
  });
  return {
    days,
    entries: found.map((one) => one.entries),
    isLast: entries < ENTRIES_OF_ROUND && found.length < (found[0]?.most ?? 1),
  };
}

async function readRows(
  tx: Tx,
  merchantId: string,
  table: KeptTable,
  days: readonly Day[],
  { signal, endsAt }: RoundLimits,
): Promise<Pick<Round, 'rows' | 'isWhole'>> {
  const rows: SummedRows[] = [];
  let places = table.first;
  for (let statements = 0; statements < STATEMENTS_OF_DAY; statements += 1) {
    if (signal.aborted || performance.now() > endsAt) break;
    const read = await table.readRows(tx, merchantId, days, places, ENTRIES_OF_ROUND);
    rows.push(...read);
    places = places.map((place, lane) => {
      const ofLane = read.filter((row) => row.lane === lane);
      const entries = ofLane.reduce((sum, row) => sum + row.entries, 0);
      const furthest = ofLane.map(({ last }) => last).sort();
      return entries < ENTRIES_OF_ROUND ? table.last : (furthest.at(-1) ?? place);
    });
    if (places.every((place) => place === table.last)) return { rows, isWhole: true };
  }
  return { rows, isWhole: false };
}
