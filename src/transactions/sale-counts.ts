import type { CardBrand } from '../values/card-number.ts';
import { type Instant, instant } from '../values/instant.ts';
import type { TransactionState } from './transaction.ts';

export type Answers = {
  readonly approved: number;
  readonly declined: number;
  /** No answer is known, or the sale was undone before there was one. */
  readonly other: number;
};

export type DeclineCount = {
  readonly brand: CardBrand;
  readonly responseCode: string;
  readonly adviceCode: string | null;
  readonly count: number;
};

export type SaleCounts = {
  readonly total: Answers;
  /** Hours of São Paulo, 0 to 23. */
  readonly byHour: readonly (Answers & { readonly hour: number })[];
  readonly byBrand: readonly (Answers & { readonly brand: CardBrand })[];
  /** Most frequent first. */
  readonly declines: readonly DeclineCount[];
  /** The moment of the oldest counted sale; null if there is none. */
  readonly oldestAt: Instant | null;
};

const NONE: Answers = { approved: 0, declined: 0, other: 0 };

const sumOf = (answers: readonly Answers[]): Answers =>
  answers.reduce(
    (sum, { approved, declined, other }) => ({
      approved: sum.approved + approved,
      declined: sum.declined + declined,
      other: sum.other + other,
    }),
    NONE,
  );

/** Sums the entries with the same key, ordered by key. */
function together<One extends Answers, Key extends string | number>(
  all: readonly One[],
  keyOf: (one: One) => Key,
): One[] {
  return [...Map.groupBy(all, keyOf)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, [first, ...rest]]) => ({ ...(first as One), ...sumOf([first as One, ...rest]) }));
}

export function addSaleCounts(parts: readonly SaleCounts[]): SaleCounts {
  const codes = Map.groupBy(
    parts.flatMap(({ declines }) => declines),
    ({ brand, responseCode, adviceCode }) => JSON.stringify([brand, responseCode, adviceCode]),
  );
  const firsts = parts.flatMap(({ oldestAt }) => oldestAt ?? []);
  return {
    total: sumOf(parts.map(({ total }) => total)),
    byHour: together(
      parts.flatMap(({ byHour }) => byHour),
      ({ hour }) => hour,
    ),
    byBrand: together(
      parts.flatMap(({ byBrand }) => byBrand),
      ({ brand }) => brand,
    ),
    declines: [...codes.values()]
      .map((ofCode) => ({
        ...(ofCode[0] as DeclineCount),
        count: ofCode.reduce((sum, { count }) => sum + count, 0),
      }))
      .sort((one, other) => other.count - one.count),
    oldestAt: firsts.length === 0 ? null : instant(Math.min(...firsts)),
  };
}

/** States of sales that the issuer approved, whatever became of them later. */
export const ANSWERED_YES = ['approved', 'preauthorized', 'capturing'] as const satisfies TransactionState[];
export const ANSWERED_NO = ['declined'] as const satisfies TransactionState[];
