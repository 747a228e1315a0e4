import { dayAfter } from '../kit/days.ts';
import type { PlannedPayment } from './payments.ts';
import { triggerOf } from './payments.ts';
import type { Registration } from './requests.ts';
import type { Fault, Refusal, Step } from './script-step.ts';

const HIDDEN_TIMES = 3;

/** What the bank makes of a registration. */
export type Behaviour = {
  readonly fault: Fault | null;
  readonly refusal: Refusal | null;
  readonly plan: readonly PlannedPayment[];
  readonly isReportedTwice: boolean;
  readonly notFoundTimes: number;
};

/** The bank's own rules speak first, then the script, then the amount. */
export function behaviourOf(request: Registration, step: Step | null): Behaviour {
  const { fault, refusal, plan, isReportedTwice } =
    step === null ? triggerOf(request) : { ...step, plan: planOf(step, request.dueOn) };
  const refused = refusalOf(request) ?? refusal;
  return {
    ...{ fault, refusal: refused, isReportedTwice },
    plan: refused === null ? plan : [],
    notFoundTimes: Math.max(step?.notFoundTimes ?? 0, fault === 'notFound' ? HIDDEN_TIMES : 0),
  };
}

function planOf({ payments }: Step, dueOn: string): PlannedPayment[] {
  return payments
    .map(({ daysAfterDue, amount }) => ({ paidOn: dayAfter(dueOn, daysAfterDue), amount }))
    .toSorted((one, other) => (one.paidOn < other.paidOn ? -1 : 1));
}

/** What no bank registers. */
function refusalOf(request: Registration): Refusal | null {
  const { amount, issuedOn, dueOn, payableUntil, discountAmount, discountUntil, payerDocument } = request;
  if (!isDocument(payerDocument)) return 'payerRefused';
  if (dueOn < issuedOn || payableUntil < dueOn) return 'termsRefused';
  if (discountUntil !== null && discountUntil > dueOn) return 'termsRefused';
  return discountAmount !== null && discountAmount >= amount ? 'termsRefused' : null;
}

/** CPF or CNPJ: the last two digits check the others, which count as their code in ASCII less 48. */
function isDocument(text: string): boolean {
  const greatest = text.length === 11 ? 11 : 9;
  const values = [...text].map((character) => character.charCodeAt(0) - 48);
  if (values.every((value) => value === values[0])) return false;
  return [2, 1].every((behind) => {
    const checked = values.slice(0, values.length - behind).reverse();
    const sum = checked.reduce((total, value, index) => total + value * (2 + (index % (greatest - 1))), 0);
    const rest = sum % 11;
    return values.at(-behind) === (rest < 2 ? 0 : 11 - rest);
  });
}
