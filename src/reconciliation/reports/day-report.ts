import type { Day } from '../../values/instant.ts';
import { EXCEPTION_CLASSES } from '../exceptions/exception.ts';
import { findingsOf, isOfOtherDay } from '../judging/finding.ts';
import { feeOf, type JudgedInstallment, type MatchedPart, sumOf } from '../judging/judged-installment.ts';
import { anticipationFeeOf, dayOf, type JudgedLines, judgedLines } from '../judging/judged-lines.ts';

import { type Debit, moneyOfDay } from '../judging/money-of-day.ts';
import { netOf } from '../settlement-entry.ts';

/**
 * Besides the exception classes. `anticipated` counts on both days. `canceled` and `chargedBack` are
 * deductions by our books. `adjustment` belongs to no sale. No rule explains `unexplained`.
 */
export const DAY_CAUSES = [
  ...EXCEPTION_CLASSES,
  'notYetFiled',
  'anticipated',
  'anticipationFee',
  'rounding',
  'canceled',
  'chargedBack',
  'adjustment',
  'unexplained',
] as const;
export type DayCause = (typeof DAY_CAUSES)[number];

type Cause = readonly [DayCause, number];

/** Cents. */
export type DayShare = {
  readonly expected: number;
  readonly received: number;
  readonly fees: number;
  /** They add up to expected less received. */
  readonly causes: readonly Cause[];
};

/** The causes of a difference follow the rules of exceptions; the rest is `unexplained`. */
export function dayShare(day: Day, installment: JudgedInstallment, parts: readonly MatchedPart[]): DayShare {
  const lines = judgedLines(installment, parts);
  const { paid, twice } = lines;
  const isOnDay = (part: MatchedPart) => dayOf(part, installment) === day;
  const isExpected = installment.expectedOn === day;
  const expected = isExpected ? installment.expectedNet : 0;
  const { received, fees, claims, debits } = moneyOfDay(day, installment, lines);
  const named = [
    ...(isExpected ? expectedCauses(installment, parts, lines) : []),
    ...paid
      .filter((part) => isOnDay(part) !== isExpected)
      .map((part): Cause => [otherDayOf(part, installment), isExpected ? netOf(part) : 0 - netOf(part)]),
    ...twice.filter(isOnDay).map((part): Cause => ['duplicateInFile', 0 - netOf(part)]),
    ...claims.map((part): Cause => ['heldByPledge', netOf(part)]),
    ...debits.flatMap(debitCauses),
  ];
  const rest = expected - received - sumOf(named, ([, amount]) => amount);
  return { expected, received, fees, causes: summed([...named, ['unexplained', rest]]) };
}

function otherDayOf(part: MatchedPart, installment: JudgedInstallment): DayCause {
  return isOfOtherDay(part, installment) ? 'dateDiffers' : 'anticipated';
}

function expectedCauses(
  installment: JudgedInstallment,
  parts: readonly MatchedPart[],
  lines: JudgedLines,
): Cause[] {
  const { paid, held, payable } = lines;
  const findings = findingsOf(installment, parts, lines);
  const { expectedNet } = installment;
  if (paid.length + held.length === 0) {
    const isMissed = findings.some((finding) => finding.class === 'notInFile');
    return [[isMissed ? 'notInFile' : 'notYetFiled', expectedNet]];
  }
  const due = (gross: number) => gross - feeOf(installment, gross);
  const found = sumOf([...paid, ...held], ({ gross }) => gross);
  const ofClass = (name: 'amountDiffers' | 'feeDiffers', amount?: number): Cause[] =>
    findings
      .filter((finding) => finding.class === name)
      .map((one) => [one.explanation === 'rounding' ? 'rounding' : name, amount ?? one.amount]);
  return [
    ...takenOff(expectedNet - due(payable), lines),
    // Another amount also has another fee.
    ...ofClass('amountDiffers', due(payable) - due(found)),
    ...ofClass('feeDiffers'),
    ['anticipationFee', sumOf(paid, anticipationFeeOf)],
    ['heldByPledge', sumOf(held, netOf)],
  ];
}

/** Of earlier deductions, the part that made the payout smaller. */
function takenOff(amount: number, { takings }: JudgedLines): Cause[] {
  let left = amount;
  const unknown = takings.map((taking): Cause => {
    const beyond = Math.min(
      Math.max(0, left),
      Math.max(0, Math.min(taking.unknown, taking.amount - taking.moved)),
    );
    left -= beyond;
    return [taking.name, beyond];
  });
  return [...unknown, ['canceled', left]];
}

function debitCauses(debit: Debit): Cause[] {
  const { name, amount, moved, unknown, net } = debit;
  const beyond = amount < 0 ? (unknown === 0 ? 0 : moved) : Math.max(0, unknown - (amount - moved));
  const known = beyond === 0 ? net : net - Math.round((net * beyond) / moved);
  return [
    [name, net - known],
    [name === 'cancellationUnknown' ? 'canceled' : 'chargedBack', known],
  ];
}

export function lineShare(cause: DayCause, net: number, fee: number): DayShare {
  return { expected: 0, received: net, fees: fee, causes: summed([[cause, 0 - net]]) };
}

function summed(causes: readonly Cause[]): Cause[] {
  const sums = new Map<DayCause, number>();
  for (const [cause, amount] of causes) sums.set(cause, (sums.get(cause) ?? 0) + amount);
  return [...sums].filter(([, amount]) => amount !== 0);
}

export type CauseOfDay = { readonly cause: DayCause; readonly amount: number; readonly count: number };

export type DayTotals = {
  readonly expected: number;
  readonly received: number;
  readonly fees: number;
  readonly lines: number;
  /** Absolute cents. */
  readonly unexplained: number;
  readonly causes: readonly CauseOfDay[];
};

export function dayTotals() {
  const totals = { expected: 0, received: 0, fees: 0, lines: 0, unexplained: 0 };
  const causes = new Map<DayCause, { amount: number; count: number }>();
  return {
    add(share: DayShare, lines = 1): void {
      totals.expected += share.expected;
      totals.received += share.received;
      totals.fees += share.fees;
      totals.lines += lines;
      for (const [cause, amount] of share.causes) {
        const sum = causes.get(cause) ?? { amount: 0, count: 0 };
        causes.set(cause, { amount: sum.amount + amount, count: sum.count + lines });
        if (cause === 'unexplained') totals.unexplained += Math.abs(amount);
      }
    },
    result(): DayTotals {
      const named = DAY_CAUSES.flatMap((cause) => {
        const sum = causes.get(cause);
        return sum === undefined ? [] : [{ cause, ...sum }];
      });
      return { ...totals, causes: named };
    },
  };
}
