import type { FoundCharge } from '../../providers/acquirers/acquirer.ts';
import type { InstallmentState } from '../../transactions/transaction.ts';
import type { Day } from '../../values/instant.ts';
import type { ExceptionClass } from '../exceptions/exception.ts';
import { findingsOf } from '../judging/finding.ts';
import {
  type FiledPayout,
  filedPayout,
  isRoundingOfFee,
  type JudgedInstallment,
  type MatchedPart,
} from '../judging/judged-installment.ts';

/** Differences between sources that should agree. One between files and what was expected is an exception. */
export const TRUTH_CLASSES = [
  'chargesDiffer',
  'movementsDiffer',
  'booksDiffer',
  'feedDiffers',
  'filesDiffer',
  'ledgerDiffers',
  'sumsDiffer',
] as const;
export type TruthClass = (typeof TRUTH_CLASSES)[number];

/** null: the source did not say it. */
export type SaidPayout = {
  readonly fee: number | null;
  readonly net: number | null;
  readonly bankOn: Day | null;
};

export type ComparedInstallment = {
  readonly installmentNumber: number;
  readonly carried: JudgedInstallment & {
    readonly payout: SaidPayout;
    readonly filed: FiledPayout;
  };
  readonly books: {
    readonly gross: number;
    readonly canceled: number;
    readonly state: JudgedInstallment['state'];
    readonly payout: SaidPayout;
  };
  readonly moves: readonly { readonly from: InstallmentState | null; readonly to: InstallmentState }[];
  readonly sale: {
    readonly amount: number;
    readonly canceled: number;
    readonly ofInstallments: SaleSums;
    readonly ofReceivables: SaleSums & { readonly count: number; readonly firstNumber: number };
  };
  readonly applied: SaidPayout | null;
  /** The newest payout in the feed; null: only files have the payout, or it has not come. */
  readonly reported: SaidPayout | null;
  readonly parts: readonly MatchedPart[];
  /** Exceptions that a person has resolved: their difference is known, and not reported again. */
  readonly resolved: readonly ExceptionClass[];
};

type SaleSums = { readonly gross: number; readonly canceled: number };

/** `amount`: cents found beyond `expected`. */
export type TruthDifference = {
  readonly class: TruthClass;
  readonly amount: number;
  readonly expected: string | null;
  readonly found: string | null;
};

/** `exceptions`: neither explained by a rule nor resolved; `amount`: the missing cents. */
export type Comparison = {
  readonly differences: readonly TruthDifference[];
  readonly exceptions: readonly { readonly class: ExceptionClass; readonly amount: number }[];
};

/** A source is compared only if it is consistent by itself, so that a wrong number is not reported twice. */
export function compareInstallment(compared: ComparedInstallment): Comparison {
  const { carried, parts, resolved } = compared;
  const files = filesDifference(compared);
  const exceptions =
    files !== null
      ? []
      : findingsOf(carried, parts).filter(
          (finding) => finding.explanation === null && !resolved.includes(finding.class),
        );
  const copies = [
    booksDifference(compared) ?? movesDifference(compared),
    feedDifference(compared),
    files,
  ].filter((difference) => difference !== null);
  const between = copies.length > 0 || exceptions.length > 0 ? null : reportDifference(compared);
  return { differences: between === null ? copies : [between], exceptions };
}

export function different(
  name: TruthClass,
  expected: number | string | null,
  found: number | string | null,
  amount = Number(found ?? 0) - Number(expected ?? 0),
): TruthDifference | null {
  if (expected === found) return null;
  const textOf = (value: number | string | null) => (value === null ? null : String(value));
  return { class: name, amount, expected: textOf(expected), found: textOf(found) };
}

function booksDifference({ installmentNumber, carried, books, sale, applied }: ComparedInstallment) {
  const rest = books.gross - books.canceled;
  const settled = applied === null ? 'authorized' : 'paid';
  const isOther = books.state === (applied === null ? 'paid' : 'authorized');
  return (
    different('booksDiffer', carried.gross, books.gross) ??
    different('booksDiffer', carried.canceled, books.canceled) ??
    different('booksDiffer', carried.state, books.state, rest) ??
    (isOther ? different('booksDiffer', settled, books.state, rest) : null) ??
    saleDifference(installmentNumber, carried.installmentCount, sale)
  );
}

