import type { Day } from '../../values/instant.ts';
import type { ExceptionClass } from '../exceptions/exception.ts';
import { type JudgedInstallment, type MatchedPart, netOf } from '../exceptions/finding.ts';

/**
 * Why what came on a day is not what was expected on it. Beside the classes of exceptions:
 * `notYetFiled`: no file of the day has come. `anticipated`, `otherDay`: it came earlier for a fee, or
 * on another day; of both days. `anticipationFee`: what earlier money cost. `rounding`: cents.
 * `canceled`, `chargedBack`: taken off, as the books have it. `adjustment`: a credit or debit of no
 * sale. `deduction`: what a line keeps beside its fees.
 */
export const DAY_CAUSES = [
  'notInFile',
  'notInParcela',
  'amountDiffers',
  'feeDiffers',
  'duplicateInFile',
  'cancellationUnknown',
  'chargebackUnknown',
  'dateDiffers',
  'heldByPledge',
  'notYetFiled',
  'otherDay',
  'anticipated',
  'anticipationFee',
  'rounding',
  'canceled',
  'chargedBack',
  'adjustment',
  'deduction',
] as const satisfies readonly (ExceptionClass | string)[];
export type DayCause = (typeof DAY_CAUSES)[number];

/** What one installment, or line, has to do with a day, in cents. */
export type DayShare = {
  readonly expected: number;
  readonly received: number;
  /** Of what was received. */
  readonly fees: number;
  /** They add up to expected less received. */
  readonly causes: readonly (readonly [DayCause, number])[];
};

type DayInstallment = JudgedInstallment & { readonly isCovered: boolean };

const isPaying = ({ kind }: MatchedPart) => kind === 'payout' || kind === 'anticipation';

/** How files take money back, and the cause that this is. */
const TAKING: Partial<Record<MatchedPart['kind'], DayCause>> = {
  cancel: 'canceled',
  cancelReversal: 'canceled',
  chargeback: 'chargedBack',
  chargebackReversal: 'chargedBack',
};

/** An installment's share in a day: what was expected of it then, what came then, and every cent between. */
export function dayShare(day: Day, installment: DayInstallment, parts: readonly MatchedPart[]): DayShare {
  const paid = parts.filter(isPaying);
  const isExpected = installment.expectedOn === day;
  const debits = bankDebits(installment, parts, paid).filter(({ bankOn }) => bankOn === day);
  const onDay = paid.filter(({ bankOn }) => bankOn === day);
  const causes: [DayCause, number][] = [
    ...(isExpected ? expectedCauses(day, installment, parts, paid) : onDay.map(fromOtherDay)),
    ...debits.map((part): [DayCause, number] => [TAKING[part.kind] as DayCause, 0 - netOf(part)]),
  ];
  return {
    expected: isExpected ? installment.expectedNet : 0,
    received: sumOf([...onDay, ...debits], netOf),
    fees: sumOf(onDay, ({ fee, anticipationFee }) => (fee ?? 0) + (anticipationFee ?? 0)),
    causes: summed(causes),
  };
}

function fromOtherDay(part: MatchedPart): [DayCause, number] {
  return [part.kind === 'anticipation' ? 'anticipated' : 'otherDay', 0 - netOf(part)];
}

/**
 * Debits that moved money at the bank. Where a payout was made smaller by what was taken back, the line
 * that says so moved none.
 */
function bankDebits(
  { gross }: JudgedInstallment,
  parts: readonly MatchedPart[],
  paid: readonly MatchedPart[],
): MatchedPart[] {
  const isWhole = paid.length > 0 && sumOf(paid, (part) => part.gross) >= gross;
  return isWhole ? parts.filter(({ kind }) => TAKING[kind] !== undefined) : [];
}

function expectedCauses(
  day: Day,
  installment: DayInstallment,
  parts: readonly MatchedPart[],
  paid: readonly MatchedPart[],
): [DayCause, number][] {
  const { expectedFee, expectedNet, isCovered, installmentCount, canceled, gross } = installment;
  if (paid.length === 0) {
    const isHeld = parts.some(({ kind }) => kind === 'pledge');
    return [[isHeld ? 'heldByPledge' : isCovered ? 'notInFile' : 'notYetFiled', expectedNet]];
  }
  const elsewhere = paid.filter(({ bankOn }) => bankOn !== day);
  const paidGross = sumOf(paid, (part) => part.gross);
  const amount = expectedFee + expectedNet - paidGross;
  const fee = sumOf(paid, (part) => part.fee ?? 0) - expectedFee;
  const anticipation = sumOf(paid, ({ anticipationFee }) => anticipationFee ?? 0);
  const rest = expectedNet - sumOf(paid, netOf) - amount - fee - anticipation;
  const isDuplicate = paid.length > 1 && paidGross > gross;
  const isBeforeCancel = canceled > 0 && paidGross === gross;
  return [
    ...elsewhere.map((part): [DayCause, number] => {
      const [cause, net] = fromOtherDay(part);
      return [cause, 0 - net];
    }),
    [isDuplicate ? 'duplicateInFile' : isBeforeCancel ? 'canceled' : 'amountDiffers', amount],
    [Math.abs(fee) <= installmentCount ? 'rounding' : 'feeDiffers', fee],
    ['anticipationFee', anticipation],
    ['deduction', rest],
  ];
}

/** A line of which no sale is known, and a credit or debit of none. */
export function lineShare(cause: DayCause, net: number, fee: number): DayShare {
  return { expected: 0, received: net, fees: fee, causes: summed([[cause, 0 - net]]) };
}

/** One of each cause, none of nothing. */
function summed(causes: readonly (readonly [DayCause, number])[]): (readonly [DayCause, number])[] {
  const sums = new Map<DayCause, number>();
  for (const [cause, amount] of causes) sums.set(cause, (sums.get(cause) ?? 0) + amount);
  return [...sums].filter(([, amount]) => amount !== 0);
}

function sumOf<T>(all: readonly T[], amount: (each: T) => number): number {
  return all.reduce((sum, each) => sum + amount(each), 0);
}

/** What a cause comes to on a day. */
export type CauseOfDay = { readonly cause: DayCause; readonly amount: number; readonly count: number };

export type DayTotals = {
  readonly expected: number;
  readonly received: number;
  readonly fees: number;
  /** Installments and lines that it is of. */
  readonly lines: number;
  readonly causes: readonly CauseOfDay[];
};

/** Adds shares up; throws when a cent between expected and received has no name. */
export function dayTotals() {
  const totals = { expected: 0, received: 0, fees: 0, lines: 0 };
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
      }
    },
    result(): DayTotals {
      const named = DAY_CAUSES.flatMap((cause) => {
        const sum = causes.get(cause);
        return sum === undefined ? [] : [{ cause, ...sum }];
      });
      const unnamed = totals.expected - totals.received - sumOf(named, ({ amount }) => amount);
      if (unnamed !== 0) throw new Error(`${unnamed} cents of the day have no name`);
      return { ...totals, causes: named };
    },
  };
}
