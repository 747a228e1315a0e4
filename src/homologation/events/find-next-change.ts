import { type Instant, instant, utcText } from '../../values/instant.ts';
import type { EventTools } from './ask-for-event.ts';

const TIMEOUT_MILLISECONDS = 5_000;

/**
 * The business time of the next change that the simulator would bring this merchant, up to an
 * instant; null when there is none. The request books nothing. What is booked and was not pulled
 * yet may lie in the past. Throws when there is no answer.
 */
export async function findNextChange(
  { simulatorUrl, changes }: EventTools,
  merchantId: string,
  until: Instant,
): Promise<Instant | null> {
  const cursor = await changes.cursorOf(merchantId);
  const url = new URL('/changes/next', simulatorUrl);
  url.searchParams.set('merchantId', merchantId);
  url.searchParams.set('until', utcText(until));
  if (cursor !== null) url.searchParams.set('after', cursor);
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
  if (!response.ok) throw new Error(`the simulator answered ${response.status}`);
  const { at } = (await response.json()) as { at: string | null };
  return at === null ? null : instant(Date.parse(at));
}
