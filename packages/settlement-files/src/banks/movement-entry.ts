import type { Movement, Movements, MovementUse } from './bank.ts';
import type { ReturnEntry } from './return-entry.ts';
import { TIME_IS_OVER } from './tables/febraban.ts';

type Read = Pick<
  ReturnEntry,
  | 'lineNumber'
  | 'movement'
  | 'companyUse'
  | 'bankNumber'
  | 'number'
  | 'documentNumber'
  | 'value'
  | 'dueOn'
  | 'paid'
  | 'fee'
  | 'happenedOn'
  | 'creditedOn'
>;

/** What is not certain is no event, so that it never becomes money. */
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
    answer: movement === undefined ? null : ANSWERS[movement.use],
    reasons,
  };
}

const ANSWERS = {
  paid: null,
  writtenOff: { to: 'writeOff', isAccepted: true },
  unclear: null,
  registered: { to: 'register', isAccepted: true },
  notRegistered: { to: 'register', isAccepted: false },
  notWrittenOff: { to: 'writeOff', isAccepted: false },
  dueDayChanged: { to: 'dueDay', isAccepted: true },
  dueDayKept: { to: 'dueDay', isAccepted: false },
  laterRefused: { to: 'later', isAccepted: false },
  notDone: { to: 'either', isAccepted: false },
  none: null,
} as const satisfies Record<MovementUse, ReturnEntry['answer']>;

function eventOf(movement: Movement | undefined, reasons: string | null): ReturnEntry['event'] {
  if (movement?.use === 'paid') return 'paid';
  if (movement?.use !== 'writtenOff') return null;
  const given = (reasons ?? '').match(/../g) ?? [];
  return given.some((reason) => TIME_IS_OVER.includes(reason)) ? 'expired' : 'canceled';
}
