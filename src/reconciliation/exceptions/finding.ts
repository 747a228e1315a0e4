import { businessDayFrom } from '../../values/business-day.ts';
import { addDays, type Day } from '../../values/instant.ts';
import type { MatchRule } from '../matching/entry-match.ts';
import type { EntryPart } from '../matching/entry-parts.ts';
import type { EntryKind } from '../settlement-entry.ts';
import type { Explanation, Finding } from './exception.ts';

/** An installment as it is judged: what we expect of it, and what our books say happened to it. */
export type JudgedInstallment = {
  readonly gross: number;
  /** Cents that were given back or taken back, by our books. */
  readonly canceled: number;
  /** Of what was left of it when it was paid, or is left now. */
  readonly expectedFee: number;
  readonly expectedNet: number;
  readonly expectedOn: Day;
  readonly installmentCount: number;
  readonly state: 'authorized' | 'paid' | 'canceled' | 'blocked';
};

/** A line's part in the installment. */
export type MatchedPart = EntryPart & {
  readonly kind: EntryKind;
  readonly rule: MatchRule;
  readonly fileNumber: number;
  readonly lineNumber: number;
  readonly bankOn: Day | null;
  /** The order of a debit, which one line announces and another settles. */
  readonly document: string | null;
  /** Of the change that the line became; null: it became none. */
  readonly changeState: 'waiting' | 'applied' | 'refused' | null;
};

/**
 * The days of which files of the merchant's establishments tell; null: none has come. A payout is
 * missed `GRACE_DAYS` behind its day.
 */
export type Coverage = { readonly coveredFrom: Day; readonly coveredTo: Day } | null;

/** A file may bring a payout up to so many days behind its day. */
export const GRACE_DAYS = 2;

/**
 * Everything in which files and books differ about one installment, at most one finding of each class.
 * A function of all that is known, in whatever order it came: a later line that makes it right makes
 * the finding go.
 */
export function findingsOf(
  installment: JudgedInstallment,
  parts: readonly MatchedPart[],
  coverage: Coverage,
): Finding[] {
  const paid = parts.filter(({ kind }) => kind === 'payout' || kind === 'anticipation');
  const found = [
    pledgeFinding(installment, parts),
    missingFinding(installment, parts, coverage),
    ...takenFindings(installment, parts),
    ...payoutFindings(installment, parts, paid),
    feeFinding(installment, parts, paid),
    dateFinding(installment, paid),
  ];
  return found.filter((finding) => finding !== null);
}

/** What is still to be paid of it by our books. */
function restOf({ gross, canceled }: JudgedInstallment): number {
  return gross - canceled;
}

function pledgeFinding(installment: JudgedInstallment, parts: readonly MatchedPart[]): Finding | null {
  const held = parts.filter(({ kind }) => kind === 'pledge');
  if (held.length === 0) return null;
  const amount = sumOf(held, ({ net, gross }) => Math.abs(net ?? gross));
  const day = lastDay(held) ?? installment.expectedOn;
  return { class: 'heldByPledge', amount, expected: null, found: String(amount), day, explanation: 'pledge' };
}

function missingFinding(
  installment: JudgedInstallment,
  parts: readonly MatchedPart[],
  coverage: Coverage,
): Finding | null {
  const isTold = parts.some(({ kind }) => ['payout', 'anticipation', 'pledge'].includes(kind));
  const isDue =
    coverage !== null &&
    installment.expectedOn >= coverage.coveredFrom &&
    addDays(installment.expectedOn, GRACE_DAYS) <= coverage.coveredTo;
  if (isTold || !isDue || restOf(installment) <= 0) return null;
  const amount = installment.expectedNet;
  const day = installment.expectedOn;
  return { class: 'notInFile', amount, expected: String(amount), found: null, day, explanation: null };
}

/**
 * What files take back beyond what our books know. A chargeback that became a change is known once that
 * is applied; one that the books gave for final and the file reverses is not.
 */
