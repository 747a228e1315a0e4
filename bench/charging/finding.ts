import type { Database } from '../../src/platform/postgres/database.ts';
import { NO_WINDOW } from '../../src/recurrence/collection/day-window.ts';
import { FIRST_DUE_PLACE, findDueBillings } from '../../src/recurrence/collection/due-billings.sql.ts';
import type { BenchService } from '../bench-service.ts';
import { countWanted } from '../options.ts';
import { type Cell, median, percentile, printMachine, printTable } from '../table.ts';
import { type Explained, type ExplainingDatabase, explainingDatabase } from './explaining-database.ts';
import { type FindingDatabase, openFindingDatabase } from './finding-database.ts';

const FEW = 50_000;
const MANY = 5_000_000;
const DUE = 5_000;
const MERCHANTS = 50;
const PAID_BEFORE = 4;
const RUNS = 200;
const WARM_UP_RUNS = 20;
/** As many as the service looks for at a time. */
const FOUND_AT_ONCE = 256;
const AIM = 1.2;

type Size = { readonly billings: number; readonly database: FindingDatabase };

type Measured = {
  readonly billings: number;
  /** When the plan was made that the connection keeps. */
  readonly planned: string;
  readonly found: number;
  readonly runs: readonly Explained[];
};

/**
 * What it costs the server to find what is due, with few billings and with very many, of which the same
 * number is due; each in a database of its own, asked in turns. The plan is kept by its connection, as in
 * the service: made while the tables were empty, or after a vacuum.
 */
export async function benchFinding(bench: BenchService): Promise<void> {
  const many = countWanted('billings', MANY);
  await bench.stopServices();
  const sizes: Size[] = [];
  try {
    for (const [billings, name] of [
      [FEW, 'poucas'],
      [many, 'muitas'],
    ] as const) {
      sizes.push({ billings, database: await openFindingDatabase(bench, name, MERCHANTS) });
    }
    const early = await openFinders(sizes);
    for (const size of sizes) await load(size);
    const all = await measure(early, 'while the tables were empty');
    for (const { database } of sizes) await database.loader.vacuum();
    all.push(...(await measure(await openFinders(sizes), 'after a vacuum')));
    printMachine(bench.postgresVersion, `median of ${RUNS} runs in turns`);
    report(all);
  } finally {
    for (const { database } of sizes) await database.close();
  }
}

async function load({ billings, database }: Size): Promise<void> {
  const ahead = Math.round(billings / (PAID_BEFORE + 1)) - DUE;
  await database.loader.load({ now: Date.now(), due: DUE, ahead, paidBefore: PAID_BEFORE, isTrusted: true });
}

type Finder = { readonly billings: number; readonly explaining: ExplainingDatabase };

/** Each on a connection of its own, which has planned its statement by now. */
async function openFinders(sizes: readonly Size[]): Promise<Finder[]> {
  const finders = sizes.map(({ billings, database }): Finder => {
    return { billings, explaining: explainingDatabase(database.open()) };
  });
  for (const { explaining } of finders) await find(explaining.database);
  return finders;
}

async function measure(finders: readonly Finder[], planned: string): Promise<Measured[]> {
  const runs = new Map(finders.map((finder): [Finder, Explained[]] => [finder, []]));
  const found = new Map<Finder, number>();
  for (let run = -WARM_UP_RUNS; run < RUNS; run += 1) {
    for (const finder of finders) {
      finder.explaining.take();
      found.set(finder, await find(finder.explaining.database));
      if (run >= 0) runs.get(finder)?.push(finder.explaining.take());
    }
  }
  return finders.map((finder): Measured => {
    const { billings } = finder;
    return { billings, planned, found: found.get(finder) ?? 0, runs: runs.get(finder) ?? [] };
  });
}

/** Gives how many were found. */
async function find(database: Database): Promise<number> {
  const request = { window: NO_WINDOW, inHand: [], fromTurn: 0, limit: FOUND_AT_ONCE };
  const { billings } = await findDueBillings(database, request, FIRST_DUE_PLACE);
  return billings.length;
}

function report(all: readonly Measured[]): void {
  const costOf = ({ runs }: Measured) => median(runs.map(({ milliseconds }) => milliseconds));
  const rows = all.map((measured): Cell[] => {
    const { billings, planned, found, runs } = measured;
    const few = all.find((one) => one.planned === planned) as Measured;
    const times = runs.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
    return [
      billings,
      DUE,
      planned,
      found,
      costOf(measured).toFixed(3),
      percentile(times, 0.99).toFixed(3),
      median(runs.map(({ pages }) => pages)),
      median(runs.map(({ pagesRead }) => pagesRead)),
      (costOf(measured) / costOf(few)).toFixed(2),
    ];
  });
  printTable(
    [
      ...['billings', 'due', 'planned', 'found', 'p50 ms', 'p99 ms', 'pages', 'not in memory'],
      `times the first (aim: ${AIM})`,
    ],
    rows,
  );
}
