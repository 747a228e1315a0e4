import type { Database, Row, Step } from '../../platform/postgres/database.ts';
import { hasSqlState, SQL_STATE } from '../../platform/postgres/sql-states.ts';
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
export const SUMMING_MILLISECONDS = 30_000;

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

/** The days of a round. `leftOut`: those of them that were not read in their time, and are not compared. */
export type VerifiedSums = {
  readonly summed: Summed;
  readonly after: Day;
  readonly isLast: boolean;
  readonly days: readonly Day[];
  readonly leftOut: number;
  readonly found: readonly SumDifference[];
};

/** Compares what is kept of the next days of a run with their rows, of receivables and of billings. */
export async function verifySums(database: Database, run: TruthRun): Promise<VerifiedSums[]> {
  const verified: VerifiedSums[] = [];
  for (const table of KEPT_TABLES) verified.push(await verifyRound(database, run, table));
  return verified;
}

async function verifyRound(database: Database, run: TruthRun, table: KeptTable): Promise<VerifiedSums> {
  const { merchantId, fromOn } = run;
  const { summed, columns } = table;
  const after = run.afterDays[summed];
  const differing = await listDifferingDays(database, merchantId, summed, fromOn, DAYS_OF_ROUND);
  const named = [...daysInTurn(run), ...differing].sort();
  const round = new Round(table, merchantId);
  const isWhole = await readRound(
    database,
    round,
    table.findDays(merchantId, after, fromOn, named, ENTRIES_OF_ROUND, DAYS_OF_ROUND),
  );
  const { days, isLast, rows, kept } = round;
  return {
    summed,
    after: days.at(-1) ?? after,
    isLast,
    days: isWhole ? days : [],
    leftOut: isWhole ? 0 : days.length,
    found: isWhole ? compareSums(summed, columns, { rows, kept }) : [],
  };
}

/** All of it as of one moment, for payments go on meanwhile. False: not all of it was read in its time. */
async function readRound(database: Database, round: Round, findDays: Step): Promise<boolean> {
  const takeRows = (read: readonly Row[][]) => round.takeRows(read.at(-1) ?? []);
  try {
    await database.commit([
      ONE_MOMENT,
      findDays,
      (read) => round.takeDays(read.at(-1) ?? []),
      ...Array.from({ length: STATEMENTS_OF_DAY + 1 }, () => takeRows),
    ]);
  } catch (error) {
    // The verification goes on behind days whose rows take too long.
    if (!hasSqlState(error, SQL_STATE.queryCanceled) || round.days.length === 0) throw error;
    return false;
  }
  return round.isWhole;
}

/** What is read of a round, statement by statement. */
class Round {
  readonly #table: KeptTable;
  readonly #merchantId: string;
  readonly #endsAt = performance.now() + SUMMING_MILLISECONDS;
  #places: readonly string[];
  /** What the answer to the statement before is. */
  #asked: 'kept' | 'rows' | null = null;
  days: readonly Day[] = [];
  isLast = true;
  kept: readonly DayOfSums[] = [];
  readonly rows: DayOfSums[] = [];

  constructor(table: KeptTable, merchantId: string) {
    this.#table = table;
    this.#merchantId = merchantId;
    this.#places = table.first;
  }

  get isWhole(): boolean {
    return this.days.length === 0 || this.#places.every((place) => place === this.#table.last);
  }

  /** As many days as one statement reads, or one day. */
  takeDays(found: readonly Row[]): Step | null {
    let entries = 0;
    this.days = found.flatMap((row, index) => {
      entries += row.entries as number;
      return index === 0 || entries <= ENTRIES_OF_ROUND ? [row.on_day as Day] : [];
    });
    this.isLast = entries < ENTRIES_OF_ROUND && found.length < DAYS_OF_ROUND;
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
    this.#asked = this.isWhole || performance.now() > this.#endsAt ? null : 'rows';
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
