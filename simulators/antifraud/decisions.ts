import type { Question } from './question.ts';

export type Decision = {
  readonly transactionId: string;
  readonly verdict: 'accept' | 'review' | 'reject';
  readonly score: number;
  readonly reasons: readonly string[];
};

/** What goes wrong with an answer. */
export const FAULTS = ['silent', 'garbage', 'other', 'unavailable'] as const;
export type Fault = (typeof FAULTS)[number];

type Said = Omit<Decision, 'transactionId'>;

const ACCEPTED: Said = { verdict: 'accept', score: 10, reasons: [] };
/** By the part before `@test.com`. Buyers without such an address are accepted. */
const SAID: Readonly<Record<string, Said>> = {
  'fraud-review': { verdict: 'review', score: 600, reasons: ['new-email'] },
  'fraud-reject': { verdict: 'reject', score: 950, reasons: ['known-fraud', 'new-email'] },
};
const TRIGGER = /^([a-z-]+)@test\.com$/;

/** More than a day of trying out; the oldest goes first. */
const MOST_KEPT = 100_000;

/** What was decided, so that a question that is repeated gets the same answer. */
export class Decisions {
  readonly #kept = new Map<string, { readonly question: string; readonly decision: Decision }>();

  /**
   * The decision of a question, `text` being all of it; null: its id stands for another question.
   */
  decide(question: Question, text: string): Decision | null {
    const key = JSON.stringify([question.merchantId, question.transactionId]);
    const earlier = this.#kept.get(key);
    if (earlier !== undefined) return earlier.question === text ? earlier.decision : null;
    const decision = { transactionId: question.transactionId, ...saidOf(question) };
    this.#kept.set(key, { question: text, decision });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return decision;
  }
}

/** How the answer to this buyer is spoiled; null: it is not. */
export function faultOf(question: Question): Fault | null {
  const name = triggerOf(question);
  return FAULTS.find((fault) => name === `fraud-${fault}`) ?? null;
}

function saidOf(question: Question): Said {
  const name = triggerOf(question);
  return (Object.hasOwn(SAID, name) ? SAID[name] : undefined) ?? ACCEPTED;
}

function triggerOf({ email }: Question): string {
  return TRIGGER.exec(email?.trim().toLowerCase() ?? '')?.[1] ?? '';
}
