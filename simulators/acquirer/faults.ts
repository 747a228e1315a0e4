import { type Brand, type Decline, declineFor, genericDecline } from '../kit/cards/decline-codes.ts';
import amounts from '../kit/cards/trigger-amounts.json' with { type: 'json' };
import { type CardCount, declineOfCard, type TriggerCard } from '../kit/cards/trigger-cards.ts';
import type { CancellationStep, Fault, Step } from './script-step.ts';

export type Behaviour = {
  /** Null approves. */
  readonly decline: Decline | null;
  readonly fault: Fault | null;
};

/** The last four digits of an amount that spoil its answer. */
const FAULT_OF_DIGITS = amounts.faults as Readonly<Record<number, Fault>>;

/**
 * How a charge is answered. The script speaks first, then the amount, then the card; all other
 * charges are approved.
 */
export function behaviourOf(charge: {
  readonly amount: number;
  readonly brand: Brand;
  readonly triggerCard: TriggerCard | null;
  readonly cardCount: CardCount | undefined;
  readonly step: Step | null;
}): Behaviour {
  const { amount, brand, triggerCard, cardCount, step } = charge;
  if (step !== null && (step.outcome !== null || step.fault !== null)) return behaviourOfStep(step, brand);
  const digits = amount % 10_000;
  const fault = FAULT_OF_DIGITS[digits] ?? null;
  if (fault !== null) return { decline: null, fault };
  const decline = declineOfDigits(digits, brand);
  if (decline !== null) return { decline, fault: null };
  return { decline: triggerCard === null ? null : declineOfCard(triggerCard, cardCount), fault: null };
}

function behaviourOfStep(step: Step, brand: Brand): Behaviour {
  if (step.outcome !== 'declined') return { decline: null, fault: step.fault };
  const { responseCode, adviceCode } = step;
  const decline = { responseCode: responseCode ?? genericDecline(brand).responseCode, adviceCode };
  return { decline, fault: step.fault };
}

/**
 * The same of a capture: by its own amount, for that of its authorization would have spoiled that.
 * Silence without a booking is no fault of captures: they are sent again until they are answered.
 */
export function behaviourOfCapture(amount: number): {
  readonly isExpired: boolean;
  readonly fault: Fault | null;
} {
  const digits = amount % 10_000;
  const fault = FAULT_OF_DIGITS[digits] ?? null;
  return {
    isExpired: digits >= amounts.declines.first && digits <= amounts.declines.last,
    fault: fault === 'silent' ? null : fault,
  };
}

const DAY_MILLISECONDS = 86_400_000;

/** Cancellations of exactly these cents are decided a day later, as they say. */
export function stepOfCanceledAmount(amount: number): CancellationStep | null {
  const behaviours: Readonly<Record<string, string>> = amounts.cancellations;
  const behaviour = behaviours[String(amount)];
  if (behaviour === undefined) return null;
  return { decidedAfterMilliseconds: DAY_MILLISECONDS, fails: behaviour === 'pendingAndFails' };
}

/** 1005 to 1099: the meaning of the ABECS code in the last two digits. */
function declineOfDigits(digits: number, brand: Brand): Decline | null {
  if (digits < amounts.declines.first || digits > amounts.declines.last) return null;
  return declineFor(String(digits).slice(2), brand);
}
