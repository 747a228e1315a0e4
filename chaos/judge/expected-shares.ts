import { FEE_PORTIONS } from '../chaos-bench.ts';
import type { WantedSplit } from '../log.ts';

/**
 * The shares of a sale as the contract has them, worked out here once more: an oracle that borrowed the
 * service's own arithmetic would repeat its mistakes.
 */
const WHOLE = 10_000n;

/**
 * Cents of each beneficiary, in order: rounded once on the total, by the largest remainder; the
 * merchant has the rest.
 */
export function expectedShares(
  amount: number,
  installments: number,
  { type, entries }: WantedSplit,
): number[] {
  const fee = installments === 1 ? FEE_PORTIONS.one : FEE_PORTIONS.several;
  const base = BigInt(amount) - (type === 'liquido' ? halfEven(BigInt(amount) * BigInt(fee)) : 0n);
  const portions = entries.map(({ portion }) => BigInt(portion));
  const all = [...portions, WHOLE - portions.reduce((sum, portion) => sum + portion, 0n)];
  const parts = all.map((portion) => (base * portion) / WHOLE);
  let left = base - parts.reduce((sum, part) => sum + part, 0n);
  const byRemainder = all
    .map((portion, index) => ({ index, remainder: (base * portion) % WHOLE }))
    .sort((one, other) => Number(other.remainder - one.remainder) || one.index - other.index);
  for (const { index } of byRemainder) {
    if (left === 0n) break;
    parts[index] = (parts[index] as bigint) + 1n;
    left -= 1n;
  }
  return parts.slice(0, -1).map(Number);
}

/** Of ten-thousandths to whole ones, half to even. */
function halfEven(product: bigint): bigint {
  const twice = (product % WHOLE) * 2n;
  const whole = product / WHOLE;
  return twice > WHOLE || (twice === WHOLE && whole % 2n === 1n) ? whole + 1n : whole;
}

/** The first takes the remainder. */
export function expectedInstallments(amount: number, installments: number): number[] {
  const usual = Math.floor(amount / installments);
  return [amount - usual * (installments - 1), ...Array.from({ length: installments - 1 }, () => usual)];
}

/**
 * Whether a share is spread over the installments by cumulative difference: whatever an installment got,
 * the sum so far is within a cent of what is due by then.
 */
export function isSpreadEvenly(
  share: number,
  parts: readonly number[],
  installments: readonly number[],
): boolean {
  const total = installments.reduce((sum, part) => sum + part, 0);
  let given = 0n;
  let sold = 0n;
  return parts.every((part, index) => {
    given += BigInt(part);
    sold += BigInt(installments[index] ?? 0);
    const difference = given * BigInt(total) - BigInt(share) * sold;
    return (difference < 0n ? -difference : difference) < BigInt(total);
  });
}
