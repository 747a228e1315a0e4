import type { Receivable } from '../receivables/receivable.ts';

/** Of an export in one piece: some megabytes. */
export const MOST_ROWS_AT_ONCE = 10_000;

export type Export = {
  /** In the order of the period, a page at a time, as they stand when each is read. */
  readonly pages: AsyncIterable<readonly Receivable[]>;
  /** Gives its place to another. */
  readonly close: () => void;
};
