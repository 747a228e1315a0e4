import { type Cents, cents } from '../values/cents.ts';

export const HOURS = 24;

export type MoneySum = {
  readonly count: number;
  readonly amount: Cents;
  /** There is more than was summed. */
  readonly isCut: boolean;
};

/** Of cards. */
export type SaleSums = {
  readonly sold: MoneySum;
  /** Answers of issuers, whatever became of the sale later. */
  readonly approved: number;
  readonly declined: number;
  /** What was sold in each hour of São Paulo, 0 to 23. */
  readonly byHour: readonly Cents[];
};

export function addSaleSums(parts: readonly SaleSums[], isCut: boolean): SaleSums {
  const sum = (of: (part: SaleSums) => number) => parts.reduce((all, part) => all + of(part), 0);
  return {
    sold: { count: sum(({ sold }) => sold.count), amount: cents(sum(({ sold }) => sold.amount)), isCut },
    approved: sum(({ approved }) => approved),
    declined: sum(({ declined }) => declined),
    byHour: Array.from({ length: HOURS }, (_, hour) => cents(sum(({ byHour }) => byHour[hour] ?? 0))),
  };
}

/** `boletos`: paid on the days that the period touches, because banks name no hour. */
export type PeriodSums = SaleSums & {
  readonly pix: MoneySum;
  readonly boletos: MoneySum;
  readonly givenBack: MoneySum;
};
