import type { Tally } from './kinds/kind.ts';
import type { Entry } from './log.ts';

/** One line of the table. */
export type KindResult = Tally & {
  readonly name: string;
  readonly about: string;
  payments: number;
  approved: number;
  refused: number;
  failed: number;
  lost: number;
  /** Of the lost: charged all the same, as asking shows. */
  lostButCharged: number;
  cancels: number;
  /** Of the cancels: done in the end, whatever was answered. */
  givenBack: number;
  /** Messages to merchants, and how often one came again after it had been taken. */
  deliveries: number;
  repeated: number;
  seconds: number;
  readonly violations: string[];
};

/** The name of the line that holds all others. */
export const WHOLE_RUN = 'whole run';

const COUNTS = [
  'faults',
  'payments',
  'approved',
  'refused',
  'failed',
  'lost',
  'lostButCharged',
  'cancels',
  'givenBack',
  'deliveries',
  'repeated',
  'seconds',
] as const satisfies readonly (keyof KindResult)[];

export function emptyResult(name: string, about: string): KindResult {
  const counts = Object.fromEntries(COUNTS.map((count) => [count, 0])) as Record<
    (typeof COUNTS)[number],
    number
  >;
  return { name, about, struck: new Map(), refusal: null, ...counts, violations: [] };
}

/** Adds a part to the kind that it belongs to. */
export function addResult(whole: KindResult, part: KindResult): void {
  for (const count of COUNTS) whole[count] += part[count];
  for (const [what, count] of part.struck) whole.struck.set(what, (whole.struck.get(what) ?? 0) + count);
  whole.violations.push(...part.violations);
}

type Answers = {
  readonly entries: readonly Pick<Entry, 'status'>[];
  readonly cancelEntries: readonly unknown[];
  readonly cancels: readonly { readonly state: string }[];
};

export function countAnswers(books: Answers, result: KindResult): void {
  for (const { status } of books.entries) {
    result.payments += 1;
    if (status === null) result.lost += 1;
    else if (status === 200) result.approved += 1;
    else if (status < 500) result.refused += 1;
    else result.failed += 1;
  }
  result.cancels += books.cancelEntries.length;
  result.givenBack += books.cancels.filter(({ state }) => state === 'canceled').length;
}

/** The counts of a line, as a table of payments calls them. */
export const PAYMENT_WORDS: readonly string[] = [
  ...['faults', 'payments', '200', '4xx', '5xx', 'lost', 'of these charged', 'cancels', 'given back'],
  ...['deliveries', 'repeated'],
];

export function tableHead(words: readonly string[]): string {
  const cells = ['kind', ...words, 'violations', 'seconds'];
  return `| ${cells.join(' | ')} |\n|${' --- |'.repeat(cells.length)}`;
}

export function lineOf(result: KindResult): string {
  if (result.refusal !== null) return `| ${result.name} | not possible here: ${result.refusal} |`;
  const [seconds = 0, ...counts] = COUNTS.toReversed().map((count) => result[count]);
  const cells = [...counts.reverse(), result.violations.length, Math.round(seconds)];
  return `| ${result.name} | ${cells.join(' | ')} |`;
}
