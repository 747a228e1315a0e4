import { type BenchService, openBenchService } from './bench-service.ts';
import { measureFixedLimit } from './load/fixed-limit.ts';
import { type Limit, measureLimit } from './load/limit.ts';
import { kindsNamed, type PaymentKind } from './load/payment-kinds.ts';
import { runSteadily, type SteadyRun } from './load/steady-load.ts';
import { type Run, requireTools, runWrk } from './load/wrk-load.ts';
import { residentMegabytes } from './measures/processes.ts';
import { CONNECTIONS, KINDS, ROUNDS, SECONDS } from './options.ts';
import { type Cell, median, printMachine, printTable, runsText } from './table.ts';

const LIMIT_CLIENTS = 32;
/** The connections whose throughput is halved for the steady load. */
const HALVED_CONNECTIONS = 32;
/** More than the fastest run can use. */
const CARRIERS_PER_SECOND = 16_000;
const CARRIERS_PER_SECOND_OF_ONE = 4_000;
/**
 * Not measured: the just-in-time compiler is done with the hot path by then, as it is in a service
 * that runs for days.
 */
const WARM_UP_SECONDS = 3;

/** What one kind of payment was measured at, a value for each round. */
type Measured = {
  readonly kind: PaymentKind;
  readonly limits: Limit[];
  readonly fixedLimits: Limit[];
  readonly loneLimits: Limit[];
  readonly runs: ReadonlyMap<number, Run[]>;
  readonly steady: SteadyRun[];
};

/**
 * Payments per second through HTTP, with two durable commits each, beside the limit: pgbench writing the
 * same rows in the same commits on the same server with nothing around them. Interleaved, medians.
 */
export async function benchPayments(): Promise<void> {
  requireTools();
  const kinds = kindsNamed(KINDS.length > 0 ? KINDS : ['token', 'merchant', 'rules']);
  const bench = await openBenchService();
  try {
    const all = kinds.map((kind): Measured => {
      const runs = new Map(CONNECTIONS.map((connections): [number, Run[]] => [connections, []]));
      return { kind, limits: [], fixedLimits: [], loneLimits: [], runs, steady: [] };
    });
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const measured of all) await measureRound(bench, measured, round);
    }
    printMachine(bench.postgresVersion, runsText());
    reportThroughput(all);
    reportLoneClient(all);
    reportHalfLoad(all);
    for (const { kind } of all) {
      const service = await bench.serviceFor(kind);
      console.log(
        `\nmemory of the service for "${kind.title}": ${residentMegabytes(service.process.pid)} MB`,
      );
    }
  } finally {
    await bench.close();
  }
}

async function measureRound(bench: BenchService, measured: Measured, round: number): Promise<void> {
  const { kind, limits, fixedLimits, loneLimits, runs, steady } = measured;
  const { connection } = bench.server;
  if (round === 1)
    await runWrk(
      await bench.loadOf(kind, CARRIERS_PER_SECOND * WARM_UP_SECONDS),
      HALVED_CONNECTIONS,
      WARM_UP_SECONDS,
    );
  limits.push(await measureLimit(connection, kind, LIMIT_CLIENTS, SECONDS));
  fixedLimits.push(await measureFixedLimit(connection, LIMIT_CLIENTS, SECONDS));
  for (const [connections, sofar] of runs) {
    if (connections === 1) loneLimits.push(await measureLimit(connection, kind, 1, SECONDS));
    const carriers = (connections === 1 ? CARRIERS_PER_SECOND_OF_ONE : CARRIERS_PER_SECOND) * SECONDS;
    const run = await runWrk(await bench.loadOf(kind, carriers), connections, SECONDS);
    sofar.push(run);
    console.error(`round ${round}, ${kind.name}, ${connections} connections:`, run, 'limit:', limits.at(-1));
  }
  const whole = runs.get(HALVED_CONNECTIONS)?.at(-1);
  if (whole === undefined) return;
  const load = await bench.loadOf(kind, whole.perSecond * (SECONDS + 10));
  steady.push(await runSteadily(load, whole.perSecond / 2, SECONDS));
  console.error(`round ${round}, ${kind.name}, half load:`, steady.at(-1));
}

function reportThroughput(all: readonly Measured[]): void {
  const rows = all.flatMap(({ kind, limits, fixedLimits, runs }) =>
    [...runs].map(([connections, measured]): Cell[] => {
      const limit = median(limits.map(({ perSecond }) => perSecond));
      const fixed = median(fixedLimits.map(({ perSecond }) => perSecond));
      const perSecond = median(measured.map((run) => run.perSecond));
      return [
        kind.title,
        connections,
        perSecond.toFixed(0),
        limit.toFixed(0),
        (perSecond / limit).toFixed(2),
        fixed.toFixed(0),
        (perSecond / fixed).toFixed(2),
        median(measured.map(({ p50 }) => p50)).toFixed(2),
        median(measured.map(({ p99 }) => p99)).toFixed(1),
        measured.reduce((sum, { failed }) => sum + failed, 0),
      ];
    }),
  );
  printTable(
    [
      ...[
        'payments',
        'connections',
        'payments/s',
        'limit/s',
        'of the limit',
        'fixed limit/s',
        'of the fixed limit',
      ],
      ...['p50 ms', 'p99 ms', 'failed'],
    ],
    rows,
  );
}

function reportLoneClient(all: readonly Measured[]): void {
  const rows = all.flatMap(({ kind, loneLimits, runs }): Cell[][] => {
    const lone = runs.get(1);
    if (lone === undefined) return [];
    const commits = median(loneLimits.map(({ p50 }) => p50));
    const payment = median(lone.map(({ p50 }) => p50));
    return [[kind.title, commits.toFixed(2), payment.toFixed(2), (payment - commits).toFixed(2)]];
  });
  if (rows.length === 0) return;
  printTable(
    ['payments, a lone client', 'two bare commits, p50 ms', 'payment, p50 ms', 'difference ms'],
    rows,
  );
}

function reportHalfLoad(all: readonly Measured[]): void {
  const rows = all.flatMap(({ kind, steady }): Cell[][] => {
    if (steady.length === 0) return [];
    const of = (name: Exclude<keyof SteadyRun, 'failed'>) => median(steady.map((run) => run[name]));
    return [
      [
        kind.title,
        of('perSecond').toFixed(0),
        of('p50').toFixed(2),
        of('p99').toFixed(1),
        of('p999').toFixed(1),
        of('slowest').toFixed(0),
        of('lateP99').toFixed(1),
        steady.reduce((sum, { failed }) => sum + failed, 0),
      ],
    ];
  });
  if (rows.length === 0) return;
  printTable(
    [
      'payments, half load',
      'sent/s',
      'p50 ms',
      'p99 ms',
      'p99.9 ms',
      'slowest ms',
      'sent late, p99 ms',
      'failed',
    ],
    rows,
  );
}
