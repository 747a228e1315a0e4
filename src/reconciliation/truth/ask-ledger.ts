import type { Database } from '../../platform/postgres/database.ts';
import type { Acquirer } from '../../providers/acquirers/acquirer.ts';
import { type ComparedCharge, isAskedFirst } from './compared-charge.ts';
import type { ReadComparedInstallment } from './compared-installments.sql.ts';
import { isSilent, isWithinLookUp, QUESTIONS_OF_BUDGET, salesToAsk } from './question-budget.ts';
import { type BookedSale, type Comparison, ledgerDifference } from './truth.ts';
import { openBudget, type SpentQuestions, takeQuestions } from './truth-differences.sql.ts';
import type { KeptDifference, TruthRun } from './truth-run.ts';

/** The time for all questions of one batch. */
export const ASKING_MILLISECONDS = 30_000;

export type AskTools = {
  readonly database: Database;
  readonly acquirers: {
    readonly all: () => readonly string[];
    of(name: string): Pick<Acquirer, 'find' | 'capabilities'>;
  };
  readonly acquirerTimeoutMilliseconds: number;
};

/** `merchants` null: all merchants that have sold something share the budget. */
export type BudgetOfRun = { readonly key: string; readonly merchants: number | null };

export type AskedLedger = {
  readonly found: readonly KeptDifference[];
  readonly asked: readonly string[];
  readonly isCutShort: boolean;
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

/**
 * Asks one acquirer after the other about sales, each within its part of budget and time. After a question
 * without an answer its acquirer is asked no more in this batch; the others keep their parts.
 */
export async function askLedger(
  tools: AskTools,
  { merchantId, day, tally }: TruthRun,
  { key, merchants }: BudgetOfRun,
  batch: AskedOfBatch,
  signal: AbortSignal,
): Promise<AskedLedger> {
  const { database, acquirers } = tools;
  const none = { found: [], asked: [], isCutShort: false, beyondLookUp: 0, leftOut: 0, spent: null };
  if (acquirers.all().length === 0) return none;
  const { sales, differing, beyondLookUp } = salesToLookUp(
    batch,
    day,
    (name) => acquirers.of(name).capabilities().lookUpDays,
  );
  const budget = await openBudget(database, key, QUESTIONS_OF_BUDGET, merchants);
  const named = [...new Set([...sales.values()].map(({ acquirer }) => acquirer))];
  const open = named.filter((name) => !isSilent(budget, name));
  const asking = { ...tools, merchantId, sales, signal };
  const [found, asked, unanswered]: [KeptDifference[], string[], string[]] = [[], [], []];
  let [givenBack, isCutShort] = [0, tally.isCutShort || open.length < named.length];
  for (const [index, acquirer] of open.entries()) {
    const ofAcquirer = (sale: string) => sales.get(sale)?.acquirer === acquirer;
    const put = asked.length + unanswered.length;
    const wanted = salesToAsk(
      day,
      [...sales.keys()].filter(ofAcquirer),
      differing.filter(ofAcquirer),
      tally.asked + put,
      { ...budget, asked: budget.asked + put },
      open.length - index,
    );
    const taken = await takeQuestions(database, key, wanted.length);
    const endsAt = performance.now() + ASKING_MILLISECONDS / open.length;
    const answers = await askAcquirer(asking, acquirer, wanted.slice(0, taken), endsAt);
    found.push(...answers.found);
    asked.push(...answers.asked);
    // `unknown`: the question was sent, so it counts, although no answer came.
    if (answers.silent === 'unknown') unanswered.push(acquirer);
    isCutShort ||= answers.silent !== null;
    givenBack += taken - answers.asked.length - (answers.silent === 'unknown' ? 1 : 0);
  }
  return {
    ...{ found, asked, isCutShort, beyondLookUp },
    leftOut: differing.filter((sale) => !asked.includes(sale)).length,
    spent: { budgetKey: key, givenBack, unanswered },
  };
}

async function askAcquirer(
  {
    acquirers,
    acquirerTimeoutMilliseconds,
    merchantId,
    sales,
    signal,
  }: AskTools & {
    readonly merchantId: string;
    readonly sales: ReadonlyMap<string, SaleToAsk>;
    readonly signal: AbortSignal;
  },
  name: string,
  wanted: readonly string[],
  endsAt: number,
) {
  const acquirer = acquirers.of(name);
  const found: KeptDifference[] = [];
  const asked: string[] = [];
  for (const transactionId of wanted) {
    if (signal.aborted || performance.now() > endsAt) break;
    const sale = sales.get(transactionId)?.sale;
    if (sale === undefined) continue;
    const answer = await acquirer.find(merchantId, transactionId, acquirerTimeoutMilliseconds);
    if (answer.kind === 'unknown' || answer.kind === 'notSent') return { found, asked, silent: answer.kind };
    asked.push(transactionId);
    const difference = ledgerDifference(sale, answer);
    if (difference !== null) found.push({ ...difference, transactionId, installmentNumber: 1 });
  }
  return { found, asked, silent: null };
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
