import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';

/** What of an account's installments was expected on a day, and what came on it. */
export type DayOfReceivables = {
  readonly day: Day;
  readonly expected: { readonly count: number; readonly net: Cents; readonly fee: Cents };
  /** Of the expected ones those that have not come, on this day or another. */
  readonly open: { readonly count: number; readonly net: Cents };
  /** `withoutNet`: so many of which the acquirer named no amount. */
  readonly received: {
    readonly count: number;
    readonly net: Cents;
    readonly fee: Cents;
    readonly withoutNet: number;
  };
  /** Of those that came: how many by more than rounding, and what all were more or less than expected. */
  readonly differing: { readonly count: number; readonly difference: number };
};