function takenFindings(installment: JudgedInstallment, parts: readonly MatchedPart[]): (Finding | null)[] {
  const of = (kind: EntryKind) => onceEach(parts.filter((part) => part.kind === kind));
  const chargebacks = of('chargeback');
  const inState = (...states: MatchedPart['changeState'][]) =>
    sumOf(
      chargebacks.filter(({ changeState }) => states.includes(changeState)),
      sizeOf,
    );
  const reversals = of('chargebackReversal');
  const canceled = Math.max(0, sumOf(of('cancel'), sizeOf) - sumOf(of('cancelReversal'), sizeOf));
  const charged = inState(null, 'refused');
  const known = Math.max(0, installment.canceled - inState('applied'));
  const unknown = Math.max(0, charged + canceled - known);
  const ofChargebacks = Math.min(unknown, charged);
  const waiting = inState('waiting');
  const reversed = sumOf(reversals, sizeOf);
  return [
    takenFinding('chargebackUnknown', ofChargebacks + waiting - reversed, installment, {
      lines: [...chargebacks, ...reversals],
      found: sumOf(chargebacks, sizeOf) - reversed,
      explanation: ofChargebacks === 0 && reversed === 0 ? 'onItsWay' : null,
    }),
    takenFinding('cancellationUnknown', unknown - ofChargebacks, installment, {
      lines: of('cancel'),
      found: canceled,
      explanation: null,
    }),
  ];
}

const sizeOf = ({ gross }: MatchedPart): number => Math.abs(gross);

function takenFinding(
  name: 'chargebackUnknown' | 'cancellationUnknown',
  amount: number,
  { canceled, expectedOn }: JudgedInstallment,
  {
    lines,
    found,
    explanation,
  }: {
    readonly lines: readonly MatchedPart[];
    readonly found: number;
    readonly explanation: Explanation | null;
  },
): Finding | null {
  if (amount === 0) return null;
  const day = lastDay(lines) ?? expectedOn;
  return { class: name, amount, expected: String(canceled), found: String(found), day, explanation };
}

/** Cents by which a file may divide a sale otherwise than we do. */
function roundingOf({ installmentCount }: JudgedInstallment): number {
  return installmentCount - 1;
}

function payoutFindings(
  installment: JudgedInstallment,
  parts: readonly MatchedPart[],
  paid: readonly MatchedPart[],
): (Finding | null)[] {
  const duplicate = duplicateFinding(installment, parts, paid);
  if (duplicate !== null) return [duplicate];
  const lines = paid.length > 0 ? paid : parts.filter(({ kind }) => kind === 'sale').slice(-1);
  if (lines.length === 0) return [];
  const found = sumOf(lines, ({ gross }) => gross);
  const rest = restOf(installment);
  const taken = takenIn(parts);
  // A file takes a cancel off the payout, or pays all and takes the cancel in a line of its own, which
  // may come weeks later.
  if ([installment.gross, rest, rest + taken].includes(found)) return [];
  const expected = paid.length === 0 ? installment.gross : rest + Math.min(taken, installment.canceled);
  const amount = expected - found;
  const explanation: Explanation | null =
    Math.abs(amount) <= roundingOf(installment) && paid.length < 2 ? 'rounding' : null;
  const day = lastDay(lines) ?? installment.expectedOn;
  const texts = { expected: String(expected), found: String(found) };
  return [{ class: 'amountDiffers', amount, ...texts, day, explanation }];
}

function takenIn(parts: readonly MatchedPart[]): number {
  const signs: Partial<Record<EntryKind, number>> = {
    cancel: 1,
    cancelReversal: -1,
    chargeback: 1,
    chargebackReversal: -1,
  };
  const taken = onceEach(parts.filter(({ kind }) => signs[kind] !== undefined));
  return sumOf(taken, ({ kind, gross }) => (signs[kind] ?? 0) * Math.abs(gross));
}

