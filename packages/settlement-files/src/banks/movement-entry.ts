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
export function entryOf(
  read: Read,
  movements: Movements,
  { reasons, hasReasonsOfEnd }: { readonly reasons: string | null; readonly hasReasonsOfEnd: boolean },
): ReturnEntry {
  const movement = movements[read.movement];
  const event = eventOf(movement, hasReasonsOfEnd ? reasons : null);
  const lacks = event !== null && (read.happenedOn === null || (event === 'paid' && read.paid === 0));
  return {
    ...read,
    meaning: movement?.meaning ?? null,
    event: lacks ? null : event,
    isKnown: movement !== undefined && movement.use !== 'unclear' && !lacks,
    answer: answerOf(movement),
    reasons,
  };
}

/** Movements are numbered by each bank, and mean the same. */
const ANSWERS: Readonly<Record<string, NonNullable<ReturnEntry['answer']>>> = {
  'entrada confirmada': { to: 'register', isAccepted: true },
  'entrada rejeitada': { to: 'register', isAccepted: false },
  'baixa rejeitada': { to: 'writeOff', isAccepted: false },
  'instrução rejeitada': { to: 'writeOff', isAccepted: false },
};

function answerOf(movement: Movement | undefined): ReturnEntry['answer'] {
  if (movement?.use === 'writtenOff') return { to: 'writeOff', isAccepted: true };
  return ANSWERS[movement?.meaning ?? ''] ?? null;
}

function eventOf(movement: Movement | undefined, reasons: string | null): ReturnEntry['event'] {
  if (movement?.use === 'paid') return 'paid';
  if (movement?.use !== 'writtenOff') return null;
  const given = (reasons ?? '').match(/../g) ?? [];
  return given.some((reason) => TIME_IS_OVER.includes(reason)) ? 'expired' : 'canceled';
}
