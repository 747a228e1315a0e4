import { closeSync, openSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SETTINGS } from '../../src/app/settings.ts';
import { keyFileIn } from '../../test/kit/keys.ts';
import { type Service, startService } from '../../test/kit/service.ts';
import { addressSettings, type ChaosBench, openChaosBench, type Shop } from '../chaos-bench.ts';

const SILENT_NAMES = fileURLToPath(new URL('silent-names.ts', import.meta.url));

/** One service as an operator starts it, on a database and an acquirer of its own, and three merchants. */
export type CrowdBench = {
  readonly bench: ChaosBench;
  readonly service: Service;
  /** They pay, and must not notice anything. */
  readonly wells: readonly Shop[];
  /** It attacks, and so do strangers. */
  readonly third: Shop;
  /** What the service warned of, by its sentence. */
  warnings(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
};

/** Limits that stand against the attacks, with the numbers that they have unless an operator sets others. */
const LIMITS = [
  'PARCELA_CONNECTIONS',
  'PARCELA_CONNECTIONS_PER_ADDRESS',
  'PARCELA_REQUESTS_AT_ONCE',
  'PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL',
  'PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT',
];
/** Of few a minute a part would be too few for the merchants that do no harm. */
const WHOLE_LIMITS = ['PARCELA_REGISTRATIONS_PER_MINUTE'];

/** Attacks of a part of their size meet limits of that part. */
function limitSettings(size: number): Record<string, string> {
  const partOf = (names: readonly string[], part: number) =>
    SETTINGS.filter(({ name }) => names.includes(name)).map(({ name, preset }) => [
      name,
      String(Math.ceil(Number(preset) * part)),
    ]);
  return Object.fromEntries([...partOf(LIMITS, size), ...partOf(WHOLE_LIMITS, 1)]);
}

export async function openCrowdBench(seed: number, size: number): Promise<CrowdBench> {
  const bench = await openChaosBench(seed, { shops: 3 });
  try {
    const log = join(bench.folder, 'service.log');
    const logFile = openSync(log, 'w');
    const service = await startService({
      folder: bench.folder,
      logFile,
      settings: {
        ...addressSettings(bench.address),
        PARCELA_ACQUIRER_URL: bench.simulatorUrl,
        PARCELA_KEY_FILE: keyFileIn(bench.folder),
        ...limitSettings(size),
        NODE_OPTIONS: `--import=${SILENT_NAMES}`,
      },
    });
    closeSync(logFile);
    const [one, other, third] = bench.shops as [Shop, Shop, Shop];
    return {
      bench,
      service,
      wells: [one, other],
      third,
      warnings: () => warningsIn(log),
      close: async () => {
        await service.kill();
        await bench.close();
      },
    };
  } catch (error) {
    await bench.close();
    throw error;
  }
}

/** A log of hours is not read whole: its end says what went wrong as well. */
const MOST_LOG_BYTES = 256 * 1024 * 1024;

async function warningsIn(log: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  if (statSync(log).size > MOST_LOG_BYTES) return counts;
  for (const line of (await readFile(log, 'utf8')).split('\n')) {
    if (!/"level":"(?:error|warn)"/.test(line)) continue;
    const { msg, reason } = JSON.parse(line) as { readonly msg: string; readonly reason?: string };
    const text = reason === undefined ? msg : `${msg} (${reason})`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}
