import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type BenchService, openBenchService } from './bench-service.ts';
import {
  CHARGE_SPENDING_HEAD,
  type ChargeSpending,
  chargeSpendingCells,
  startSpending,
} from './charging/spending.ts';
import { kindsNamed, type PaymentKind } from './load/payment-kinds.ts';
import { runSteadily, STEADY_WARM_UP_SECONDS, type SteadyRun } from './load/steady-load.ts';
import { type Run, requireTools, runWrk } from './load/wrk-load.ts';
import { countWanted, KINDS, ROUNDS, SECONDS } from './options.ts';
import { type Cell, median, printMachine, printTable, runsText } from './table.ts';

const CONNECTIONS = 32;
/** More than the fastest run can use. */
const CARRIERS_PER_SECOND = 16_000;
const WARM_UP_SECONDS = 10;
const USUAL_RATE = 500;
/** Both modes rest so long behind a run, so that the follower's last batches are counted. */
const REST_MILLISECONDS = 3_000;
const LOOK_MILLISECONDS = 100;
const LONGEST_CATCHING_UP_MILLISECONDS = 600_000;
/** Behind every movement: a merchant that the follower finds nothing of. */
const BEHIND_ALL = 9_000_000_000_000_000n;

type Mode = 'without' | 'with';
const MODES: readonly Mode[] = ['without', 'with'];
type Measured = { readonly run: Run; readonly steady: SteadyRun; readonly spent: ChargeSpending };
type Pair = Readonly<Record<Mode, Measured>> & { readonly load: number };

/**
 * Payments beside the follower that writes what the acquirer owes for them, and without it: in turns on
 * the same service, whose follower finds nothing while cursors stand behind all movements. As many a
 * second as can be had, and what processors spend for each at a constant rate, which a busy machine
 * does not change.
 */
export async function benchFollower(): Promise<void> {
  requireTools();
  const [kind] = kindsNamed(KINDS.length > 0 ? KINDS : ['merchant']);
  if (kind === undefined) throw new Error('there is no such kind of payment');
  const rate = countWanted('rate', USUAL_RATE);
  const bench = await openBenchService();
  const client = new pg.Client(bench.server.connection);
  client.on('error', () => {});
  await client.connect();
  try {
    await setFollower(client, 'with');
    await runFully(bench, kind, WARM_UP_SECONDS);
    const pairs: Pair[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const measured = new Map<Mode, Measured>();
      for (const mode of round % 2 === 1 ? MODES : MODES.toReversed())
        measured.set(mode, await measure(bench, client, kind, mode, rate));
      const [load = 0] = loadavg();
      pairs.push({
        without: measured.get('without') as Measured,
        with: measured.get('with') as Measured,
        load,
      });
      console.error(`round ${round}:`, JSON.stringify(pairs.at(-1)));
    }
    printMachine(bench.postgresVersion, runsText());
    report(kind.title, rate, pairs);
  } finally {
    await client.end();
    await bench.close();
  }
}

async function runFully(bench: BenchService, kind: PaymentKind, seconds: number): Promise<Run> {
  return runWrk(await bench.loadOf(kind, CARRIERS_PER_SECOND * seconds), CONNECTIONS, seconds);
}

async function measure(
  bench: BenchService,
  client: pg.Client,
  kind: PaymentKind,
  mode: Mode,
  rate: number,
): Promise<Measured> {
  await setFollower(client, mode);
  const run = await runFully(bench, kind, SECONDS);
  await catchUp(client);
  const load = await bench.loadOf(kind, rate * (SECONDS + 10));
  const service = await bench.serviceFor(kind);
  const spentFor = startSpending(bench, service);
  const steady = await runSteadily(load, rate, SECONDS);
  await pause(REST_MILLISECONDS);
  await catchUp(client);
  return { run, steady, spent: spentFor(rate * (SECONDS + STEADY_WARM_UP_SECONDS) - steady.failed) };
}

/** What was sold without it is never followed: it begins at the newest movement again. */
async function setFollower(client: pg.Client, mode: Mode): Promise<void> {
  const from = mode === 'without' ? '$1::bigint' : 'coalesce((select max(movement_id) from movements), 0)';
  await client.query(
    `insert into receivable_cursors (merchant_id, after_number) select merchant_id, ${from} from merchants
     on conflict (merchant_id) do update set after_number = excluded.after_number`,
    mode === 'without' ? [BEHIND_ALL] : [],
  );
}

/** Until everything that was sold is followed. */
async function catchUp(client: pg.Client): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const { rows } = await client.query<{ behind: boolean }>(
      `select exists (
         select from movements v join receivable_cursors c on c.merchant_id = v.merchant_id
         where v.movement_id > c.after_number
       ) as behind`,
    );
    if (rows[0]?.behind === false) return;
    if (performance.now() - startedAt > LONGEST_CATCHING_UP_MILLISECONDS)
      throw new Error('the follower does not catch up');
    await pause(LOOK_MILLISECONDS);
  }
}

function report(title: string, rate: number, pairs: readonly Pair[]): void {
  const of = (mode: Mode, value: (one: Measured) => number) => median(pairs.map((pair) => value(pair[mode])));
  printTable(
    ['payments', 'follower', 'payments/s', 'p50 ms', 'p99 ms', 'failed'],
    MODES.map((mode): Cell[] => [
      title,
      mode,
      of(mode, ({ run }) => run.perSecond).toFixed(0),
      of(mode, ({ run }) => run.p50).toFixed(1),
      of(mode, ({ run }) => run.p99).toFixed(1),
      pairs.reduce((sum, pair) => sum + pair[mode].run.failed, 0),
    ]),
  );
  printTable(
    [`at ${rate}/s`, 'p50 ms', 'p99 ms', ...CHARGE_SPENDING_HEAD.map((head) => `${head}, µs`)],
    MODES.map((mode): Cell[] => [
      mode,
      of(mode, ({ steady }) => steady.p50).toFixed(1),
      of(mode, ({ steady }) => steady.p99).toFixed(1),
      ...chargeSpendingCells({
        gatewayMain: of(mode, ({ spent }) => spent.gatewayMain),
        gatewayOthers: of(mode, ({ spent }) => spent.gatewayOthers),
        postgres: of(mode, ({ spent }) => spent.postgres),
        simulator: of(mode, ({ spent }) => spent.simulator),
      }),
    ]),
  );
  const ratios = pairs.map((pair) => pair.with.run.perSecond / pair.without.run.perSecond);
  console.log(
    `\npayments a second, with / without, by pair: ${ratios.map((one) => one.toFixed(2)).join(', ')}`,
  );
  console.log(
    `median ${median(ratios).toFixed(2)}; load ${median(pairs.map(({ load }) => load)).toFixed(1)}`,
  );
}
