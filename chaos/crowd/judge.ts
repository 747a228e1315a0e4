import type { Answer } from './well-merchant.ts';

/** What those that must not notice anything were answered for a while. */
export type Window = {
  readonly payments: readonly Answer[];
  /** What the merchants did beside paying. */
  readonly errands: readonly Answer[];
  readonly health: readonly Answer[];
};

/** How much longer than without an attack the slowest hundredth of payments may take. */
const MOST_TIMES_SLOWER = 3;

/** What is wrong with a window; each sentence begins with the promise that is broken. */
export function answerFindings({ payments, errands, health }: Window): string[] {
  return [
    ...findings('every payment of a well merchant is answered 200', payments),
    ...findings('everything else that it asks for is answered 200', errands),
    ...findings('/health/live is answered 200 in its time', health),
    ...(payments.length === 0 ? ['well merchants pay: not one payment was sent'] : []),
  ];
}

function findings(promise: string, answers: readonly Answer[]): string[] {
  const wrong = answers.filter(({ status }) => status !== 200);
  const kinds = Map.groupBy(wrong, ({ what, status, lostBy }) => `${what} ${status ?? lostBy}`);
  return [...kinds].map(
    ([kind, those]) => `${promise}: ${those.length} of ${answers.length} were not: ${kind}`,
  );
}

/** Of payments under attack, compared with those without. */
export function timeFindings(with_: Window, without: Window): string[] {
  const [slow, usual] = [p99Of(with_), p99Of(without)];
  if (slow <= MOST_TIMES_SLOWER * usual) return [];
  return [
    `the slowest hundredth takes at most three times as long: ${slow.toFixed(0)} ms, ${usual.toFixed(0)} ms without`,
  ];
}

export function p99Of({ payments }: Window): number {
  return percentileOf(payments, 0.99);
}

export function percentileOf(answers: readonly Answer[], part: number): number {
  const times = answers.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other);
  return times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
}
