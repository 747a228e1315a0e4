import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '../test/kit/service.ts';
import { openBenchService } from './bench-service.ts';
import { kindsNamed } from './load/payment-kinds.ts';
import { type Load, requireTools, startWrk } from './load/wrk-load.ts';
import { inspect } from './measures/inspector.ts';
import { residentMegabytes } from './measures/processes.ts';
import { KINDS, paymentsWanted } from './options.ts';
import { type Cell, printMachine, printTable } from './table.ts';

const CONNECTIONS = 64;
const PAYMENTS_BETWEEN_SAMPLES = 50_000;
const LOOK_MILLISECONDS = 250;
/** An access token lives for an hour; a load gets a new one well before. */
const SECONDS_PER_LOAD = 1_200;
const MEGABYTE = 1024 * 1024;

/** Whether the service's memory stays flat over a million payments. */
export async function benchMemory(): Promise<void> {
  requireTools();
  const wanted = paymentsWanted();
  const [kind] = kindsNamed(KINDS.length > 0 ? KINDS : ['merchant']);
  if (kind === undefined || kind.cardSource !== 'vaultId')
    throw new Error('KINDS: one that pays by stored card');
  const bench = await openBenchService();
  try {
    const service = await bench.serviceFor(kind);
    const rows: Cell[][] = [[0, ...(await sampleMemory(service)), '']];
    const startedAt = performance.now();
    while (Number(rows.at(-1)?.[0]) < wanted) {
      await payAndSample(await bench.loadOf(kind, 0), service, wanted, rows);
    }
    const perSecond = (Number(rows.at(-1)?.[0]) * 1_000) / (performance.now() - startedAt);
    rows.push([`${rows.at(-1)?.[0]}, all collected`, ...(await sampleAfterCollection(service)), '']);
    printMachine(
      bench.postgresVersion,
      `"${kind.title}", ${CONNECTIONS} connections, ${perSecond.toFixed(0)} payments/s`,
    );
    printTable(['payments', 'resident MB', 'heap in use MB', 'outside of the heap MB', 'payments/s'], rows);
  } finally {
    await bench.close();
  }
}

/** Pays until `wanted` are paid or the load's time is over; adds a row whenever so many more are paid. */
async function payAndSample(load: Load, service: Service, wanted: number, rows: Cell[][]): Promise<void> {
  const wrk = await startWrk(load, CONNECTIONS, SECONDS_PER_LOAD);
  let last = { paid: await countPaid(service), at: performance.now() };
  while (wrk.process.exitCode === null && Number(rows.at(-1)?.[0]) < wanted) {
    await pause(LOOK_MILLISECONDS);
    const paid = await countPaid(service);
    const next = Number(rows.at(-1)?.[0]) + PAYMENTS_BETWEEN_SAMPLES;
    if (paid < Math.min(next, wanted)) continue;
    const now = performance.now();
    const perSecond = ((paid - last.paid) * 1_000) / (now - last.at);
    rows.push([paid, ...(await sampleMemory(service)), perSecond.toFixed(0)]);
    console.error(...(rows.at(-1) ?? []));
    last = { paid, at: now };
  }
  // It ends as if its time were over, and says what failed.
  wrk.process.kill('SIGINT');
  const { failed } = await wrk.finish();
  if (failed > 0) console.error(`${failed} requests failed`);
}

async function readMetrics(service: Service): Promise<string> {
  return (await fetch(service.metricsUrl)).text();
}

async function countPaid(service: Service): Promise<number> {
  const lines = (await readMetrics(service)).split('\n');
  const line = lines.find(
    (text) =>
      text.startsWith('http_server_request_duration_seconds_count') &&
      text.includes('"/v1/payments"') &&
      text.includes('"200"'),
  );
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** Resident, heap in use, outside of the heap: megabytes. */
export async function sampleMemory(service: Service): Promise<Cell[]> {
  const text = await readMetrics(service);
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]) / MEGABYTE);
  return [
    residentMegabytes(service.process.pid),
    megabytes('nodejs_heap_size_used_bytes'),
    megabytes('nodejs_external_memory_bytes'),
  ];
}

/** What is still held when nothing is under way and all garbage is gone. */
async function sampleAfterCollection(service: Service): Promise<Cell[]> {
  const { usedSize } = await inspect(service, async ({ send }) => {
    await send('HeapProfiler.collectGarbage');
    return (await send('Runtime.getHeapUsage')) as { usedSize: number };
  });
  const [resident = '', , outside = ''] = await sampleMemory(service);
  return [resident, Math.round(usedSize / MEGABYTE), outside];
}
