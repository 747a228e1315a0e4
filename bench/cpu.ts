import { writeFile } from 'node:fs/promises';
import { type BenchHouse, openBenchHouse } from './bench-house.ts';
import { kindsNamed, type PaymentKind } from './load/payment-kinds.ts';
import { requireTools, runWrk } from './load/wrk-load.ts';
import { type CpuProfile, IDLE, timeByFunction, timeByPart } from './measures/cpu-profile.ts';
import { inspect } from './measures/inspector.ts';
import { endedChildrenTime, familyTime, threadTimes } from './measures/processes.ts';
import { CONNECTIONS, KINDS, SECONDS } from './options.ts';
import { type Cell, printMachine, printTable } from './table.ts';

const CARRIERS_PER_SECOND = 16_000;
/** The just-in-time compiler is done with the hot path by then. */
const WARM_UP_SECONDS = 3;
const PROFILED_CONNECTIONS = 32;
const SAMPLING_MICROSECONDS = 200;
const MOST_FUNCTIONS = 25;

/** Microseconds of processor time for each payment, by process. */
type Spent = {
  readonly gatewayMain: number;
  readonly gatewayOthers: number;
  readonly postgres: number;
  readonly simulator: number;
  readonly load: number;
};

/** Where the processor time of a payment goes: by process, and in the gateway by part of the work. */
export async function benchCpu(): Promise<void> {
  requireTools();
  const kinds = kindsNamed(KINDS.length > 0 ? KINDS : ['token', 'merchant', 'rules']);
  const house = await openBenchHouse();
  try {
    const rows: Cell[][] = [];
    const parts: { readonly kind: PaymentKind; readonly times: ReadonlyMap<string, number> }[] = [];
    for (const kind of kinds) {
      await runWrk(await house.loadOf(kind, CARRIERS_PER_SECOND * WARM_UP_SECONDS), 32, WARM_UP_SECONDS);
      for (const connections of CONNECTIONS) rows.push(await measureSpending(house, kind, connections));
      parts.push({ kind, times: await profileParts(house, kind) });
    }
    printMachine(house.postgresVersion, `runs of ${SECONDS} s`);
    console.log('\nMicroseconds of processor time for each payment, by process:');
    printTable(
      [
        'payments',
        'connections',
        'gateway: JavaScript',
        'its other threads',
        'PostgreSQL',
        'simulator',
        'load',
        'sum',
        'payments/s',
      ],
      rows,
    );
    reportParts(parts);
  } finally {
    await house.close();
  }
}

async function measureSpending(house: BenchHouse, kind: PaymentKind, connections: number): Promise<Cell[]> {
  const load = await house.loadOf(kind, CARRIERS_PER_SECOND * SECONDS);
  const before = await spentSoFar(house, kind);
  const run = await runWrk(load, connections, SECONDS);
  const after = await spentSoFar(house, kind);
  const each = (name: keyof Spent) => Math.round(((after[name] - before[name]) * 1e6) / run.paid);
  const cells = (['gatewayMain', 'gatewayOthers', 'postgres', 'simulator', 'load'] as const).map(each);
  return [
    kind.title,
    connections,
    ...cells,
    cells.reduce((sum, one) => sum + one, 0),
    run.perSecond.toFixed(0),
  ];
}

/** In seconds. */
async function spentSoFar(house: BenchHouse, kind: PaymentKind): Promise<Spent> {
  const gateway = threadTimes((await house.serviceFor(kind)).process.pid ?? 0);
  return {
    gatewayMain: gateway.main,
    gatewayOthers: gateway.others,
    postgres: familyTime(house.server.processId),
    simulator: familyTime(house.simulator.process.pid ?? 0),
    load: endedChildrenTime(),
  };
}

/** Microseconds of the gateway's main thread for each payment, by part. */
async function profileParts(house: BenchHouse, kind: PaymentKind): Promise<ReadonlyMap<string, number>> {
  const load = await house.loadOf(kind, CARRIERS_PER_SECOND * SECONDS);
  const service = await house.serviceFor(kind);
  const processId = service.process.pid ?? 0;
  const { profile, spentEach } = await inspect(service, async ({ send }) => {
    await send('Profiler.enable');
    await send('Profiler.setSamplingInterval', { interval: SAMPLING_MICROSECONDS });
    await send('Profiler.start');
    const before = threadTimes(processId).main;
    const run = await runWrk(load, PROFILED_CONNECTIONS, SECONDS);
    const spent = (threadTimes(processId).main - before) * 1e6;
    const { profile } = (await send('Profiler.stop')) as { profile: CpuProfile };
    return { profile, spentEach: spent / run.paid };
  });
  await keepProfile(kind, profile);
  const times = timeByPart(profile);
  times.delete(IDLE);
  const sampled = [...times.values()].reduce((sum, time) => sum + time, 0);
  // Samples count time on the clock, also while another process had the core: the shares are theirs, the sum the kernel's.
  return new Map([...times].map(([part, time]) => [part, (time / sampled) * spentEach]));
}

/** `PROFILE=folder` keeps the profiles, for a viewer, and prints the functions that took most. */
async function keepProfile(kind: PaymentKind, profile: CpuProfile): Promise<void> {
  const folder = process.env.PROFILE;
  if (folder === undefined) return;
  await writeFile(`${folder}/${kind.name}.cpuprofile`, JSON.stringify(profile));
  const times = timeByFunction(profile);
  times.delete('(idle)');
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  const most = [...times].sort(([, one], [, other]) => other - one).slice(0, MOST_FUNCTIONS);
  printTable(
    [`functions, "${kind.title}"`, 'share'],
    most.map(([name, time]) => [name, `${((time / all) * 100).toFixed(1)} %`]),
  );
}

function reportParts(
  all: readonly { readonly kind: PaymentKind; readonly times: ReadonlyMap<string, number> }[],
): void {
  const names = [...new Set(all.flatMap(({ times }) => [...times.keys()]))];
  const total = (name: string) => all.reduce((sum, { times }) => sum + (times.get(name) ?? 0), 0);
  const rows = names
    .sort((one, other) => total(other) - total(one))
    .map((name) => [name, ...all.map(({ times }) => Math.round(times.get(name) ?? 0))]);
  const sums = all.map(({ times }) => Math.round([...times.values()].reduce((sum, time) => sum + time, 0)));
  console.log(
    `\nMicroseconds of the gateway's main thread for each payment at ${PROFILED_CONNECTIONS} connections, while it is profiled:`,
  );
  printTable(['part', ...all.map(({ kind }) => kind.title)], [...rows, ['sum', ...sums]]);
}
