import { bankDayFrom } from '../kit/bank-days.ts';
import { dayAfter, daysBetween } from '../kit/days.ts';
import type { Fault, Refusal } from './script-step.ts';
import amounts from './trigger-amounts.json' with { type: 'json' };

/** Hundredths of a percent. */
const WHOLE = 10_000;
const DAYS_OF_A_MONTH = 30;
const LATE_DAYS = 5;

export type Terms = {
  readonly amount: number;
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly finePortion: number | null;
  readonly interestPortion: number | null;
  readonly discountAmount: number | null;
  readonly discountUntil: string | null;
};

/** `amount` null: what is owed on that day. */
export type PlannedPayment = { readonly paidOn: string; readonly amount: number | null };

/** What a payer owes on a day: late from the day after the business day on which it is due. */
export function owedOn(terms: Terms, day: string): number {
  const { amount, dueOn, finePortion, interestPortion, discountAmount, discountUntil } = terms;
  if (day <= bankDayFrom(dueOn)) {
    const isEarly = discountUntil !== null && day <= discountUntil;
    return amount - (isEarly ? (discountAmount ?? 0) : 0);
  }
  const fine = Math.round((amount * (finePortion ?? 0)) / WHOLE);
  const perMonth = amount * (interestPortion ?? 0) * daysBetween(dueOn, day);
  return amount + fine + Math.round(perMonth / (WHOLE * DAYS_OF_A_MONTH));
}

export type Trigger = {
  readonly fault: Fault | null;
  readonly refusal: Refusal | null;
  readonly plan: readonly PlannedPayment[];
  /** Whether each change of the boleto is reported twice. */
  readonly isReportedTwice: boolean;
};

const NOTHING: Trigger = { fault: null, refusal: null, plan: [], isReportedTwice: false };

/** What the last four digits of the value make happen. */
export function triggerOf(terms: Terms): Trigger {
  const digits = String(terms.amount % 10_000);
  const fault = (amounts.faults as Readonly<Record<string, Fault>>)[digits] ?? null;
  const refusal = (amounts.refusals as Readonly<Record<string, Refusal>>)[digits] ?? null;
  const word = (amounts.payments as Readonly<Record<string, string>>)[digits];
  return { ...NOTHING, fault, refusal, ...(word === undefined ? {} : paymentsOf(word, terms)) };
}

function paymentsOf(word: string, { amount, issuedOn, dueOn }: Terms): Partial<Trigger> {
  const onDueDay = { paidOn: dueOn, amount: null };
  switch (word) {
    case 'early': {
      const next = dayAfter(issuedOn, 1);
      return { plan: [{ paidOn: next < dueOn ? next : dueOn, amount: null }] };
    }
    case 'late':
      return { plan: [{ paidOn: dayAfter(dueOn, LATE_DAYS), amount: null }] };
    case 'part':
      return { plan: [{ paidOn: dueOn, amount: Math.ceil(amount / 2) }] };
    case 'twice':
      return { plan: [onDueDay, onDueDay] };
    case 'reportedTwice':
      return { plan: [onDueDay], isReportedTwice: true };
    default:
      return { plan: [onDueDay] };
  }
}
