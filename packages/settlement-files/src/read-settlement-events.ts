import { createHash, type Hash } from 'node:crypto';
import type { SettlementEvent } from './entry.ts';
import { SettlementReading } from './settlement-reading.ts';
import { plainBytes } from './text-lines.ts';
import { UnreadableFile } from './unreadable-file.ts';

/** Uses constant memory. Entries count only after `end`. Throws errors of the byte source. */
export async function* readSettlementEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<SettlementEvent, void, undefined> {
  const digest = createHash('sha256');
  const reading = new SettlementReading();
  try {
    for await (const chunk of plainBytes(digested(bytes, digest))) {
      yield* reading.push(chunk);
      if (reading.isOver) break;
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    reading.refuse(error.sentence);
  }
  yield* reading.finish(() => digest.digest('hex'));
}

async function* digested(bytes: AsyncIterable<Uint8Array>, digest: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    digest.update(chunk);
    yield chunk;
  }
}
