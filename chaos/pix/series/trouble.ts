import type { Chance } from '../../chance.ts';
import type { ChaosBench } from '../../chaos-bench.ts';
import { again } from '../../recurrence/patience.ts';
import { orderForSeries } from './bank.ts';

const UNDONE = ['silent', 'unavailable', 'unauthorized', 'tooManyRequests', 'conflict'] as const;
const DONE = [
  'booksButSilent',
  'booksButUnavailable',
  'booksButConflict',
  'late',
  'garbage',
  'reset',
] as const;
const OF_CODES = ['wrongAmount', 'withoutCode'] as const;

/** What the bank does of its own where charges are made by the calendar, by its operation. */
const TROUBLE: Readonly<Record<string, readonly string[]>> = {
  'PUT /cob': [...UNDONE, ...DONE, ...OF_CODES],
  'GET /cob': [...UNDONE, ...DONE, 'withoutCode', 'withoutPix', 'notFound'],
  'PATCH /cob': [...UNDONE, ...DONE, 'notFound'],
  'POST /locrec': [...UNDONE, ...DONE],
  'POST /rec': [...UNDONE, ...DONE],
  'GET /rec': [...UNDONE, ...DONE, 'notFound'],
  'PATCH /rec': [...UNDONE, ...DONE, 'notFound'],
  'POST /solicrec': [...UNDONE, ...DONE],
  'PUT /cobr': [...UNDONE, ...DONE],
  'GET /cobr': [...UNDONE, ...DONE, 'withoutPix', 'notFound'],
  'PATCH /cobr': [...UNDONE, ...DONE, 'notFound'],
  'POST /cobr/retentativa': [...UNDONE, ...DONE],
};
const STEPS = 6;

/** To the next requests about this merchant; 0: nothing any more. */
export async function spoilBankOfSeries(
  bench: ChaosBench,
  merchantId: string,
  chance: Chance,
  share: number,
): Promise<void> {
  for (const [on, faults] of Object.entries(TROUBLE)) {
    const steps = Array.from({ length: share === 0 ? 0 : STEPS }, () =>
      chance.isIn(share) ? { fault: chance.pick(faults) } : {},
    );
    await again(async () => {
      const written = await orderForSeries(bench, merchantId, 'script', { on, steps });
      if (written?.status !== 200) throw new Error(`a script was answered ${JSON.stringify(written?.body)}`);
    });
  }
}