/** A debit that is announced and then settled is one. */
function onceEach(parts: readonly MatchedPart[]): MatchedPart[] {
  const seen = new Set<string>();
  return parts.filter(({ kind, document }) => {
    const name = `${kind} ${document}`;
    const isNew = document === null || !seen.has(name);
    seen.add(name);
    return isNew;
  });
}

/** Paid by several lines, and more than it has; or twice in one file. */
function duplicateFinding(
  installment: JudgedInstallment,
  parts: readonly MatchedPart[],
  paid: readonly MatchedPart[],
): Finding | null {
  const gross = sumOf(paid, (part) => part.gross);
  if (paid.length > 1 && gross > installment.gross) {
    const net = sumOf(paid, netOf);
    const one = paid[0] as MatchedPart;
    const excess = gross === one.gross * paid.length ? net - netOf(one) : gross - installment.gross;
    const day = lastDay(paid) ?? installment.expectedOn;
    const texts = { expected: '1', found: String(paid.length) };
    return { class: 'duplicateInFile', amount: -excess, ...texts, day, explanation: null };
  }
  const sales = parts.filter(({ kind }) => kind === 'sale');
  const ofFiles = new Set(sales.map(({ fileNumber }) => fileNumber));
  if (sales.length === ofFiles.size) return null;
  const day = lastDay(sales) ?? installment.expectedOn;
  return {
    class: 'duplicateInFile',
    amount: 0,
    expected: String(ofFiles.size),
    found: String(sales.length),
    day,
    explanation: null,
  };
}

/**
 * The fee of what was paid against the receivable's; of a part of it the part's. We round the fee of a
 * sale once and divide it, acquirers round each installment's: a cent for each installment at most.
 */
function feeFinding(
  installment: JudgedInstallment,
  parts: readonly MatchedPart[],
  paid: readonly MatchedPart[],
): Finding | null {
  const lines = paid.length > 0 ? paid.slice(0, 1) : parts.filter(({ kind }) => kind === 'sale').slice(-1);
  const [line] = lines;
  const base = installment.expectedFee + installment.expectedNet;
  if (line === undefined || line.fee === null || base === 0) return null;
  const expected = Math.round((installment.expectedFee * line.gross) / base);
  const amount = line.fee - expected;
  if (amount === 0) return null;
  return {
    class: 'feeDiffers',
    amount,
    expected: String(expected),
    found: String(line.fee),
    day: line.bankOn ?? installment.expectedOn,
    explanation: Math.abs(amount) <= installment.installmentCount ? 'rounding' : null,
  };
}

/** An anticipation comes earlier on purpose. */
function dateFinding({ expectedOn }: JudgedInstallment, paid: readonly MatchedPart[]): Finding | null {
  const other = paid.find(
    ({ kind, bankOn }) =>
      bankOn !== null && (kind === 'payout' ? bankOn !== expectedOn : bankOn > expectedOn),
  );
  if (other === undefined || other.bankOn === null) return null;
  return {
    class: 'dateDiffers',
    amount: netOf(other),
    expected: expectedOn,
    found: other.bankOn,
    day: expectedOn,
    explanation: other.bankOn === businessDayFrom(expectedOn) ? 'nonBusinessDay' : null,
  };
}

/** What a line brings to the bank. */
export function netOf({ gross, fee, net, anticipationFee }: EntryPart): number {
  return net ?? gross - (fee ?? 0) - (anticipationFee ?? 0);
}

function lastDay(parts: readonly MatchedPart[]): Day | null {
  const days = parts.flatMap(({ bankOn }) => (bankOn === null ? [] : [bankOn])).sort();
  return days.at(-1) ?? null;
}

function sumOf<T>(all: readonly T[], amount: (each: T) => number): number {
  return all.reduce((sum, each) => sum + amount(each), 0);
}
