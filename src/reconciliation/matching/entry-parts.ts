import { apportion } from '../../values/apportion.ts';
import { cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import type { EntryMoney } from '../settlement-entry.ts';

export type PartWeight = {
  readonly gross: number;
  readonly canceled: number;
  /** What was left when the installment was paid, or is left now. */
  readonly due: number;
  /** Cents that the books took back in the line's way and that no other line names. */
  readonly unnamed: number;
  readonly isPaid: boolean;
};

/** Adds up to the line's total. Gross follows the amounts sold or due; a refund follows the books. */
export function divideEntry(entry: EntryMoney, weights: readonly PartWeight[]): EntryMoney[] {
  const gross = entry.gross < 0 ? takenParts(0 - entry.gross, weights) : paidParts(entry.gross, weights);
  const fee = signedParts(entry.fee, gross);
  const anticipationFee = signedParts(entry.anticipationFee, gross);
  const net = netParts(entry, { gross, fee, anticipationFee });
  return weights.map((_, index) => ({
    gross: gross[index] ?? 0,
    fee: fee?.[index] ?? null,
    net: net?.[index] ?? null,
    anticipationFee: anticipationFee?.[index] ?? null,
  }));
}

function paidParts(total: number, weights: readonly PartWeight[]): number[] {
  const sold = weights.map(({ gross }) => gross);
  const due = weights.map((weight) => weight.due);
  const left = weights.map(({ gross, canceled }) => gross - canceled);
  return [sold, due, left].find((parts) => sum(parts) === total) ?? divided(total, sold);
}

/** Acquirers take back paid money in one line, and unpaid money in others. */
function takenParts(total: number, weights: readonly PartWeight[]): number[] {
  const unnamed = weights.map((weight) => weight.unnamed);
  const ofPaid = weights.map((weight) => (weight.isPaid ? weight.unnamed : 0));
  const alone = weights.findIndex((weight) => weight.unnamed === total);
  const known =
    sum(unnamed) === total
      ? unnamed
      : alone >= 0
        ? weights.map((_, index) => (index === alone ? total : 0))
        : fromLast(total, sum(ofPaid) >= total ? ofPaid : unnamed);
  const beyond = total - sum(known);
  const rest =
    beyond === 0
      ? []
      : divided(
          beyond,
          weights.map(({ gross }) => gross),
        );
  return known.map((part, index) => 0 - part - (rest[index] ?? 0));
}

/** From last to first, as much as each has, until the total is reached. */
function fromLast(total: number, rooms: readonly number[]): number[] {
  let left = total;
  return rooms
    .toReversed()
    .map((room) => {
      const part = Math.min(room, left);
      left -= part;
      return part;
    })
    .reverse();
}

/** If gross, fee and net of the line are consistent, those of each part are too. */
function netParts(
  { gross: total, fee: totalFee, net: totalNet, anticipationFee: totalAnticipation }: EntryMoney,
  parts: {
    readonly gross: readonly number[];
    readonly fee: readonly number[] | null;
    readonly anticipationFee: readonly number[] | null;
  },
): number[] | null {
  if (totalNet === null) return null;
  const isPlain = total - (totalFee ?? 0) - (totalAnticipation ?? 0) === totalNet;
  if (!isPlain) return divided(totalNet, parts.gross.map(Math.abs));
  return parts.gross.map(
    (gross, index) => gross - (parts.fee?.[index] ?? 0) - (parts.anticipationFee?.[index] ?? 0),
  );
}

function signedParts(total: number | null, gross: readonly number[]): number[] | null {
  return total === null ? null : divided(total, gross.map(Math.abs));
}

function divided(total: number, weights: readonly number[]): number[] {
  const isWeightless = weights.every((weight) => weight === 0);
  const parts = apportion(cents(Math.abs(total)), isWeightless ? weights.map(() => 1) : weights);
  return parts.map((part) => (total < 0 ? 0 - part : part));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

export type BatchMember = {
  readonly gross: number;
  readonly canceled: number;
  readonly due: number;
  readonly isBlocked: boolean;
  /** The bank day by the acquirer's feed; null: the feed gave none. */
  readonly reportedOn: Day | null;
  readonly isPaid: boolean;
};

export type PaidMembers<M extends BatchMember> = {
  readonly members: readonly M[];
  readonly isExact: boolean;
};

/**
 * The first group that adds up to the payout: reported for its day, unpaid and not blocked, unpaid, blocked.
 * Otherwise the reported or payable ones, each of which then shows a difference.
 */
export function paidMembers<M extends BatchMember>(
  { amount, bankOn }: { readonly amount: number; readonly bankOn: Day | null },
  members: readonly M[],
): PaidMembers<M> {
  const unpaid = members.filter(({ isPaid }) => !isPaid);
  const reported = unpaid.filter(({ reportedOn }) => reportedOn !== null && reportedOn === bankOn);
  const left = unpaid.filter(({ due }) => due > 0);
  const free = left.filter(({ isBlocked }) => !isBlocked);
  const sums = (those: readonly M[]) => [
    those.reduce((sum, { gross }) => sum + gross, 0),
    those.reduce((sum, { due }) => sum + due, 0),
    those.reduce((sum, { gross, canceled }) => sum + gross - canceled, 0),
  ];
  for (const those of [reported, free, left, left.filter(({ isBlocked }) => isBlocked)])
    if (those.length > 0 && sums(those).includes(amount)) return { members: those, isExact: true };
  return { members: [reported, free].find((those) => those.length > 0) ?? left, isExact: false };
}
