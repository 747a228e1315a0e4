import { judgeInstallments } from '../matching/matches.sql.ts';
import type { Follower } from '../receivables/open-follower.ts';
import {
  ASKING_MILLISECONDS,
  type AskedLedger,
  type AskTools,
  askLedger,
  type BudgetOfRun,
} from './ask-ledger.ts';
import { type ComparedCharge, compareCharge, isOver } from './compared-charge.ts';
import { findChargesToCompare, readComparedCharges } from './compared-charges.sql.ts';
import {
  findInstallmentsToCompare,
  type ReadComparedInstallment,
  readComparedInstallments,
} from './compared-installments.sql.ts';
import { type Comparison, compareInstallment, TRUTH_CLASSES, type TruthClass } from './truth.ts';
import {
  type ChargePlace,
  type ComparedPlace,
  type KeptDifference,
  type TruthRun,
  withCompared,
  withDifferences,
} from './truth-run.ts';
import { recordBatch } from './truth-runs.sql.ts';
import { SUMMING_MILLISECONDS, type SumTools, type VerifiedSums, verifySums } from './verify-sums.ts';

const INSTALLMENTS_OF_BATCH = 500;
const CHARGES_OF_BATCH = 500;
/** A movement between two reads is no difference, so differences are read again. */
const READINGS = 3;
const LEASE_MARGIN_MILLISECONDS = 60_000;

export function leaseOf({
  acquirers,
  acquirerTimeoutMilliseconds,
}: Pick<VerifyTools, 'acquirers' | 'acquirerTimeoutMilliseconds'>): number {
  // The last question to each acquirer may begin just before the time for it ends.
  const lastAnswers = acquirers.all().length * acquirerTimeoutMilliseconds;
  return ASKING_MILLISECONDS + lastAnswers + SUMMING_MILLISECONDS + LEASE_MARGIN_MILLISECONDS;
}

export type VerifyTools = AskTools &
  SumTools & {
    readonly isUpToDate: Follower['isUpToDate'];
    readonly notifyDeliverer: () => void;
  };

/** `behind`: receivables are not up to date. `gone`: another process has the run. */
export type BatchResult =
  | { readonly kind: 'behind' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'more'; readonly run: TruthRun }
  | { readonly kind: 'ended'; readonly run: TruthRun };

/**
 * Compares the next batch of a run and records it in one commit. What differs is read again after the
 * follower has caught up, so that only real differences stay. `pause`: milliseconds until a process may
 * continue the run.
 */
export async function verifyBatch(
  tools: VerifyTools,
  run: TruthRun,
  budget: BudgetOfRun,
  pause: number,
  signal: AbortSignal,
): Promise<BatchResult> {
  const { database, isUpToDate } = tools;
  const { merchantId } = run;
  if (!(await isUpToDate(merchantId))) return { kind: 'behind' };
  const places = await findInstallmentsToCompare(database, run, INSTALLMENTS_OF_BATCH);
  const compared = await readStanding(tools, merchantId, places);
  const outcomes = compared.map((each) => ({ compared: each, comparison: compareInstallment(each) }));
  await judgeUnknown(tools, merchantId, outcomes);
  const found: KeptDifference[] = outcomes.flatMap(
    ({ compared: { transactionId, installmentNumber }, ...one }) =>
      one.comparison.differences.map((difference) => ({ ...difference, transactionId, installmentNumber })),
  );
  const chargePlaces = await findChargesToCompare(database, run, CHARGES_OF_BATCH);
  const charges = await readStandingCharges(tools, merchantId, chargePlaces);
  const foundOfCharges: KeptDifference[] = charges.flatMap((charge) => {
    const difference = compareCharge(charge);
    return difference === null ? [] : [ofCharge(charge, difference)];
  });
  // Sums are read before the budget is used: no question is spent while the database is unreachable.
  const sums = sumsOf(await verifySums(tools, run, signal), run);
  const ledger = await askLedger(tools, run, budget, { outcomes, charges: charges.filter(isOver) }, signal);
  const tally = withDifferences(withCompared(run.tally, outcomes), [
    ...foundOfCharges,
    ...ledger.found,
    ...sums.foundOfDays,
  ]);
  const isLast =
    places.length < INSTALLMENTS_OF_BATCH && chargePlaces.length < CHARGES_OF_BATCH && sums.isLast;
  const next: TruthRun = {
    ...run,
    after: places.at(-1) ?? run.after,
    afterCharge: chargePlaces.at(-1) ?? run.afterCharge,
    afterDays: sums.afterDays,
    tally: {
      ...tally,
      charges: run.tally.charges + charges.length,
      asked: tally.asked + ledger.asked.length,
      isCutShort: tally.isCutShort || ledger.isCutShort,
      beyondLookUp: tally.beyondLookUp + ledger.beyondLookUp,
      leftOut: tally.leftOut + ledger.leftOut,
      days: tally.days + sums.days.length,
      daysLeftOut: tally.daysLeftOut + sums.leftOut,
    },
  };
  const isMine = await recordBatch(
    database,
    run,
    {
      after: next.after,
      afterCharge: next.afterCharge,
      afterDays: next.afterDays,
      tally: next.tally,
      isLast,
      found: [...found, ...foundOfCharges, ...ledger.found],
      atOne: atOne({ outcomes, charges }, [...found, ...foundOfCharges], ledger),
      days: sums.days,
      foundOfDays: sums.foundOfDays,
      spent: ledger.spent === null ? null : { ...ledger.spent, endedAsked: isLast ? next.tally.asked : null },
    },
    pause,
  );
  if (!isMine) return { kind: 'gone' };
  return { kind: isLast ? 'ended' : 'more', run: next };
}

