import type { Day } from '../../values/instant.ts';
import { isPaying, netOf } from '../settlement-entry.ts';
import { dueGross, isRoundingOfAmount, type JudgedInstallment } from './judged-installment.ts';
import { lastDay, type MatchedPart, sumOf } from './matched-part.ts';
import { type Taking, takingsOf } from './takings.ts';

/** Lines as they are judged, each in its place: findings and sheets take one view of them. */
export type JudgedLines = {
  /** That pay the installment. */
  readonly paid: readonly MatchedPart[];
  /** That pay it to somebody who has a claim on the money, with the signs of a payout. */
  readonly held: readonly MatchedPart[];
  /** That take for such a claim what another line pays, with the same signs. */
  readonly pledged: readonly MatchedPart[];
  /** That pay what was paid: too many. */
  readonly twice: readonly MatchedPart[];
  /** What a payout may be of: what is due, or another amount that what was taken back makes right. */
  readonly payable: number;
  /** `moved`: cents of it that moved money at the bank; the others made the payout smaller, or will. */
  readonly takings: readonly (Taking & { readonly moved: number })[];
};

/** The day of its money; of a line that has none the day on which it was expected. */
export function dayOf({ bankOn }: MatchedPart, { expectedOn }: JudgedInstallment): Day {
  return bankOn ?? expectedOn;
}

export function judgedLines(installment: JudgedInstallment, parts: readonly MatchedPart[]): JudgedLines {
  const takings = takingsOf(installment, parts);
  const paying = parts.filter(({ kind }) => isPaying(kind));
  const claimed = parts.filter(({ kind }) => kind === 'pledge').map(withSignsOfPayout);
  const isPaidBeside = paying.length > 0 && isTooMuch(installment, [...paying, ...claimed]);
  const [held, pledged] = isPaidBeside ? [[], claimed] : [claimed, []];
  const one = isTooMuch(installment, paying) ? theOne(installment, paying, takings) : undefined;
  const paid = one === undefined ? paying : [one];
  const twice = one === undefined ? [] : paying.filter((part) => part !== one);
  const lines = [...paid, ...held];
  const { payable, absorbed } = payableOf(installment, lines, takings);
  const moved =
    lines.length === 0
      ? withMoved(takings, installment.gross - dueGross(installment), (taking) =>
          offUnseen(taking, installment),
        )
      : withMoved(takings, absorbed, (taking) => (isBefore(taking, lastDay(lines)) ? taking.amount : 0));
  return { paid, held, pledged, twice, payable, takings: moved };
}

const grossOf = ({ gross }: MatchedPart): number => gross;

/** Acquirers write what goes to a holder of a pledge as a credit that is not paid, or as a debit. */
function withSignsOfPayout(part: MatchedPart): MatchedPart {
  const { gross, fee, net } = part;
  const sizeOf = (amount: number | null) => (amount === null ? null : Math.abs(amount));
  return { ...part, gross: Math.abs(gross), fee: sizeOf(fee), net: sizeOf(net) };
}

function isTooMuch({ gross }: JudgedInstallment, lines: readonly MatchedPart[]): boolean {
  return lines.length > 1 && sumOf(lines, grossOf) > gross;
}

/** The line that pays what is due, on its day if there is a choice; else the first. */
function theOne(
  installment: JudgedInstallment,
  paying: readonly MatchedPart[],
  takings: readonly Taking[],
): MatchedPart | undefined {
  const right = paying.filter((part) => payableOf(installment, [part], takings).payable === part.gross);
  return right.find((part) => dayOf(part, installment) === installment.expectedOn) ?? right[0] ?? paying[0];
}

/**
 * What a payout may be of, beside what is due: all that was sold, where files take in lines of their own
 * what was given back before, or still may; what its lines leave that took something back before; and
 * what the books leave by now, where no later line takes it again. `absorbed`: cents of earlier lines
 * that made the payout smaller.
 */
function payableOf(
  installment: JudgedInstallment,
  lines: readonly MatchedPart[],
  takings: readonly Taking[],
): { readonly payable: number; readonly absorbed: number } {
  const { gross, canceled } = installment;
  const due = dueGross(installment);
  const before = takenBefore(takings, lastDay(lines));
  const isTakenLater = takings.some((taking) => !isBefore(taking, lastDay(lines)));
  const isTaken = sumOf(takings, ({ amount }) => amount) >= gross - due;
  const asDue = { payable: due, absorbed: Math.min(before, gross - due) };
  const choices = [
    asDue,
    ...(isTaken || installment.mayStillTake ? [{ payable: gross, absorbed: 0 }] : []),
    ...(before > 0 ? [{ payable: Math.max(0, gross - before), absorbed: before }] : []),
    ...(isTakenLater ? [] : [{ payable: gross - canceled, absorbed: Math.min(before, canceled) }]),
  ];
  const found = sumOf(lines, grossOf);
  const isClose = (choice: { payable: number }, isExact: boolean) =>
    isExact ? choice.payable === found : isRoundingOfAmount(choice.payable - found, installment);
  return (
    choices.find((choice) => isClose(choice, true)) ??
    choices.find((choice) => isClose(choice, false)) ??
    asDue
  );
}

function isBefore({ bankOn }: Taking, paidOn: Day | null): boolean {
  return bankOn !== null && paidOn !== null && bankOn <= paidOn;
}

function takenBefore(takings: readonly Taking[], paidOn: Day | null): number {
  const before = takings.filter((taking) => isBefore(taking, paidOn));
  return Math.max(
    0,
    sumOf(before, ({ amount }) => amount),
  );
}

/**
 * What of a taking may have made a payout smaller that no line has: one that comes, or that came before
 * files did. It is only what the books know, and took by the day of the payout.
 */
function offUnseen({ bankOn, amount, unknown }: Taking, installment: JudgedInstallment): number {
  const { paidOn, expectedOn, isCovered } = installment;
  // Where files cover its day and neither they nor the books have a payout, there was none.
  const lastOn = paidOn ?? (isCovered ? null : expectedOn);
  return lastOn === null || bankOn === null || bankOn <= lastOn ? amount - unknown : 0;
}

/** `roomOf`: cents of a taking that may have made the payout smaller, by `absorbed` cents in all. */
function withMoved(
  takings: readonly Taking[],
  absorbed: number,
  roomOf: (taking: Taking) => number,
): JudgedLines['takings'] {
  let left = absorbed;
  return takings.map((taking) => {
    const kept = Math.min(left, Math.max(0, roomOf(taking)));
    left -= kept;
    return { ...taking, moved: taking.amount - kept };
  });
}

/** What lines keep beside the fee of an anticipation; null: one of them does not say. */
export function keptOf(lines: readonly MatchedPart[]): number | null {
  if (lines.some(({ fee, net }) => fee === null && net === null)) return null;
  return sumOf(lines, (line) => line.gross - netOf(line) - anticipationFeeOf(line));
}

/** Of a payout on its day it is kept like a fee. */
export function anticipationFeeOf({ kind, anticipationFee }: MatchedPart): number {
  return kind === 'anticipation' ? (anticipationFee ?? 0) : 0;
}
