import type { Acquirer } from '../../acquirers/acquirer.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type ComparedCharge, isAskedFirst } from './compared-charge.ts';
import type { ReadComparedInstallment } from './compared-installments.sql.ts';
import { isSilent, isWithinLookUp, QUESTIONS_OF_BUDGET, salesToAsk } from './question-budget.ts';
import { type BookedSale, type Comparison, ledgerDifference } from './truth.ts';
import { openBudget, type SpentQuestions, takeQuestions } from './truth-differences.sql.ts';
import type { KeptDifference, TruthRun } from './truth-run.ts';

/** The longest time for one batch. */
export const ASKING_MILLISECONDS = 30_000;

export type AskTools = {
  readonly database: Database;
  readonly acquirer: Pick<Acquirer, 'find' | 'capabilities'> | null;
  readonly acquirerTimeoutMilliseconds: number;
};

/** `merchants` null: shared by all that have sold something. */
export type BudgetOfRun = { readonly key: string; readonly merchants: number | null };

export type AskedLedger = {
  readonly found: readonly KeptDifference[];
  readonly asked: readonly string[];
  readonly isCutShort: boolean;
  /** Receivables of sales too old for the acquirer to find. */
  readonly beyondLookUp: number;
  /** Sales that differ but were not asked for. */
  readonly leftOut: number;
  readonly spent: Omit<SpentQuestions, 'endedAsked'> | null;
};

type Outcome = { readonly compared: ReadComparedInstallment; readonly comparison: Comparison };

export type AskedOfBatch = {
  readonly outcomes: readonly Outcome[];
  readonly charges: readonly ComparedCharge[];
};

/** Asks within the shared budget, one question at a time. Stops at the first one without an answer. */
export async function askLedger(
  { database, acquirer, acquirerTimeoutMilliseconds }: AskTools,
  { merchantId, day, tally }: TruthRun,
  { key, merchants }: BudgetOfRun,
  batch: AskedOfBatch,
  signal: AbortSignal,
): Promise<AskedLedger> {
  const none = { found: [], asked: [], isCutShort: false, beyondLookUp: 0, leftOut: 0, spent: null };
  if (acquirer === null) return none;
  const { sales, differing, beyondLookUp } = salesToLookUp(batch, day, acquirer.capabilities().lookUpDays);
  const budget = await openBudget(database, key, QUESTIONS_OF_BUDGET, merchants);
  const wanted = tally.isCutShort ? [] : salesToAsk(day, [...sales.keys()], differing, tally.asked, budget);
  const taken = await takeQuestions(database, key, wanted.length);
  const found: KeptDifference[] = [];
  const asked: string[] = [];
  let unanswered: 'unknown' | 'notSent' | null = null;
  const endsAt = performance.now() + ASKING_MILLISECONDS;
  for (const transactionId of wanted.slice(0, taken)) {
    if (signal.aborted || performance.now() > endsAt) break;
    const answer = await acquirer.find(merchantId, transactionId, acquirerTimeoutMilliseconds);
    if (answer.kind === 'unknown' || answer.kind === 'notSent') {
      unanswered = answer.kind;
      break;
    }
    asked.push(transactionId);
    const sale = sales.get(transactionId);
    const difference = sale === undefined ? null : ledgerDifference(sale, answer);
    if (difference !== null) found.push({ ...difference, transactionId, installmentNumber: 1 });
  }
  const put = asked.length + (unanswered === 'unknown' ? 1 : 0);
  return {
    found,
    asked,
    isCutShort: tally.isCutShort || unanswered !== null || (isSilent(budget) && sales.size > 0),
    beyondLookUp,
    leftOut: differing.filter((sale) => !asked.includes(sale)).length,
    spent: { budgetKey: key, givenBack: taken - put, unanswered: unanswered === 'unknown' ? 1 : 0 },
  };
}

function salesToLookUp({ outcomes, charges }: AskedOfBatch, day: TruthRun['day'], lookUpDays: number | null) {
  const over = charges.filter(({ soldAt }) => isWithinLookUp(soldAt, day, lookUpDays));
  const found = outcomes.filter(({ compared }) => isWithinLookUp(compared.soldAt, day, lookUpDays));
  const differing = found.filter(
    ({ compared: { isNoted }, comparison: { differences, exceptions } }) =>
      isNoted || differences.length + exceptions.length > 0,
  );
  return {
    sales: new Map<string, BookedSale>([
      ...found.map(
        ({ compared }) => [compared.transactionId, { ...compared.sale, isApproved: true }] as const,
      ),
      ...over.map((charge) => [charge.transactionId, { ...charge, isApproved: false }] as const),
    ]),
    differing: [
      ...new Set([
        ...differing.map(({ compared }) => compared.transactionId),
        ...over.filter(isAskedFirst).map(({ transactionId }) => transactionId),
      ]),
    ],
    beyondLookUp: outcomes.length - found.length,
  };
}
