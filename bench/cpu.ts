import { type BenchService, openBenchService } from './bench-service.ts';
import { kindsNamed, type PaymentKind } from './load/payment-kinds.ts';
import { requireTools, runWrk } from './load/wrk-load.ts';
import { endedChildrenTime, familyTime, threadTimes } from './measures/processes.ts';
import { printParts, profileGateway } from './measures/profile-gateway.ts';
import { CONNECTIONS, KINDS, SECONDS } from './options.ts';
import { type Cell, printMachine, printTable } from './table.ts';

const CARRIERS_PER_SECOND = 16_000;
/** The just-in-time compiler is done with the hot path by then. */
const WARM_UP_SECONDS = 3;
const PROFILED_CONNECTIONS = 32;

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
  const bench = await openBenchService();
  try {
    const rows: Cell[][] = [];
    const parts = new Map<string, ReadonlyMap<string, number>>();
    for (const kind of kinds) {
      await runWrk(await bench.loadOf(kind, CARRIERS_PER_SECOND * WARM_UP_SECONDS), 32, WARM_UP_SECONDS);
      for (const connections of CONNECTIONS) rows.push(await measureSpending(bench, kind, connections));
      parts.set(kind.title, await profileParts(bench, kind));
    }
    printMachine(bench.postgresVersion, `runs of ${SECONDS} s`);
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
    console.log(
      `\nMicroseconds of the gateway's main thread for each payment at ${PROFILED_CONNECTIONS} connections, while it is profiled:`,
    );
    printParts(parts);
  } finally {
    await bench.close();
  }
}

async function measureSpending(bench: BenchService, kind: PaymentKind, connections: number): Promise<Cell[]> {
  const load = await bench.loadOf(kind, CARRIERS_PER_SECOND * SECONDS);
  const before = await spentSoFar(bench, kind);
  const run = await runWrk(load, connections, SECONDS);
  const after = await spentSoFar(bench, kind);
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
async function spentSoFar(bench: BenchService, kind: PaymentKind): Promise<Spent> {
  const gateway = threadTimes((await bench.serviceFor(kind)).process.pid ?? 0);
  return {
    gatewayMain: gateway.main,
    gatewayOthers: gateway.others,
    postgres: familyTime(bench.server.processId),
    simulator: familyTime(bench.simulator.process.pid ?? 0),
    load: endedChildrenTime(),
  };
}

/** Microseconds of the gateway's main thread for each payment, by part. */
async function profileParts(bench: BenchService, kind: PaymentKind): Promise<ReadonlyMap<string, number>> {
  const load = await bench.loadOf(kind, CARRIERS_PER_SECOND * SECONDS);
  return profileGateway(await bench.serviceFor(kind), kind.name, async () => {
    return (await runWrk(load, PROFILED_CONNECTIONS, SECONDS)).paid;
  });
}
