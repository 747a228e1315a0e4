import type { Movement, Movements } from './bank.ts';
import type { ReturnEntry } from './return-entry.ts';
import { TIME_IS_OVER } from './tables/febraban.ts';

type Read = Pick<
  ReturnEntry,
  | 'lineNumber'
  | 'movement'
  | 'companyUse'
  | 'bankNumber'
  | 'documentNumber'
  | 'value'
  | 'dueOn'
  | 'paid'
  | 'fee'
  | 'happenedOn'
  | 'creditedOn'
>;

/** What is not certain is no event: it never becomes money. */
export function entryOf(read: Read, movements: Movements, reasons: string | null): ReturnEntry {
  const movement = movements[read.movement];
  const event = eventOf(movement, reasons);
  const lacks = event !== null && (read.happenedOn === null || (event === 'paid' && read.paid === 0));
  return {
    ...read,
    meaning: movement?.meaning ?? null,
    event: lacks ? null : event,
    isKnown: movement !== undefined && movement.use !== 'unclear' && !lacks,
  };
}

function eventOf(movement: Movement | undefined, reasons: string | null): ReturnEntry['event'] {
  if (movement?.use === 'paid') return 'paid';
  if (movement?.use !== 'writtenOff') return null;
  const given = (reasons ?? '').match(/../g) ?? [];
  return given.some((reason) => TIME_IS_OVER.includes(reason)) ? 'expired' : 'canceled';
}
