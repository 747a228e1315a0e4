declare const brand: unique symbol;

/** Brazilian reais in whole cents: an integer from 0 to 2^53 − 1. */
export type Cents = number & { readonly [brand]: 'Cents' };

/** Throws RangeError unless a safe integer of at least 0. Negative zero becomes 0. */
export function cents(value: number): Cents {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not an amount of cents: ${value}`);
  return (value + 0) as Cents;
}

/** The largest payment, R$ 99,999,999.99: ten digits of cents on the wire. */
export const MAX_PAYMENT_CENTS: Cents = cents(9_999_999_999);

/** Installments of one sale: the wire has two digits. */
export const MOST_INSTALLMENTS = 99;

/**
 * Equal whole cents; the first installment takes the rest, so that the sum is exact. Installments may be 0 if
 * the total is small. Throws RangeError unless `count` is 1 to 99.
 */
export function splitIntoInstallments(total: Cents, count: number): Cents[] {
  if (!Number.isInteger(count) || count < 1 || count > MOST_INSTALLMENTS) {
    throw new RangeError(`not a number of installments: ${count}`);
  }
  const remainder = total % count;
  const share = (total - remainder) / count;
  return Array.from({ length: count }, (_, index) => cents(index === 0 ? share + remainder : share));
}

/** In reais with a point and two decimals, without grouping: `1234.56`, `-0.05`. */
export function reaisText(amount: Cents): string {
  const size = Math.abs(amount);
  const remainder = size % 100;
  return `${amount < 0 ? '-' : ''}${(size - remainder) / 100}.${String(remainder).padStart(2, '0')}`;
}
