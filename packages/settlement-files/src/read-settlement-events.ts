import { createHash } from 'node:crypto';
import type { SettlementEvent } from './entry.ts';
import { SettlementReading } from './settlement-reading.ts';

/** Uses constant memory. Entries count only after `end`. An error of the byte source is thrown. */
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
