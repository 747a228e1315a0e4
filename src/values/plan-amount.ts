import { type Cents, cents } from './cents.ts';
import { decimalParts, ExactNumber } from './exact-json.ts';

declare const brand: unique symbol;

/**
 * A plan's amount in reais: more than zero, up to 12 digits before and 6 after the point, without needless
 * zeros: `49.9`. Equal amounts are equal texts.
 */
export type PlanAmount = string & { readonly [brand]: 'PlanAmount' };

export const PLAN_AMOUNT_DIGITS = { integerDigits: 12, decimals: 6 } as const;

/** null: the value is not more than zero, or has too many digits. */
export function planAmount(value: number | ExactNumber): PlanAmount | null {
  const parts = decimalParts(value);
  if (parts === null || parts.negative) return null;
  const { integer, fraction } = parts;
  if (integer.length > PLAN_AMOUNT_DIGITS.integerDigits || fraction.length > PLAN_AMOUNT_DIGITS.decimals)
    return null;
  if (integer === '0' && fraction === '') return null;
  return (fraction === '' ? integer : `${integer}.${fraction}`) as PlanAmount;
}

/** Reads PostgreSQL's `numeric(18, 6)`, for example `49.900000`. Throws RangeError otherwise. */
export function parsePlanAmount(text: string): PlanAmount {
  const amount = planAmount(new ExactNumber(text));
  if (amount === null) throw new RangeError(`not an amount of a plan: ${text}`);
  return amount;
}

/** The amount as a JSON number, digit for digit. */
export function writePlanAmount(amount: PlanAmount): ExactNumber {
  return new ExactNumber(amount);
}

/**
 * A plan's amount in whole cents, rounded half to even so that no side gains over many charges. It may be 0,
 * or above the largest payment.
 */
export function centsOfPlanAmount(amount: PlanAmount): Cents {
  const [reais = '', fraction = ''] = amount.split('.');
  const digits = fraction.padEnd(6, '0');
  const whole = BigInt(reais) * 100n + BigInt(digits.slice(0, 2));
  const rest = Number(digits.slice(2));
  const isUp = rest > 5_000 || (rest === 5_000 && whole % 2n === 1n);
  return cents(Number(isUp ? whole + 1n : whole));
}
