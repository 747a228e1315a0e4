import { type Cents, cents } from './cents.ts';

/**
 * Divides a total in proportion to weights. Cents left over go to the parts with the largest remainders, of
 * equal ones to the earlier. The parts add up exactly, each within a cent of its exact share. Weights: whole
 * numbers from 0, not all 0.
 */
export function apportion(total: Cents, weights: readonly number[]): Cents[] {
  const all = weights.reduce((sum, weight) => sum + BigInt(weight), 0n);
  if (all <= 0n || weights.some((weight) => weight < 0)) throw new RangeError('nothing to divide by');
  const exact = weights.map((weight) => BigInt(total) * BigInt(weight));
  const parts = exact.map((product) => product / all);
  const left = Number(BigInt(total) - parts.reduce((sum, part) => sum + part, 0n));
  const byFraction = exact
    .map((product, index) => ({ index, fraction: product % all }))
    .sort((one, other) => (one.fraction === other.fraction ? 0 : one.fraction > other.fraction ? -1 : 1));
  for (const { index } of byFraction.slice(0, left)) parts[index] = (parts[index] as bigint) + 1n;
  return parts.map((part) => cents(Number(part)));
}

/**
 * A part of an amount, given in hundredths of a percent (10,000 is all), rounded half to even so that no side
 * gains.
 */
export function portionHalfEven(amount: Cents, hundredthsOfPercent: number): Cents {
  const product = BigInt(amount) * BigInt(hundredthsOfPercent);
  const whole = product / 10_000n;
  const twice = (product % 10_000n) * 2n;
  const isUp = twice > 10_000n || (twice === 10_000n && whole % 2n === 1n);
  return cents(Number(isUp ? whole + 1n : whole));
}
