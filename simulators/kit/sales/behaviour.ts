import { type Brand, type Decline, declineFor, genericDecline } from '../cards/decline-codes.ts';
import amounts from '../cards/trigger-amounts.json' with { type: 'json' };
import {
  type CardCount,
  declineOfCard,
  declineOfCheckedCard,
  triggerCardOf,
} from '../cards/trigger-cards.ts';
import type { Fault, Step } from './script-step.ts';

export type Behaviour = {
  /** Null approves; `meaning`: what ABECS numbers so. */
  readonly decline: (Decline & { readonly meaning: string }) | null;
  readonly fault: Fault | null;
};

/** The last four digits of an amount that spoil its answer, as with the simulated acquirer. */
const FAULT_OF_DIGITS = amounts.faults as Readonly<Record<number, Fault>>;
const GENERIC = '05';

/** How a sale is answered: the script speaks first, then the amount, then the card. */
export function behaviourOf(
  { amount, brand }: { readonly amount: number; readonly brand: Brand },
  step: Step | null,
  ofCard: () => Behaviour['decline'],
): Behaviour {
  if (step !== null && (step.outcome !== null || step.fault !== null)) {
    return { decline: step.outcome === 'declined' ? declineOf(step, brand) : null, fault: step.fault };
  }
  const digits = amount % 10_000;
  const fault = FAULT_OF_DIGITS[digits] ?? null;
  if (fault !== null) return { decline: null, fault };
  const isTrigger = digits >= amounts.declines.first && digits <= amounts.declines.last;
  const decline = isTrigger ? declineWith(String(digits).slice(2), brand) : null;
  return { decline: decline ?? ofCard(), fault: null };
}

/** The same of a capture, by its own amount: that of its authorization would have spoiled that. */
export function faultOfCapture(amount: number): Fault | null {
  const fault = FAULT_OF_DIGITS[amount % 10_000] ?? null;
  return fault === 'silent' ? null : fault;
}

export function isExpiredCapture(amount: number): boolean {
  const digits = amount % 10_000;
  return digits >= amounts.declines.first && digits <= amounts.declines.last;
}

const DAY_MILLISECONDS = 86_400_000;

/** Refunds of exactly these cents are decided a day later, as they say. */
export function pendingOf(amount: number, step: Step | null): Step['pending'] {
  if (step !== null) return step.pending;
  const behaviours: Readonly<Record<string, string>> = amounts.cancellations;
  const behaviour = behaviours[String(amount)];
  if (behaviour === undefined) return null;
  return { afterMilliseconds: DAY_MILLISECONDS, fails: behaviour === 'pendingAndFails' };
}

function declineOf({ meaning, responseCode, adviceCode }: Step, brand: Brand): Behaviour['decline'] {
  const decline = meaning === null ? null : declineWith(meaning, brand);
  const { responseCode: generic } = genericDecline(brand);
  return {
    meaning: meaning ?? (/^\d\d$/.test(responseCode ?? '') ? (responseCode ?? GENERIC) : GENERIC),
    responseCode: responseCode ?? decline?.responseCode ?? generic,
    adviceCode: adviceCode ?? decline?.adviceCode ?? null,
  };
}

/** Two digits that are nobody's code approve. */
function declineWith(meaning: string, brand: Brand): Behaviour['decline'] {
  const decline = declineFor(meaning, brand);
  return decline === null ? null : { meaning, ...decline };
}

/** What the codes of Amex mean that trigger cards have. */
const MEANINGS_OF_AMEX: Readonly<Record<string, string>> = { 116: '51', 200: '41' };

/** What a trigger card answers next; null approves. Any other card: undefined. */
export function declineOfTriggerCard(
  number: string,
  countOf: (name: string) => CardCount,
  isCheck: boolean,
): Behaviour['decline'] | undefined {
  const card = triggerCardOf(number);
  if (card === null) return undefined;
  const count = countOf(card.name);
  const decline = isCheck ? declineOfCheckedCard(card, count) : declineOfCard(card, count);
  if (decline === null) return null;
  const { responseCode } = decline;
  return { meaning: MEANINGS_OF_AMEX[responseCode] ?? responseCode, ...decline };
}
