import type { Database, Row, Step } from '../../platform/postgres/database.ts';
import { isRolledBack } from '../../platform/postgres/database-errors.ts';
import { BILLING_SUMS } from '../../recurrence/billings/billing-sums.sql.ts';
import type { Day } from '../../values/instant.ts';
import {
  compareSums,
  type DayOfSums,
  daysInTurn,
  type SumColumn,
  type SumDifference,
  type Summed,
} from './kept-sums.ts';
import { ONE_MOMENT, RECEIVABLE_SUMS } from './receivable-sums.sql.ts';
import { listDifferingDays } from './sum-differences.sql.ts';
import type { TruthRun } from './truth-run.ts';

/** Of one statement, and of the days of a round: a fifth of a second where they are in memory. */
const ENTRIES_OF_ROUND = 10_000;
const DAYS_OF_ROUND = 1_000;
/** A day of more entries is read in so many statements, for so long. */
const STATEMENTS_OF_DAY = 100;
const ROUND_MILLISECONDS = 30_000;
/** The statements that are under way when that time is over. */
const BEYOND_ROUND_MILLISECONDS = 10_000;
/** Where a kind has no more days in a run. */
const END_OF_DAYS = '9999-12-31' as Day;

/** The statements of a table and of its sums. A lane is an index along which its rows are read. */
type KeptTable = {
  readonly summed: Summed;
  readonly columns: readonly SumColumn[];
  /** Where each lane begins, and what no place of a lane lies behind. */
  readonly first: readonly string[];
  readonly last: string;
  readonly findDays: (
    merchantId: string,
    after: Day,
    fromOn: Day,
    named: readonly Day[],
    entries: number,
    days: number,
  ) => Step;
  readonly readKept: (merchantId: string, days: readonly Day[]) => Step;
  readonly readRows: (
    merchantId: string,
    days: readonly Day[],
    places: readonly string[],
    entries: number,
  ) => Step;
  readonly parse: (row: Row) => DayOfSums;
};

const KEPT_TABLES: readonly KeptTable[] = [RECEIVABLE_SUMS, BILLING_SUMS];

/** For how long `verifySums` may be under way. */
export const SUMMING_MILLISECONDS = KEPT_TABLES.length * (ROUND_MILLISECONDS + BEYOND_ROUND_MILLISECONDS);

/** Days of a run that were not compared, and why; `days` empty: it is not known which. */
export type LeftOutDays = {
  readonly merchantId: string;
  readonly summed: Summed;
  readonly days: readonly Day[];
  readonly error: unknown;
};

export type SumTools = {
  readonly database: Database;
  /** Called with days that could not be compared. */
  readonly observeLeftOut: (leftOut: LeftOutDays) => void;
};

/** The days of a round. `leftOut`: how many of them could not be read, and are not compared. */
export type VerifiedSums = {
  readonly summed: Summed;
  readonly after: Day;
  readonly isLast: boolean;
  readonly days: readonly Day[];
  readonly leftOut: number;
  readonly found: readonly SumDifference[];
};

/**
 * Compares what is kept of the next days of a run with their rows, of receivables and of billings. What the
 * database refuses leaves days out, and ends nothing else of the run; throws while it is away.
 */
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
  // One day that takes too long, or is refused, takes no others along.
  while (round.failure !== null && round.days.length !== 1 && most > 1 && !signal.aborted) {
    most = round.mostOfNext;
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

/** All of it as of one moment, for payments go on meanwhile. */
async function readRound(
  database: Database,
  run: TruthRun,
  table: KeptTable,
  limits: RoundLimits,
): Promise<Round> {
  const { merchantId, fromOn } = run;
  const after = run.afterDays[table.summed];
  const round = new Round(table, merchantId, limits);
  const takeRows = (read: readonly Row[][]) => round.takeRows(read.at(-1) ?? []);
  try {
    const differing = await listDifferingDays(database, merchantId, table.summed, after, fromOn, limits.most);
    const named = [...daysInTurn(run), ...differing].sort();
    await database.commit([
      ONE_MOMENT,
      table.findDays(merchantId, after, fromOn, named, ENTRIES_OF_ROUND, limits.most),
      (read) => round.takeDays(read.at(-1) ?? []),
      ...Array.from({ length: STATEMENTS_OF_DAY + 1 }, () => takeRows),
    ]);
    if (!round.isWhole && !limits.signal.aborted) round.failure = new Error('it took too long');
  } catch (error) {
    if (!isRolledBack(error) && !(error instanceof RangeError)) throw error;
    round.failure = error;
  }
  return round;
}

/** What is read of a round, statement by statement. */
class Round {
  readonly #table: KeptTable;
  readonly #merchantId: string;
  readonly #limits: RoundLimits;
  #places: readonly string[];
  /** What the answer to the statement before is. */
  #asked: 'kept' | 'rows' | null = null;
  /** Of the days, in their order. */
  #entries: readonly number[] = [];
  /** Why not all of it was read. */
  failure: unknown = null;
  days: readonly Day[] = [];
  isLast = true;
  kept: readonly DayOfSums[] = [];
  readonly rows: DayOfSums[] = [];

  constructor(table: KeptTable, merchantId: string, limits: RoundLimits) {
    this.#table = table;
    this.#merchantId = merchantId;
    this.#limits = limits;
    this.#places = table.first;
  }

  get #isOver(): boolean {
    return this.#limits.signal.aborted || performance.now() > this.#limits.endsAt;
  }

  get isWhole(): boolean {
    return this.days.length === 0 || this.#places.every((place) => place === this.#table.last);
  }

  /** How many days are read when these failed: those without entries before the first, or one. */
  get mostOfNext(): number {
    return Math.max(
      1,
      this.#entries.findIndex((entries) => entries > 0),
    );
  }

  /** As many days as one statement reads, or one day. */
  takeDays(found: readonly Row[]): Step | null {
    let entries = 0;
    this.days = found.flatMap((row, index) => {
      entries += row.entries as number;
      return index === 0 || entries <= ENTRIES_OF_ROUND ? [row.on_day as Day] : [];
    });
    this.#entries = found.map((row) => row.entries as number);
    this.isLast = entries < ENTRIES_OF_ROUND && found.length < ((found[0]?.most as number | undefined) ?? 1);
    if (this.days.length === 0) return null;
    this.#asked = 'kept';
    return this.#table.readKept(this.#merchantId, this.days);
  }

  /** Takes an answer, and gives the next statement. */
  takeRows(read: readonly Row[]): Step | null {
    if (this.#asked === 'kept') this.kept = read.map(this.#table.parse);
    if (this.#asked === 'rows') {
      this.rows.push(...read.map(this.#table.parse));
      this.#places = this.#places.map((place, lane) => this.#placeBehind(place, lane, read));
    }
    this.#asked = this.isWhole || this.#isOver ? null : 'rows';
    return this.#asked === null
      ? null
      : this.#table.readRows(this.#merchantId, this.days, this.#places, ENTRIES_OF_ROUND);
  }

  #placeBehind(place: string, lane: number, read: readonly Row[]): string {
    const ofLane = read.filter((row) => row.lane === lane);
    const entries = ofLane.reduce((sum, row) => sum + (row.entries as number), 0);
    const furthest = ofLane.map((row) => row.last as string).sort();
    return entries < ENTRIES_OF_ROUND ? this.#table.last : (furthest.at(-1) ?? place);
  }
}
