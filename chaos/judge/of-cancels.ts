import { type CancelEntry, isAboutKey } from '../log.ts';
import type { BookInvariant } from './finding.ts';
import type { BookedCancel, Books } from './ledger-view.ts';
import { takenBack } from './of-changes.ts';

export const CANCEL_INVARIANTS: readonly BookInvariant[] = [
  {
    name: 'what is left is the same here and at the acquirer',
    check(books, complain) {
      const canceledOf = Map.groupBy(books.cancels, (cancel) => cancel.transactionId);
      const takenBackOf = takenBack(books.eventEntries);
      for (const { transactionId, reference, state, canceledAmount } of books.transactions) {
        const taken = books.chargeById.get(transactionId)?.canceledAmount ?? 0;
        if (canceledAmount !== taken)
          complain(reference, `${state}: ${canceledAmount} given back here, ${taken} at the acquirer`);
        const recorded = sumOf((canceledOf.get(transactionId) ?? []).filter(isDone));
        const isTakenBack = takenBackOf.has(reference);
        if (isTakenBack ? canceledAmount < recorded : canceledAmount !== recorded)
          complain(reference, `${canceledAmount} given back here, its cancels are of ${recorded}`);
      }
      for (const { reference, amount, canceledAmount, status } of books.charges) {
        if (canceledAmount > amount || (status === 'canceled') !== (canceledAmount === amount))
          complain(reference, `${status} at the acquirer with ${canceledAmount} of ${amount} given back`);
      }
    },
  },
  {
    name: 'every cancel ends',
    check(books, complain) {
      for (const { reference, cancelId, state } of books.cancels) {
        if (state !== 'canceled' && state !== 'refused') complain(reference, `${cancelId} is ${state}`);
      }
    },
  },
  {
    // What an acquirer refuses by itself was more than there was: two of ours have taken the same money.
    name: 'a cancel is refused when the acquirer refuses it, and never asks for more than is left',
    check(books, complain) {
      const takenBackOf = takenBack(books.eventEntries);
      for (const { reference, cancelId, state, refusalReason, denial } of books.cancels) {
        const isRefusedThere = books.refusedCancels.has(cancelId);
        // Its holder may have taken money back at the acquirer before we heard of it.
        const isFailed = refusalReason === 'failed' || books.scriptedNos.has(denial ?? '');
        if (state === 'refused' && !isRefusedThere && !isFailed && !takenBackOf.has(reference))
          complain(reference, `${cancelId} asked for more than was left`);
        if (state === 'canceled' && isRefusedThere)
          complain(reference, `${cancelId} counts as done, and the acquirer has refused it`);
      }
    },
  },
  {
    name: 'a cancel answered 200 took exactly that amount once, an error took none, a doubt one or none',
    check(books, complain) {
      const rowsOf = Map.groupBy(books.cancels, (cancel) => cancel.reference);
      const entriesOf = Map.groupBy(books.cancelEntries, (entry) => entry.reference);
      // What is let go before its capture is voided, and has no cancel on record.
      for (const { reference, isCapturedLater, state } of books.transactions)
        if (isCapturedLater && state === 'voided') entriesOf.delete(reference);
      for (const [reference, rows] of rowsOf) {
        matchCancels(rows, entriesOf.get(reference) ?? [], (text) => complain(reference, text));
      }
      for (const [reference, entries] of entriesOf) {
        if (!rowsOf.has(reference)) matchCancels([], entries, (text) => complain(reference, text));
      }
    },
  },
  {
    name: 'an answer to a cancel is of that cancel',
    check(books, complain) {
      for (const { status, body, reference, paymentId, amount } of books.cancelEntries) {
        if (status !== 200 && status !== 202) continue;
        const reported = body as { paymentId: string; amount: number; authorizationCode: string };
        const row = books.transactionById.get(paymentId);
        const isSame =
          reported.paymentId === paymentId &&
          reported.authorizationCode === row?.authorizationCode &&
          (amount === null || reported.amount === amount);
        if (!isSame) complain(reference, `asked for ${amount}, answered ${JSON.stringify(reported)}`);
      }
    },
  },
  {
    // With cancels that came later the payment has changed since.
    name: 'after a doubtful cancel the payment tells what was given back',
    check(books, complain) {
      const entriesOf = Map.groupBy(books.cancelEntries, (entry) => entry.reference);
      for (const [reference, entries] of entriesOf) {
        const [first, second] = entries;
        if (first === undefined || first.canceledAfterDoubt === null || !isUnderWay(first)) continue;
        const later = amountTakenBy(second);
        const taken = books.chargeById.get(first.paymentId)?.canceledAmount ?? 0;
        if (later !== null && taken - later !== first.canceledAfterDoubt)
          complain(
            reference,
            `asked, ${first.canceledAfterDoubt} were given back; in the end ${taken}, ${later} of them later`,
          );
      }
    },
  },
];

function isDone({ state }: BookedCancel): boolean {
  return state === 'canceled';
}

function sumOf(cancels: readonly BookedCancel[]): number {
  return cancels.reduce((sum, { amount }) => sum + amount, 0);
}

/** A 500 that says that the cancel is under way. Any other 500 came before there was one. */
function isUnderWay({ status, body }: CancelEntry): boolean {
  return status === 500 && JSON.stringify(body).includes('em andamento');
}

/** What a cancel took, as its answer says; null when that is not known. */
function amountTakenBy(entry: CancelEntry | undefined): number | null {
  if (entry === undefined) return 0;
  if (entry.status === 200) return (entry.body as { amount: number }).amount;
  return entry.status === null || entry.status === 500 || entry.status === 202 ? null : 0;
}

/**
 * Whether each cancel on record can belong to a request of its own: one that was done to a 200 of its
 * amount or to a doubt, one that was refused to a no or to a doubt. Every 200 has its cancel, and so has
 * every 500 that says that it is under way, and every 202.
 */
function matchCancels(
  rows: readonly BookedCancel[],
  entries: readonly CancelEntry[],
  complain: (text: string) => void,
): void {
  if (canBeMatched(rows, entries)) return;
  const booked = rows.map(({ amount, state }) => `${amount} ${state}`);
  const answered = entries.map((entry) => `${entry.amount ?? 'all'} answered ${entry.status}`);
  complain(`on record are [${booked.join(', ')}], asked for were [${answered.join(', ')}]`);
}

/** There are a few of a payment at most: all ways are tried. */
function canBeMatched(rows: readonly BookedCancel[], entries: readonly CancelEntry[]): boolean {
  const [row, ...others] = rows;
  if (row === undefined)
    return !entries.some((entry) => entry.status === 200 || entry.status === 202 || isUnderWay(entry));
  return entries.some(
    (entry, index) => fits(row, entry) && canBeMatched(others, entries.toSpliced(index, 1)),
  );
}

function fits(row: BookedCancel, entry: CancelEntry): boolean {
  if (entry.status === 200) return isDone(row) && row.amount === amountTakenBy(entry);
  // Accepted: done since, or failed.
  if (entry.status === 202)
    return row.wasAccepted && row.amount === (entry.body as { amount: number }).amount;
  if (entry.amount !== null && entry.amount !== row.amount) return false;
  const isDoubtful = entry.status === null || entry.status === 500 || isAboutKey(entry);
  return isDoubtful || (entry.status === 409 && !isDone(row));
}

/** References whose cancels nobody is sure of: the payment must tell. */
export function doubtfulPayments({ cancelEntries }: Books): ReadonlyMap<string, CancelEntry> {
  return new Map(
    cancelEntries
      .filter(({ status }) => status === null || status === 500)
      .map((entry) => [entry.reference, entry]),
  );
}
