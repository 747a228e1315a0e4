import type { Explanation, Finding } from '../exceptions/exception.ts';
import { netOf } from '../settlement-entry.ts';
import {
  dueGross,
  feeOf,
  isRoundingOfAmount,
  isRoundingOfFee,
  type JudgedInstallment,
  lastDay,
  type MatchedPart,
  sumOf,
} from './judged-installment.ts';
import { dayOf, type JudgedLines, judgedLines, keptOf } from './judged-lines.ts';

/** At most one of each class. The order of the facts does not matter: a later line can end a difference. */
export function findingsOf(
  installment: JudgedInstallment,
  parts: readonly MatchedPart[],
  lines: JudgedLines = judgedLines(installment, parts),
): Finding[] {
  const found = [
    pledgeFinding(installment, lines),
    missingFinding(installment, lines),
    takenFinding('chargebackUnknown', installment, lines),
    takenFinding('cancellationUnknown', installment, lines),
    duplicateFinding(installment, parts, lines),
    amountFinding(installment, parts, lines),
    feeFinding(installment, parts, lines),
    dateFinding(installment, lines),
  ];
  return found.filter((finding) => finding !== null);
}

function pledgeFinding({ expectedOn }: JudgedInstallment, { held, pledged }: JudgedLines): Finding | null {
  const lines = [...held, ...pledged];
  if (lines.length === 0) return null;
  const amount = sumOf(lines, netOf);
  const day = lastDay(lines) ?? expectedOn;
  return { class: 'heldByPledge', amount, expected: null, found: String(amount), day, explanation: 'pledge' };
}

function missingFinding(installment: JudgedInstallment, { paid, held }: JudgedLines): Finding | null {
  const { isCovered, awaitsList, expectedNet: amount, expectedOn: day } = installment;
  if (paid.length + held.length > 0 || !isCovered || dueGross(installment) === 0) return null;
  const explanation = awaitsList ? 'batchIncomplete' : null;
  return { class: 'notInFile', amount, expected: String(amount), found: null, day, explanation };
}

/** Leaves out what the books took because of a replaced file, if the new file does not take it. */
function takenFinding(
  name: 'chargebackUnknown' | 'cancellationUnknown',
  { canceled, expectedOn, chargedBackByFiles }: JudgedInstallment,
  { takings }: JudgedLines,
): Finding | null {
  const own = takings.filter((taking) => taking.name === name);
  const filed = sumOf(own, ({ part }) => (part.kind === 'chargeback' ? Math.abs(part.gross) : 0));
  const withdrawn = name === 'chargebackUnknown' ? Math.max(0, chargedBackByFiles - filed) : 0;
  const amount = sumOf(own, ({ unknown }) => unknown) - withdrawn;
  if (amount === 0) return null;
  const isOnItsWay =
    withdrawn === 0 && own.every(({ unknown, part }) => unknown === 0 || part.changeState === 'waiting');
  const found = sumOf(own, ({ amount: taken }) => taken);
  return {
    class: name,
    amount,
    expected: String(canceled),
    found: String(found),
    day: lastDay(own.map(({ part }) => part)) ?? expectedOn,
    explanation: isOnItsWay ? 'onItsWay' : null,
  };
}

/** Paid twice, or listed twice in one file. */
function duplicateFinding(
  { expectedOn }: JudgedInstallment,
  parts: readonly MatchedPart[],
  { paid, twice }: JudgedLines,
): Finding | null {
  const of = (lines: readonly MatchedPart[], amount: number, expected: number): Finding => ({
    class: 'duplicateInFile',
    amount,
    expected: String(expected),
    found: String(lines.length),
    day: lastDay(lines) ?? expectedOn,
    explanation: null,
  });
  if (twice.length > 0) return of([...paid, ...twice], 0 - sumOf(twice, netOf), paid.length);
  const sales = parts.filter(({ kind }) => kind === 'sale');
  const ofFiles = new Set(sales.map(({ fileNumber }) => fileNumber));
  return sales.length === ofFiles.size ? null : of(sales, 0, ofFiles.size);
}

/** The paying lines; without any, the last listing of the sale. */
function sayingLines(
  parts: readonly MatchedPart[],
  { paid, held }: JudgedLines,
): { readonly lines: readonly MatchedPart[]; readonly isPaid: boolean } {
  const lines = [...paid, ...held];
  if (lines.length > 0) return { lines, isPaid: true };
  return { lines: parts.filter(({ kind }) => kind === 'sale').slice(-1), isPaid: false };
}

function amountFinding(
  installment: JudgedInstallment,
  parts: readonly MatchedPart[],
  judged: JudgedLines,
): Finding | null {
  const { lines, isPaid } = sayingLines(parts, judged);
  if (lines.length === 0) return null;
  const found = sumOf(lines, ({ gross }) => gross);
  // A list of sales shows the sold amount, whatever was refunded since.
  const isOfRest = !isPaid && found === installment.gross - installment.canceled;
  const expected = isPaid ? judged.payable : installment.gross;
  const amount = isOfRest ? 0 : expected - found;
  if (amount === 0) return null;
  const isRounding = isRoundingOfAmount(amount, installment) && lines.length === 1;
  return {
    class: 'amountDiffers',
    amount,
    expected: String(expected),
    found: String(found),
    day: lastDay(lines) ?? installment.expectedOn,
    explanation: isRounding ? 'rounding' : null,
  };
}

/** Compares all deductions but an anticipation's fee, under any name, with the receivable's fee. */
function feeFinding(
  installment: JudgedInstallment,
  parts: readonly MatchedPart[],
  judged: JudgedLines,
): Finding | null {
  const { lines } = sayingLines(parts, judged);
  const kept = keptOf(lines);
  if (kept === null || lines.length === 0) return null;
  const expected = feeOf(
    installment,
    sumOf(lines, ({ gross }) => gross),
  );
  const amount = kept - expected;
  if (amount === 0) return null;
  const explanation: Explanation | null = isRoundingOfFee(amount, installment) ? 'rounding' : null;
  const day = lastDay(lines) ?? installment.expectedOn;
  return { class: 'feeDiffers', amount, expected: String(expected), found: String(kept), day, explanation };
}

export function isOfOtherDay(part: MatchedPart, installment: JudgedInstallment): boolean {
  const day = dayOf(part, installment);
  return part.kind === 'anticipation' ? day > installment.expectedOn : day !== installment.expectedOn;
}

function dateFinding(installment: JudgedInstallment, { paid }: JudgedLines): Finding | null {
  const others = paid.filter((part) => isOfOtherDay(part, installment));
  const [first] = others;
  if (first === undefined) return null;
  return {
    class: 'dateDiffers',
    amount: sumOf(others, netOf),
    expected: installment.expectedOn,
    found: dayOf(first, installment),
    day: installment.expectedOn,
    explanation: null,
  };
}
