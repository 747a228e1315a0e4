import { setTimeout as pause } from 'node:timers/promises';
import { type Auditor, openAuditor, type Service } from '../../test/kit/service.ts';
import type { BenchService } from '../bench-service.ts';
import { PAYMENT_KINDS } from '../load/payment-kinds.ts';
import { inspect } from '../measures/inspector.ts';
import { residentMegabytes } from '../measures/processes.ts';
import { sampleMemory } from '../memory.ts';
import { NIGHT } from '../options.ts';
import { type Cell, printMachine, printTable } from '../table.ts';
import { openDueLoader } from './load-due.ts';
import { type Charged, readCharged, untilCharged } from './watch-charges.ts';

const MERCHANTS = 100;
const ROWS = 20;
const SAMPLE_MILLISECONDS = 1_000;
const AIM_MEGABYTES = 300;
/** What was needed once is given back some time after the last charge. */
const REST_MILLISECONDS = 10_000;
const MEGABYTE = 1024 * 1024;

type Night = {
  readonly rows: readonly Cell[][];
  readonly charged: Charged;
  readonly mostMegabytes: number;
  readonly megabytesAfter: number;
  readonly heapAfter: number;
};

/**
 * Everything that is due in one night, from the start of the service to the last outcome, with its
 * memory looked at every second.
 */
export async function benchNight(bench: BenchService): Promise<void> {
  const auditor = openAuditor(bench.server.connection);
  try {
    await bench.stopServices();
    const tools = { ...bench.tools, address: bench.server.connection };
    const loader = await openDueLoader(tools, 'noite', MERCHANTS);
    await loader.load({ now: Date.now(), due: NIGHT, ahead: 0, paidBefore: 1, isBare: true });
    await loader.vacuum();
    await loader.close();
    const night = await chargeNight(bench, auditor, loader.merchantIds);
    if (night.charged.count !== NIGHT) throw new Error(`${night.charged.count} of ${NIGHT} were charged`);
    report(bench, night);
  } finally {
    await auditor.close();
  }
}

async function chargeNight(
  bench: BenchService,
  auditor: Auditor,
  merchantIds: readonly string[],
): Promise<Night> {
  const since = Date.now();
  const service = await bench.serviceFor(PAYMENT_KINDS.stored);
  const watch = watchMemory(service);
  const rows: Cell[][] = [];
  const startedAt = performance.now();
  let last = { charged: 0, at: startedAt };
  await untilCharged(service, auditor, NIGHT, async (charged) => {
    if (charged < ((rows.length + 1) * NIGHT) / ROWS) return;
    const at = performance.now();
    const perSecond = ((charged - last.charged) * 1_000) / (at - last.at);
    const memory = await sampleMemory(service);
    rows.push([
      charged,
      ((at - startedAt) / 60_000).toFixed(1),
      perSecond.toFixed(0),
      ...memory,
      watch.most(),
    ]);
    console.error(...(rows.at(-1) as Cell[]));
    last = { charged, at };
  });
  await watch.stop();
  const charged = await readCharged(auditor, merchantIds, since);
  await pause(REST_MILLISECONDS);
  const megabytesAfter = residentMegabytes(service.process.pid);
  return { rows, charged, mostMegabytes: watch.most(), megabytesAfter, heapAfter: await heapInUse(service) };
}

function report(
  bench: BenchService,
  { rows, charged, mostMegabytes, megabytesAfter, heapAfter }: Night,
): void {
  printMachine(bench.postgresVersion, `one night of ${MERCHANTS} merchants`);
  const memory = ['resident MB', 'heap in use MB', 'outside of the heap MB', 'most resident so far MB'];
  printTable(['charged', 'minutes', 'charges/s', ...memory], rows);
  printTable(
    ['due', 'minutes', 'charges/s', 'most resident MB', 'after it', 'heap in use after it', 'aim, MB'],
    [
      [
        ...[NIGHT, (charged.seconds / 60).toFixed(1), (charged.count / charged.seconds).toFixed(0)],
        ...[mostMegabytes, megabytesAfter, heapAfter, AIM_MEGABYTES],
      ],
    ],
  );
}

/** Looks at the resident memory of the service every second, from its first second on. */
function watchMemory(service: Service) {
  const samples = [residentMegabytes(service.process.pid)];
  const stopping = new AbortController();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await pause(SAMPLE_MILLISECONDS, undefined, { signal: stopping.signal }).catch(() => {});
      samples.push(residentMegabytes(service.process.pid));
    }
  })();
  return {
    most: () => samples.reduce((most, sample) => Math.max(most, sample), 0),
    stop() {
      stopping.abort();
      return watching;
    },
  };
}

/** When all garbage is gone, in megabytes. */
async function heapInUse(service: Service): Promise<number> {
  const { usedSize } = await inspect(service, async ({ send }) => {
    await send('HeapProfiler.collectGarbage');
    return (await send('Runtime.getHeapUsage')) as { usedSize: number };
  });
  return Math.round(usedSize / MEGABYTE);
}
