import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../platform/postgres/database.ts';
import { freshReads } from '../../platform/prepared-reads.ts';
import { findWriters, readLastNumber } from './movements.sql.ts';

/** Commits take milliseconds. A commit that waits for a lock or a slow disk is not awaited. */
const LONGEST_WAIT_MILLISECONDS = 1_000;
const PAUSE_MILLISECONDS = 10;

/**
 * The watermark is the number up to which no new movement can appear. Numbers are taken before commits, so a
 * higher one may be visible while a lower one is still being committed, and a merchant that has read the
 * higher one would never ask for the lower. So the last number is read first, then the writers that may have
 * taken one up to it, and then their end is awaited. Returns the number as of the call or later; if a writer
 * does not end, the last one found; 0 if none was.
 */
export function openWatermark(database: Database): () => Promise<number> {
  let watermark = 0;
  const lookAgain = freshReads(async () => {
    watermark = (await findWatermark(database)) ?? watermark;
  });
  return async () => {
    await lookAgain();
    return watermark;
  };
}

/** Null: a writer did not end in time. */
async function findWatermark(database: Database): Promise<number | null> {
  const last = await readLastNumber(database);
  let writers = await findWriters(database);
  const endsAt = performance.now() + LONGEST_WAIT_MILLISECONDS;
  while (writers.size > 0) {
    if (performance.now() > endsAt) return null;
    await pause(PAUSE_MILLISECONDS);
    // Writers that began after the last number was read take higher ones.
    writers = writers.intersection(await findWriters(database));
  }
  return last;
}