function sumsOf(verified: readonly VerifiedSums[], { afterDays }: TruthRun) {
  return {
    afterDays: {
      ...afterDays,
      ...Object.fromEntries(verified.map(({ summed, after }) => [summed, after])),
    },
    days: verified.flatMap(({ summed, days }) => days.map((day) => ({ summed, day }))),
    leftOut: verified.reduce((all, { leftOut }) => all + leftOut, 0),
    foundOfDays: verified.flatMap(({ found }) => found),
    isLast: verified.every(({ isLast }) => isLast),
  };
}

type Outcome = { readonly compared: ReadComparedInstallment; readonly comparison: Comparison };

async function readStanding(
  { database, isUpToDate }: VerifyTools,
  merchantId: string,
  places: readonly ComparedPlace[],
): Promise<ReadComparedInstallment[]> {
  const standing = new Map<string, ReadComparedInstallment>();
  let wanted: readonly Pick<ComparedPlace, 'transactionId' | 'installmentNumber'>[] = places;
  for (let reading = 0; reading < READINGS && wanted.length > 0; reading += 1) {
    if (reading > 0) await isUpToDate(merchantId);
    const read = await readComparedInstallments(database, merchantId, wanted);
    for (const each of read) standing.set(`${each.transactionId} ${each.installmentNumber}`, each);
    wanted = read.filter((each) => compareInstallment(each).differences.length > 0);
  }
  return [...standing.values()];
}

async function judgeUnknown(
  { database, notifyDeliverer }: VerifyTools,
  merchantId: string,
  outcomes: readonly Outcome[],
): Promise<void> {
  const keys = outcomes
    .filter(({ compared: { open }, comparison: { exceptions } }) => {
      const names = exceptions.map((each) => each.class);
      return names.some((name) => !open.includes(name)) || open.some((name) => !names.includes(name));
    })
    .map(({ compared: { transactionId, installmentNumber } }) => ({
      merchantId,
      transactionId,
      installmentNumber,
    }));
  if (keys.length > 0 && (await judgeInstallments(database, keys))) notifyDeliverer();
}

async function readStandingCharges(
  { database, isUpToDate }: VerifyTools,
  merchantId: string,
  places: readonly ChargePlace[],
): Promise<ComparedCharge[]> {
  const standing = new Map<string, ComparedCharge>();
  let wanted = places.map(({ transactionId }) => transactionId);
  for (let reading = 0; reading < READINGS && wanted.length > 0; reading += 1) {
    if (reading > 0) await isUpToDate(merchantId);
    const read = await readComparedCharges(database, merchantId, wanted);
    for (const each of read) standing.set(each.transactionId, each);
    wanted = read.filter((each) => compareCharge(each) !== null).map(({ transactionId }) => transactionId);
  }
  return [...standing.values()];
}

/** A charge's difference is kept at its first installment. */
function ofCharge<T>({ transactionId }: Pick<ComparedCharge, 'transactionId'>, difference: T) {
  return { ...difference, transactionId, installmentNumber: 1 };
}

const OF_OTHERS: readonly TruthClass[] = ['ledgerDiffers', 'chargesDiffer', 'sumsDiffer'];
const ofInstallments = TRUTH_CLASSES.filter((name) => !OF_OTHERS.includes(name));

function atOne(
  {
    outcomes,
    charges,
  }: { readonly outcomes: readonly Outcome[]; readonly charges: readonly ComparedCharge[] },
  found: readonly KeptDifference[],
  ledger: AskedLedger,
) {
  const keyOf = (one: Pick<KeptDifference, 'transactionId' | 'installmentNumber' | 'class'>) =>
    `${one.transactionId} ${one.installmentNumber} ${one.class}`;
  const differing = new Set([...found, ...ledger.found].map(keyOf));
  const looked = outcomes.flatMap(({ compared: { transactionId, installmentNumber } }) =>
    ofInstallments.map((name) => ({
      transactionId,
      installmentNumber,
      class: name,
    })),
  );
  const asked = ledger.asked.map((transactionId) => ({
    transactionId,
    installmentNumber: 1,
    class: 'ledgerDiffers' as const,
  }));
  const whole = charges.map((charge) => ofCharge(charge, { class: 'chargesDiffer' as const }));
  return [...looked, ...whole, ...asked].filter((one) => !differing.has(keyOf(one)));
}
