import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import {
  filedPayout,
  type JudgedInstallment,
  type MatchedPart,
  roundingOfFee,
} from '../judging/judged-installment.ts';
import { judgedLines } from '../judging/judged-lines.ts';

import { moneyOfDay } from '../judging/money-of-day.ts';

export type DayOfReceivables = {
  readonly day: Day;
  readonly expected: { readonly count: number; readonly net: Cents; readonly fee: Cents };
  readonly open: { readonly count: number; readonly net: Cents };
  /** May be negative after refunds. `withoutNet` counts those without a net amount. */
  readonly received: {
    readonly count: number;
    readonly net: number;
    readonly fee: number;
    readonly withoutNet: number;
  };
  /** Received by the acquirer's feed alone: no file has them yet. */
  readonly unfiled: { readonly count: number; readonly net: number };
  /** Negative if the day's deductions give back more. */
  readonly taken: { readonly count: number; readonly net: number };
  /** `count` differ by more than rounding. `difference` sums all differences. */
  readonly differing: { readonly count: number; readonly difference: number };
};

const NOTHING: Omit<DayOfReceivables, 'day'> = {
  expected: { count: 0, net: 0 as Cents, fee: 0 as Cents },
  open: { count: 0, net: 0 as Cents },
  received: { count: 0, net: 0, fee: 0, withoutNet: 0 },
  unfiled: { count: 0, net: 0 },
  taken: { count: 0, net: 0 },
  differing: { count: 0, difference: 0 },
};

export type MovedOnDay = Pick<DayOfReceivables, 'day' | 'received' | 'taken' | 'differing'>;

/** By the rules of the day report. A difference counts on the last day that pays the installment. */
export function movedDays(installment: JudgedInstallment, parts: readonly MatchedPart[]): MovedOnDay[] {
  const lines = judgedLines(installment, parts);
  const days = new Set(parts.map(({ bankOn }) => bankOn ?? installment.expectedOn));
  const paid = filedPayout(parts);
  const lastOn = paid.bankOn ?? installment.expectedOn;
  const difference = (paid.net ?? 0) - installment.expectedNet;
  return [...days].map((day) => {
    const { came, taken, received, fees } = moneyOfDay(day, installment, lines);
    const isLast = came.length > 0 && day === lastOn;
    const isOther = isLast && Math.abs(difference) > roundingOfFee(installment);
    return {
      day,
      received: { count: came.length === 0 ? 0 : 1, net: received, fee: fees, withoutNet: 0 },
      taken: { count: taken === 0 ? 0 : 1, net: taken },
      differing: { count: isOther ? 1 : 0, difference: isLast ? difference : 0 },
    };
  });
}

export function daysWith(
  days: readonly DayOfReceivables[],
  moved: readonly MovedOnDay[],
): DayOfReceivables[] {
  const sums = new Map(days.map((day) => [day.day, day]));
  for (const { day, received, taken, differing } of moved) {
    if (received.count === 0 && taken.count === 0) continue;
    const sum = sums.get(day) ?? { day, ...NOTHING };
    sums.set(day, {
      ...sum,
      received: {
        count: sum.received.count + received.count,
        net: sum.received.net + received.net,
        fee: sum.received.fee + received.fee,
        withoutNet: sum.received.withoutNet,
      },
      taken: { count: sum.taken.count + taken.count, net: sum.taken.net + taken.net },
      differing: {
        count: sum.differing.count + differing.count,
        difference: sum.differing.difference + differing.difference,
      },
    });
  }
  return [...sums.values()].sort((one, other) => (one.day < other.day ? -1 : 1));
}
