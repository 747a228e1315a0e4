import type { Day } from '../../values/instant.ts';
import { EXCEPTION_CLASSES } from '../exceptions/exception.ts';
import { findingsOf, isOfOtherDay } from '../judging/finding.ts';
import { feeOf, type JudgedInstallment } from '../judging/judged-installment.ts';
import { anticipationFeeOf, dayOf, type JudgedLines, judgedLines } from '../judging/judged-lines.ts';
import { type MatchedPart, sumOf } from '../judging/matched-part.ts';
import { type Debit, moneyOfDay } from '../judging/money-of-day.ts';
import { netOf } from '../settlement-entry.ts';

/**
 * Why what came on a day is not what was expected on it. Beside the classes of exceptions:
 * `notYetFiled`: no file of the day has come. `anticipated`: it came earlier for a fee; of both days.
 * `anticipationFee`: what earlier money cost. `rounding`: cents. `canceled`, `chargedBack`: taken off,
 * as the books have it. `adjustment`: a credit or debit of no sale. `unexplained`: no rule has a name
 * for it.
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

/** What one installment, or line, has to do with a day, in cents. */
export type DayShare = {
  readonly expected: number;
  readonly received: number;
  /** Of what was received. */
  readonly fees: number;
  /** They add up to expected less received. */
  readonly causes: readonly Cause[];
};

/**
 * An installment's share in a day: what was expected of it then, what came then, and every cent between,
 * by the same rules that make its exceptions. What they leave stands there as unexplained.
 */
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

/** What its lines make of what was expected, wherever their days are. */
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
    // What was paid of another amount has another fee.
    ...ofClass('amountDiffers', due(payable) - due(found)),
    ...ofClass('feeDiffers'),
    ['anticipationFee', sumOf(paid, anticipationFeeOf)],
    ['heldByPledge', sumOf(held, netOf)],
  ];
}

/** What the payout is less than was expected because something was taken back before. */
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

/** A line of which no sale is known, and a credit or debit of none. */
export function lineShare(cause: DayCause, net: number, fee: number): DayShare {
  return { expected: 0, received: net, fees: fee, causes: summed([[cause, 0 - net]]) };
}

/** One of each cause, none of nothing. */
function summed(causes: readonly Cause[]): Cause[] {
  const sums = new Map<DayCause, number>();
  for (const [cause, amount] of causes) sums.set(cause, (sums.get(cause) ?? 0) + amount);
  return [...sums].filter(([, amount]) => amount !== 0);
}

/** What a cause comes to on a day. */
export type CauseOfDay = { readonly cause: DayCause; readonly amount: number; readonly count: number };

export type DayTotals = {
  readonly expected: number;
  readonly received: number;
  readonly fees: number;
  /** Installments and lines that it is of. */
  readonly lines: number;
  /** Cents between expected and received that no rule has a name for, whatever their sign. */
  readonly unexplained: number;
  readonly causes: readonly CauseOfDay[];
};

/** Adds shares up. */
export function dayTotals() {
  const totals = { expected: 0, received: 0, fees: 0, lines: 0, unexplained: 0 };
  const causes = new Map<DayCause, { amount: number; count: number }>();
  return {
    /** `lines`: of how many lines or installments it is. */
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
