import type { CardBrand } from '../values/card-number.ts';
import type { Day, Instant } from '../values/instant.ts';
import type { TransactionState } from './transaction.ts';

/** How many were asked for, by what the issuer said. */
export type Answers = {
  readonly approved: number;
  readonly declined: number;
  /** Of which no answer is known, or which were undone before there was one. */
  readonly other: number;
};

/** One code of an issuer, with its advice. */
export type DeclineCount = {
  readonly brand: CardBrand;
  readonly responseCode: string;
  readonly adviceCode: string | null;
  readonly count: number;
};

/** The sales of a period in numbers. */
export type SaleCounts = {
  readonly total: Answers;
  readonly byDay: readonly (Answers & { readonly day: Day })[];
  /** By the hour of São Paulo's day, 0 to 23. */
  readonly byHour: readonly (Answers & { readonly hour: number })[];
  readonly byBrand: readonly (Answers & { readonly brand: CardBrand })[];
  /** The most frequent first. */
  readonly declines: readonly DeclineCount[];
  /** Only those since then were counted: there are more than are read at once. Null: all were. */
  readonly countedFrom: Instant | null;
};

/** The issuer has said yes, whatever became of it later. */
export const ANSWERED_YES = ['approved', 'preauthorized', 'capturing'] as const satisfies TransactionState[];
export const ANSWERED_NO = ['declined'] as const satisfies TransactionState[];
