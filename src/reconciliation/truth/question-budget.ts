import { addDays, type Day, type Instant, saoPauloDay } from '../../values/instant.ts';

/** Questions to acquirers that all runs of a night, or of one command, share. */
export const QUESTIONS_OF_BUDGET = 1_000;
/** After so many unanswered questions, whatever merchants they were for, the acquirer is asked no more. */
const MOST_UNANSWERED = 3;
/** For the sales of a batch that show no difference. */
const QUESTIONS_OF_BATCH = 20;

export type QuestionBudget = {
  readonly questions: number;
  readonly merchants: number;
  readonly asked: number;
  readonly endedMerchants: number;
  readonly endedAsked: number;
  /** The acquirer of each unanswered question. */
  readonly unanswered: readonly string[];
};

/**
 * How many questions one merchant has. Shares are equal; what ended merchants left is shared by the others.
 * With fewer questions than merchants, the first ones get one each.
 */
export function shareOf({ questions, merchants, endedMerchants, endedAsked }: QuestionBudget): number {
  const rest = Math.max(0, questions - endedAsked);
  return Math.max(Math.min(1, rest), Math.floor(rest / Math.max(1, merchants - endedMerchants)));
}

export function isSilent({ unanswered }: Pick<QuestionBudget, 'unanswered'>, acquirer: string): boolean {
  return unanswered.filter((one) => one === acquirer).length >= MOST_UNANSWERED;
}

/**
 * Chooses sales that differ, and of the others a part that changes from day to day. Half of a share is kept
 * for differences. `asked`: earlier questions of the run. `parts`: acquirers that divide what is left, this
 * one among them.
 */
export function salesToAsk(
  day: Day,
  sales: readonly string[],
  differing: readonly string[],
  asked: number,
  budget: QuestionBudget,
  parts = 1,
): string[] {
  const share = shareOf(budget);
  const partOf = (whole: number) => Math.max(0, Math.min(1, whole), Math.floor(whole / parts));
  const others = sales.filter((sale) => !differing.includes(sale));
  const step = Math.max(1, Math.ceil(others.length / QUESTIONS_OF_BATCH));
  const first = Math.floor(Date.parse(day) / 86_400_000) % step;
  const sample = others.filter((_, index) => index % step === first);
  const room = partOf(Math.ceil(share / 2) - asked);
  const left = partOf(Math.min(share - asked, budget.questions - budget.asked));
  return [...differing, ...sample.slice(0, room)].slice(0, left);
}

export function isWithinLookUp(soldAt: Instant, day: Day, lookUpDays: number | null): boolean {
  return lookUpDays === null || addDays(saoPauloDay(soldAt), lookUpDays) > day;
}
