import { addDays, type Day, type Instant, saoPauloDay } from '../../values/instant.ts';

/** What runs may ask the acquirer for together: of a night, or of one command. */
export const QUESTIONS_OF_BUDGET = 1_000;
/** After so many questions without an answer, of whatever merchants, nobody asks. */
const MOST_UNANSWERED = 3;
/** Of the sales of a batch where nothing differs. */
const QUESTIONS_OF_BATCH = 20;

export type QuestionBudget = {
  readonly questions: number;
  /** Those who share it. */
  readonly merchants: number;
  readonly asked: number;
  /** Those whose run has ended, and what they asked for. */
  readonly endedMerchants: number;
  readonly endedAsked: number;
  readonly unanswered: number;
};

/**
 * No merchant has more than its share; what those left over who have ended is shared by the others. Where
 * questions are fewer than merchants, the first ones have one each.
 */
export function shareOf({ questions, merchants, endedMerchants, endedAsked }: QuestionBudget): number {
  const rest = Math.max(0, questions - endedAsked);
  return Math.max(Math.min(1, rest), Math.floor(rest / Math.max(1, merchants - endedMerchants)));
}

/** Whether so many questions were not answered that nobody asks any more. */
export function isSilent({ unanswered }: Pick<QuestionBudget, 'unanswered'>): boolean {
  return unanswered >= MOST_UNANSWERED;
}

/**
 * Of which sales of a batch the acquirer is asked: those that differ, and some of the others, each night
 * of others; the half of a share stays with what differs. `asked`: what the run has asked for before.
 */
export function salesToAsk(
  day: Day,
  sales: readonly string[],
  differing: readonly string[],
  asked: number,
  budget: QuestionBudget,
): string[] {
  const share = shareOf(budget);
  const others = sales.filter((sale) => !differing.includes(sale));
  const step = Math.max(1, Math.ceil(others.length / QUESTIONS_OF_BATCH));
  const first = Math.floor(Date.parse(day) / 86_400_000) % step;
  const sample = others.filter((_, index) => index % step === first);
  const room = Math.max(0, Math.ceil(share / 2) - asked);
  const left = isSilent(budget) ? 0 : Math.min(share - asked, budget.questions - budget.asked);
  return [...differing, ...sample.slice(0, room)].slice(0, Math.max(0, left));
}

/** Whether the acquirer still finds a charge by our reference. */
export function isWithinLookUp(soldAt: Instant, day: Day, lookUpDays: number | null): boolean {
  return lookUpDays === null || addDays(saoPauloDay(soldAt), lookUpDays) > day;
}
