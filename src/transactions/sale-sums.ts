import { type Cents, cents } from '../values/cents.ts';
import type { Day } from '../values/instant.ts';

const HOURS = 24;

export type MoneySum = {
  readonly count: number;
  readonly amount: Cents;
  /** True: there is more than was summed. */
  readonly isCut: boolean;
};

/** Whether there was any. A sum that was cut counts as some, even if what was summed is nothing. */
export const isSome = ({ count, isCut }: MoneySum) => count > 0 || isCut;

/**
 * Card sales of a part of a period. `count`, `amount`: sales that are approved now. `approved`, `declined`:
 * answers of issuers, whatever came later.
 */
export type SalePart = {
  readonly amount: Cents;
  readonly count: number;
  readonly approved: number;
  readonly declined: number;
};

/** Sums of the card sales of a period. */
export type SaleSums = {
  readonly sold: MoneySum;
  readonly approved: number;
  readonly declined: number;
  /** Each hour of São Paulo, 0 to 23. */
  readonly byHour: readonly SalePart[];
  /** The days with sales, in their order. */
  readonly byDay: readonly (SalePart & { readonly day: Day })[];
};

function sumOfParts(parts: readonly SalePart[]): SalePart {
  const sum = (of: keyof SalePart) => parts.reduce((all, part) => all + part[of], 0);
  return {
    amount: cents(sum('amount')),
    count: sum('count'),
    approved: sum('approved'),
    declined: sum('declined'),
  };
}

/** Adds up hours. `isCut`: the period has older sales, which were not read. */
export function saleSumsOf(
  hours: readonly (SalePart & { readonly day: Day; readonly hour: number })[],
  isCut: boolean,
): SaleSums {
  const { amount, count, approved, declined } = sumOfParts(hours);
  const days = [...Map.groupBy(hours, ({ day }) => day)].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    sold: { count, amount, isCut },
    approved,
    declined,
    byHour: Array.from({ length: HOURS }, (_, hour) => sumOfParts(hours.filter((one) => one.hour === hour))),
    byDay: days.map(([day, ofDay]) => ({ day, ...sumOfParts(ofDay) })),
  };
}

/** `boletos`: paid on the days that the period touches, because banks name no hour. */
export type PeriodSums = SaleSums & {
  readonly pix: MoneySum;
  readonly boletos: MoneySum;
  readonly givenBack: MoneySum;
};

export type MovedKind = 'pix' | 'boletos' | 'returnedByCard' | 'returnedByPix';
export type MovedSums = Readonly<Record<MovedKind, Pick<MoneySum, 'count' | 'amount'>>>;
/** The moment or day before which each kind is read on; null: all of the kind was read. */
export type MovedPlace = Readonly<Record<MovedKind, string | null>>;

const NONE = { count: 0, amount: cents(0) };
export const NOTHING_MOVED: MovedSums = {
  pix: NONE,
  boletos: NONE,
  returnedByCard: NONE,
  returnedByPix: NONE,
};
export const WHOLE: MovedPlace = { pix: null, boletos: null, returnedByCard: null, returnedByPix: null };

export function movedSumsOf(
  parts: readonly MovedSums[],
  place: MovedPlace | null,
): Pick<PeriodSums, 'pix' | 'boletos' | 'givenBack'> {
  const sumOf = (...kinds: readonly MovedKind[]): MoneySum => {
    const all = parts.flatMap((part) => kinds.map((kind) => part[kind]));
    return {
      count: all.reduce((sum, { count }) => sum + count, 0),
      amount: cents(all.reduce((sum, { amount }) => sum + amount, 0)),
      isCut: place !== null && kinds.some((kind) => place[kind] !== null),
    };
  };
  return {
    pix: sumOf('pix'),
    boletos: sumOf('boletos'),
    givenBack: sumOf('returnedByCard', 'returnedByPix'),
  };
}
