import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase, statement } from '../src/platform/postgres/database.ts';
import { runCommandHere } from '../test/kit/command.ts';
import { keyFileIn } from '../test/kit/keys.ts';
import { databaseUrl, startTestSimulator, type TestSimulator, until } from '../test/kit/service.ts';
import { type BenchService, openBenchService } from './bench-service.ts';
import { kindsNamed } from './load/payment-kinds.ts';
import { requireTools, runWrk } from './load/wrk-load.ts';
import { familyTime } from './measures/processes.ts';
import { ROUNDS, SECONDS } from './options.ts';
import { median, printMachine, printTable, runsText } from './table.ts';

const CLIENTS = 32;
const CARRIERS_PER_SECOND = 8_000;
const ESTABLISHMENT = '12345678-1234-1234-1234-123456789012';
const KEY = 'KEY-OF-A-BENCH-0123456789-0123456789-012';
const SIMULATED = {
  rede: [],
  // Every card is approved.
  cielo: ['--last-digit', '0'],
} as const;
const CAPTURES = ['atOnce', 'twoSteps'] as const;

type Way = { readonly rule: string; readonly simulator: TestSimulator };

/** Processor time in microseconds for each payment. */
type Spent = { readonly service: number; readonly postgres: number; readonly simulator: number };
type Measured = Spent & { readonly perSecond: number; readonly p50: number; readonly p99: number };

const NEWEST = statement(
  'bench.newest_acquirer',
  'select acquirer from transactions order by created_at desc limit 1',
);

/**
 * Payments per second by the bridge and by each adapter, in one step and in two, one after the other in each
 * round. The simulated acquirers take processor time of the same machine.
 */
export async function benchAdapters(): Promise<void> {
  requireTools();
  const bench = await openBenchService();
  const simulators: TestSimulator[] = [];
  try {
    const ways: Way[] = [{ rule: 'default', simulator: bench.simulator }];
    for (const program of ['rede', 'cielo'] as const) {
      const options = ['--ledger-sync', 'off', ...SIMULATED[program]];
      const simulator = await startTestSimulator(join(bench.folder, program), options, program);
      simulators.push(simulator);
      for (const capture of CAPTURES)
        ways.push({ rule: await addProvider(bench, { program, capture, url: simulator.url }), simulator });
    }
    const runs = new Map(ways.map((way): [Way, Measured[]] => [way, []]));
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [way, sofar] of runs) {
        const measured = await measure(bench, way);
        console.error(`round ${round}, ${way.rule}:`, measured);
        // The first warms up.
        if (round > 0) sofar.push(measured);
      }
    }
    report(bench, runs);
  } finally {
    await bench.close();
    for (const simulator of simulators) await simulator.stop();
  }
}

async function parcela({ server, folder }: BenchService, ...words: string[]): Promise<void> {
  const { code, printed, said } = await runCommandHere(words, {
    DATABASE_URL: databaseUrl(server.connection),
    PARCELA_DATA_DIR: join(folder, 'plain'),
    PARCELA_KEY_FILE: keyFileIn(folder),
  });
  if (code !== 0) throw new Error(printed + said);
}

async function addProvider(
  bench: BenchService,
  { program, capture, url }: { readonly program: string; readonly capture: string; readonly url: string },
): Promise<string> {
  const name = `${program}-${capture.toLowerCase()}`;
  const keyFile = join(bench.folder, 'establishment-key');
  await writeFile(keyFile, `${KEY}\n`);
  const provider = ['--kind', 'acquirer', '--name', name, '--adapter', program, '--url', url];
  const access = ['--establishment', ESTABLISHMENT, '--establishment-key-file', keyFile];
  await parcela(bench, 'provider', 'add', ...provider, ...access, '--setting', `capture=${capture}`);
  return name;
}

async function measure(bench: BenchService, way: Way): Promise<Measured> {
  const [kind] = kindsNamed(['token']);
  if (kind === undefined) throw new Error('there is no such kind of payment');
  await parcela(bench, 'provider', 'route', '--kind', 'acquirer', '--rule', way.rule);
  const database = openDatabase(bench.server.connection, () => {});
  try {
    await until(`payments go to ${way.rule}`, async () => {
      await runWrk(await bench.loadOf(kind, CARRIERS_PER_SECOND), CLIENTS, 1);
      return (await database.query(NEWEST, []))[0]?.acquirer === way.rule;
    });
  } finally {
    await database.close();
  }
  const load = await bench.loadOf(kind, CARRIERS_PER_SECOND * SECONDS);
  const service = await bench.serviceFor(kind);
  const secondsSoFar = (): Spent => ({
    service: familyTime(service.process.pid ?? 0),
    postgres: familyTime(bench.server.processId),
    simulator: familyTime(way.simulator.process.pid ?? 0),
  });
  const before = secondsSoFar();
  const { paid, perSecond, p50, p99 } = await runWrk(load, CLIENTS, SECONDS);
  const after = secondsSoFar();
  const each = (name: keyof Spent) => ((after[name] - before[name]) * 1e6) / paid;
  const spent = { service: each('service'), postgres: each('postgres'), simulator: each('simulator') };
  return { perSecond, p50, p99, ...spent };
}

function report(bench: BenchService, runs: ReadonlyMap<Way, readonly Measured[]>): void {
  const [bridge] = [...runs.values()].map((all) => median(all.map(({ perSecond }) => perSecond)));
  printMachine(bench.postgresVersion, runsText());
  printTable(
    [
      ...['payments, 32 connections', 'payments/s', 'of the bridge', 'p50 ms', 'p99 ms'],
      ...['service µs', 'PostgreSQL µs', 'acquirer µs'],
    ],
    [...runs].map(([{ rule }, all]) => {
      const of = (name: keyof Measured) => median(all.map((measured) => measured[name]));
      return [
        rule === 'default' ? 'bridge' : rule,
        of('perSecond').toFixed(0),
        (of('perSecond') / (bridge ?? 0)).toFixed(2),
        of('p50').toFixed(1),
        of('p99').toFixed(1),
        ...(['service', 'postgres', 'simulator'] as const).map((name) => of(name).toFixed(0)),
      ];
    }),
  );
}
