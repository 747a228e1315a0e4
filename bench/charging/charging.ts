import { type BenchService, openBenchService } from '../bench-service.ts';
import { requireTools } from '../load/wrk-load.ts';
import { benchBesideCharging } from './beside-payments.ts';
import { benchFinding } from './finding.ts';
import { benchNight } from './night.ts';
import { benchRate } from './rate.ts';

const PARTS: Readonly<Record<string, (bench: BenchService) => Promise<void>>> = {
  rate: benchRate,
  payments: benchBesideCharging,
  finding: benchFinding,
  night: benchNight,
};

/**
 * What it takes to charge what is due. `npm run bench -- recurrence rate`: one part; without a name
 * all of them, each in a bench of its own.
 */
export async function benchRecurrence(): Promise<void> {
  requireTools();
  const [, , , name] = process.argv;
  const names = name === undefined || name.startsWith('--') ? Object.keys(PARTS) : [name];
  const parts = names.map((one) => PARTS[one]);
  if (parts.includes(undefined))
    throw new Error(`usage: npm run bench -- recurrence ${Object.keys(PARTS).join(' | ')}`);
  for (const part of parts) {
    const bench = await openBenchService();
    try {
      await part?.(bench);
    } finally {
      await bench.close();
    }
  }
}
