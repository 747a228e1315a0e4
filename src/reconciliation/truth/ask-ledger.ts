import type { Database } from '../../platform/postgres/database.ts';
import type { Acquirer } from '../../providers/acquirers/acquirer.ts';
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
  readonly acquirers: {
    readonly all: () => readonly string[];
    of(name: string): Pick<Acquirer, 'find' | 'capabilities'>;
  };
  readonly acquirerTimeoutMilliseconds: number;
};

/** `merchants` is null if all merchants that have sold something share the budget. */
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

type SaleToAsk = { readonly acquirer: string; readonly sale: BookedSale };

type Outcome = { readonly compared: ReadComparedInstallment; readonly comparison: Comparison };

export type AskedOfBatch = {
  readonly outcomes: readonly Outcome[];
  readonly charges: readonly ComparedCharge[];
};

/** Asks one after the other, as far as the budget goes; not behind an acquirer's unanswered request. */
export async function askLedger(
  { database, acquirers, acquirerTimeoutMilliseconds }: AskTools,
  { merchantId, day, tally }: TruthRun,
  { key, merchants }: BudgetOfRun,
  batch: AskedOfBatch,
  signal: AbortSignal,
): Promise<AskedLedger> {
  const none = { found: [], asked: [], isCutShort: false, beyondLookUp: 0, leftOut: 0, spent: null };
  if (acquirers.all().length === 0) return none;
  const { sales, differing, beyondLookUp } = salesToLookUp(
    batch,
    day,
    (name) => acquirers.of(name).capabilities().lookUpDays,
  );
  const budget = await openBudget(database, key, QUESTIONS_OF_BUDGET, merchants);
  const wanted = tally.isCutShort ? [] : salesToAsk(day, [...sales.keys()], differing, tally.asked, budget);
  const taken = await takeQuestions(database, key, wanted.length);
  const differences: KeptDifference[] = [];
  const asked: string[] = [];
  const silent = new Map<string, 'unknown' | 'notSent'>();
  const endsAt = performance.now() + ASKING_MILLISECONDS;
  for (const transactionId of wanted.slice(0, taken)) {
    if (signal.aborted || performance.now() > endsAt) break;
    const found = sales.get(transactionId);
    if (found === undefined || silent.has(found.acquirer)) continue;
    const acquirer = acquirers.of(found.acquirer);
    const answer = await acquirer.find(merchantId, transactionId, acquirerTimeoutMilliseconds);
    if (answer.kind === 'unknown' || answer.kind === 'notSent') {
      silent.set(found.acquirer, answer.kind);
      continue;
    }
    asked.push(transactionId);
    const difference = ledgerDifference(found.sale, answer);
    if (difference !== null) differences.push({ ...difference, transactionId, installmentNumber: 1 });
  }
  // An unanswered request was sent all the same.
  const unanswered = [...silent.values()].filter((kind) => kind === 'unknown').length;
  const put = asked.length + unanswered;
  return {
    found: differences,
    asked,
    isCutShort: tally.isCutShort || silent.size > 0 || (isSilent(budget) && sales.size > 0),
    beyondLookUp,
    leftOut: differing.filter((sale) => !asked.includes(sale)).length,
    spent: { budgetKey: key, givenBack: taken - put, unanswered },
  };
}

/** The sales of a batch that their acquirers can still find, and those that differ. */
function salesToLookUp(
  { outcomes, charges }: AskedOfBatch,
  day: TruthRun['day'],
  lookUpDaysOf: (acquirer: string) => number | null,
) {
  const isFound = ({ soldAt, acquirer }: Pick<ComparedCharge, 'soldAt' | 'acquirer'>) =>
    isWithinLookUp(soldAt, day, lookUpDaysOf(acquirer));
  const over = charges.filter(isFound);
  const found = outcomes.filter(({ compared }) => isFound(compared));
  const differing = found.filter(
    ({ compared: { isNoted }, comparison: { differences, exceptions } }) =>
      isNoted || differences.length + exceptions.length > 0,
  );
  return {
    sales: new Map<string, SaleToAsk>([
      ...found.map(({ compared: { transactionId, acquirer, sale } }): [string, SaleToAsk] => [
        transactionId,
        { acquirer, sale: { ...sale, isApproved: true } },
      ]),
      ...over.map((charge): [string, SaleToAsk] => [
        charge.transactionId,
        { acquirer: charge.acquirer, sale: { ...charge, isApproved: false } },
      ]),
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
