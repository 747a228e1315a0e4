import type { Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import { type ResealTools, resealRows, retiredKeysOf } from './reseal-rows.ts';
import { countSealedRows, type SealedTable } from './sealed-rows.sql.ts';

const FOLLOW_MILLISECONDS = 1_000;
const TIDY_MILLISECONDS = 60_000;

/**
 * Seals again what retired keys have sealed in the tables: a rotation is finished even when its
 * process was killed. Once nothing is under a retired key nothing will be, so that each is read
 * until then.
 */
export function finishResealing(tools: ResealTools, tables: readonly SealedTable[]): Work {
  const finished = new Set<number>();
  let pausedUntil = 0;
  return everySoOften('finishResealing', FOLLOW_MILLISECONDS, async (signal) => {
    const waiting = retiredKeysOf(tools.keyring, tables).filter((key) => !finished.has(key));
    if (waiting.length === 0 || performance.now() < pausedUntil) return;
    const { resealed } = await resealRows(tools, tables, undefined, signal);
    const counts = await countSealedRows(tools.database, tables, waiting);
    for (const key of waiting) if (!counts.has(key)) finished.add(key);
    // The remaining rows are locked, or do not open: an alarm from time to time is enough.
    if (counts.size > 0 && resealed === 0) pausedUntil = performance.now() + TIDY_MILLISECONDS;
  });
}
