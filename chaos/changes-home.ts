import { until } from '../test/kit/service.ts';
import type { ChaosBench } from './chaos-bench.ts';

const HOME_MILLISECONDS = 30_000;
const CURSOR = 'select cursor from acquirer_cursors where merchant_id = $1';
/** A process that found no changes for long asks seldom: now there may be some. */
const ASK_NOW = 'update acquirer_cursors set due_at = now() where merchant_id = $1';
/** Beyond what anything here is decided after, and before the first payout. */
const AHEAD_MILLISECONDS = 86_400_000;

/**
 * Waits until everything that happened to these merchants' charges is on record here. A change whose call
 * was lost has happened at the acquirer all the same, and comes by itself; if it never does the judge says
 * so.
 */
export async function awaitChanges(bench: ChaosBench, merchantIds: Iterable<string>): Promise<void> {
  for (const merchantId of merchantIds) {
    await bench.query(ASK_NOW, [merchantId]);
    await until('the changes have come', () => isHome(bench, merchantId), HOME_MILLISECONDS).catch(() => {});
  }
}

/** Nothing is booked by looking for the next one. */
async function isHome(bench: ChaosBench, merchantId: string): Promise<boolean> {
  const [row] = await bench.query(CURSOR, [merchantId]);
  const after = row?.cursor == null ? '' : `&after=${encodeURIComponent(String(row.cursor))}`;
  const until = new Date(Date.now() + AHEAD_MILLISECONDS).toISOString();
  const url = `${bench.simulatorUrl}/changes/next?merchantId=${merchantId}&until=${until}${after}`;
  const response = await fetch(url).catch(() => null);
  if (response?.status !== 200) return false;
  return ((await response.json()) as { at: string | null }).at === null;
}
