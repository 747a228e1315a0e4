import { createHash } from 'node:crypto';
import type { SettlementEvent } from '../settlement-entry.ts';
import { SettlementReading } from './settlement-reading.ts';

/**
 * Reads an acquirer's file as its bytes come, in memory that does not grow with it. Entries are kept for good
 * only at the `end`. A source that fails is its own failure, and thrown.
 */
export async function* readSettlementEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<SettlementEvent, void, undefined> {
  const digest = createHash('sha256');
  const reading = new SettlementReading();
  for await (const chunk of bytes) {
    digest.update(chunk);
    yield* reading.push(chunk);
    if (reading.isOver) break;
  }
  yield* reading.finish(() => digest.digest('hex'));
}
