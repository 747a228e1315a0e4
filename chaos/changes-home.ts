import { until } from '../test/kit/service.ts';
import type { ChaosBench } from './chaos-bench.ts';

const HOME_MILLISECONDS = 30_000;
const CURSOR = 'select cursor from acquirer_cursors where merchant_id = $1';
/** A process that found no changes for long asks seldom: now there may be some. */
const ASK_NOW = 'update acquirer_cursors set due_at = now() where merchant_id = $1';
/** Nothing falls due by reading this far. */
const LONG_AGO = '2001-01-01T00:00:00.000Z';

/**
 * Waits until everything that happened to these merchants' charges is on record here. A change
 * whose call was lost has happened at
 * the acquirer all the same, and comes by itself; if it never does the judge says so.
 */
export async function awaitChanges(bench: ChaosBench, merchantIds: Iterable<string>): Promise<void> {
  for (const merchantId of merchantIds) {
    await bench.query(ASK_NOW, [merchantId]);
    await until('the changes have come', () => isHome(bench, merchantId), HOME_MILLISECONDS).catch(() => {});
  }
}

async function isHome(bench: ChaosBench, merchantId: string): Promise<boolean> {
  const [row] = await bench.query(CURSOR, [merchantId]);
  const after = row?.cursor == null ? '' : `&after=${encodeURIComponent(String(row.cursor))}`;
  const url = `${bench.simulatorUrl}/changes?merchantId=${merchantId}&until=${LONG_AGO}&limit=1${after}`;
  const response = await fetch(url).catch(() => null);
  if (response?.status !== 200) return false;
  return ((await response.json()) as { items: unknown[] }).items.length === 0;
}
