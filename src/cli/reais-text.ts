import { cents, reaisText } from '../values/cents.ts';

/** Cents as reais, with a sign where the merchant has too much. */
export function reaisOf(amount: number): string {
  return `${amount < 0 ? '-' : ''}${reaisText(cents(Math.abs(amount)))}`;
}
