import { readSettlementEvents as readEvents } from '#settlement-files';
import type { SettlementEvent } from '../settlement-entry.ts';

/** Entries count only after `end`. Throws errors of the byte source. */
export function readSettlementEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<SettlementEvent, void, undefined> {
  return readEvents(bytes) as unknown as AsyncGenerator<SettlementEvent, void, undefined>;
}
