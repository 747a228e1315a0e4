import { BILLING_STATES } from '../../recurrence/billings/billing.ts';
import { addDays, type Day } from '../../values/instant.ts';

/** The tables of which sums by day are kept, for each account or for all accounts of a merchant. */
export const SUMMED = ['receivables', 'billings'] as const;
export type Summed = (typeof SUMMED)[number];

export const SUM_NAMES = [
  'expected',
  'open',
  'received',
  'withoutNet',
  'unfiled',
  'differing',
  ...BILLING_STATES,
] as const;
export type SumName = (typeof SUM_NAMES)[number];

/** A column of kept sums. Of a day, the first column that differs is reported. */
export type SumColumn = { readonly name: SumName; readonly isMoney: boolean };

/** `accountNumber` empty: all accounts. */
export type DayOfSums = {
  readonly accountNumber: string;
  readonly day: Day;
  /** In the order of the columns. A damaged sum may exceed a safe integer. */
  readonly sums: readonly bigint[];
};

/**
 * `amount`: by how many cents the kept sum is above that of the rows, bounded by `MOST_CENTS`; 0 for a count.
 */
export type SumDifference = {
  readonly class: 'sumsDiffer';
  readonly summed: Summed;
  readonly accountNumber: string;
  readonly day: Day;
  readonly sum: SumName;
  readonly amount: number;
  readonly expected: string;
  readonly found: string;
};

/** Amounts of differences are bounded, so that they can be added. `expected` and `found` have every digit. */
const MOST_CENTS = 10_000_000_000_000n;

const DAYS_OF_TURN = 60;
const TURNS_BACK = 60;

/** Days before `fromOn` take turns, every sixtieth each night: ten years take sixty nights. */
export function daysInTurn({ day, fromOn }: { readonly day: Day; readonly fromOn: Day }): Day[] {
  const days = Array.from({ length: TURNS_BACK }, (_, turn) => addDays(day, 0 - DAYS_OF_TURN * (turn + 1)));
  return days.filter((each) => each < fromOn).reverse();
}

export function compareSums(
  summed: Summed,
  columns: readonly SumColumn[],
  { rows, kept }: { readonly rows: readonly DayOfSums[]; readonly kept: readonly DayOfSums[] },
): SumDifference[] {
  const zeros = columns.map(() => 0n);
  const days = new Map<string, { of: DayOfSums; expected: readonly bigint[]; found: readonly bigint[] }>();
  const added = (sums: readonly bigint[], more: readonly bigint[]) =>
    sums.map((sum, index) => sum + (more[index] ?? 0n));
  const dayOf = (of: DayOfSums) =>
    days.get(`${of.day} ${of.accountNumber}`) ?? { of, expected: zeros, found: zeros };
  for (const of of rows) {
    const one = dayOf(of);
    days.set(`${of.day} ${of.accountNumber}`, { ...one, expected: added(one.expected, of.sums) });
  }
  for (const of of kept) {
    const one = dayOf(of);
    days.set(`${of.day} ${of.accountNumber}`, { ...one, found: added(one.found, of.sums) });
  }
  return [...days.values()].flatMap(({ of: { accountNumber, day }, expected, found }) => {
    const first = columns.findIndex((_, index) => expected[index] !== found[index]);
    const column = columns[first];
    if (column === undefined) return [];
    const [wanted, is] = [expected[first] as bigint, found[first] as bigint];
    const amount = column.isMoney ? bounded(is - wanted) : 0;
    const said = { sum: column.name, amount, expected: String(wanted), found: String(is) };
    return [{ class: 'sumsDiffer' as const, summed, accountNumber, day, ...said }];
  });
}

function bounded(beyond: bigint): number {
  if (beyond > MOST_CENTS) return Number(MOST_CENTS);
  return Number(beyond < -MOST_CENTS ? -MOST_CENTS : beyond);
}