function movesDifference({ books, moves }: ComparedInstallment): TruthDifference | null {
  const rest = books.gross - books.canceled;
  let state: InstallmentState | null = null;
  for (const { from, to } of moves) {
    if (from !== state) return different('movementsDiffer', state, from, rest);
    state = to;
  }
  return different('movementsDiffer', state, books.state, rest);
}

function saleDifference(
  installmentNumber: number,
  count: number,
  { amount, canceled, ofInstallments, ofReceivables }: ComparedInstallment['sale'],
): TruthDifference | null {
  if (installmentNumber !== ofReceivables.firstNumber) return null;
  const isNeither = (key: keyof SaleSums, whole: number) =>
    ofInstallments[key] !== whole && ofReceivables[key] !== whole;
  if (ofReceivables.count < count)
    return different('booksDiffer', ofReceivables.count, count, amount - ofReceivables.gross);
  if (isNeither('gross', amount)) return different('booksDiffer', ofInstallments.gross, amount);
  if (isNeither('canceled', canceled)) return different('booksDiffer', ofInstallments.canceled, canceled);
  return null;
}

function payoutDifference(name: TruthClass, expected: SaidPayout, found: SaidPayout): TruthDifference | null {
  return (
    different(name, expected.net, found.net) ??
    different(name, expected.fee, found.fee) ??
    different(name, expected.bankOn, found.bankOn, found.net ?? 0)
  );
}

function feedDifference({ carried, books, applied }: ComparedInstallment): TruthDifference | null {
  // What the applied change did not say stayed in the books as it was.
  const said =
    applied === null
      ? books.payout
      : {
          fee: applied.fee ?? books.payout.fee,
          net: applied.net ?? books.payout.net,
          bankOn: applied.bankOn ?? books.payout.bankOn,
        };
  return (
    payoutDifference('feedDiffers', said, books.payout) ??
    payoutDifference('feedDiffers', books.payout, carried.payout)
  );
}

function filesDifference({ carried, parts }: ComparedInstallment): TruthDifference | null {
  const filed = filedPayout(parts);
  return (
    payoutDifference('filesDiffer', filed, carried.filed) ??
    different('filesDiffer', filed.anticipation, carried.filed.anticipation)
  );
}

/** Compares the feed with the files, or with the books while no file has the payout. */
function reportDifference({ carried, reported, parts }: ComparedInstallment): TruthDifference | null {
  if (reported === null || reported.fee === null || reported.net === null) return null;
  const { filed } = carried;
  if (filed.net === null) return unfiledDifference(carried, reported.fee + reported.net);
  // A batch has one payout for many installments, which we divide ourselves: cents may be off.
  const isOfBatch = parts.some(({ rule }) => rule === 'batch');
  const difference = reported.net - filed.net;
  const isClose = difference === 0 || (isOfBatch && isRoundingOfFee(difference, carried));
  const isOtherDay = reported.bankOn !== null && reported.bankOn !== filed.bankOn;
  return (
    (isClose ? null : different('feedDiffers', filed.net, reported.net)) ??
    (isOtherDay ? different('feedDiffers', filed.bankOn, reported.bankOn, reported.net) : null)
  );
}

/**
 * Less than the gross is no difference: the feed may leave out an anticipation's fee and what was given back.
 */
function unfiledDifference(
  { gross, canceled, expectedFee, expectedNet, paidOn }: ComparedInstallment['carried'],
  paid: number,
): TruthDifference | null {
  if (paidOn === null || (paid <= gross && (canceled > 0 || paid < gross))) return null;
  return different('feedDiffers', expectedFee + expectedNet, paid);
}

export type BookedSale = Pick<ComparedInstallment['sale'], 'amount' | 'canceled'> & {
  readonly isApproved: boolean;
};

export function ledgerDifference(
  sale: BookedSale,
  found: Exclude<FoundCharge, { readonly kind: 'unknown' | 'notSent' }>,
): TruthDifference | null {
  if (!sale.isApproved)
    return found.kind === 'approved' ? different('ledgerDiffers', 'nothing', 'approved', sale.amount) : null;
  if (found.kind === 'approved')
    return found.amount === null ? null : different('ledgerDiffers', sale.amount, found.amount);
  // A charge refunded in full may have been voided there.
  if (found.kind === 'voided' && sale.canceled === sale.amount) return null;
  return different('ledgerDiffers', 'approved', found.kind, 0 - sale.amount);
}
