import { daysToPayout, type FeeTable, feeTerms } from '../../transactions/fees/fee-table.ts';
import { netInstallments, portionOfSale, type Sale } from '../../transactions/movements/movement.ts';
import type { InstallmentState } from '../../transactions/transaction.ts';
import { portionHalfEven } from '../../values/apportion.ts';
import { businessDayFrom } from '../../values/business-day.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { type Cents, cents, splitIntoInstallments } from '../../values/cents.ts';
import { addDays, type Day, type Instant, saoPauloDay } from '../../values/instant.ts';

export type Receivable = {
  readonly transactionId: string;
  readonly installmentNumber: number;
  readonly installmentCount: number;
  readonly accountNumber: string;
  readonly referenceTransaction: string | null;
  readonly nsu: string;
  readonly authorizationCode: string;
  readonly tid: string | null;
  readonly brand: CardBrand;
  readonly cardFirstSix: string;
  readonly cardLastFour: string;
  /** Business time of the sale, or of the capture of an authorization. */
  readonly soldAt: Instant;
  readonly saleAmount: Cents;
  /** `gross`: the installment as it was sold. `canceled`: the part that was refunded or charged back. */
  readonly gross: Cents;
  readonly canceled: Cents;
  readonly state: InstallmentState;
  /** The fee in hundredths of a percent. */
  readonly feePortion: number;
  readonly expected: Expectation;
  /** `paidOn`, `reported`: by the acquirer's feed. `filed`: by its files. null: not said yet. */
  readonly paidOn: Day | null;
  readonly reported: Payout;
  readonly filed: Payout & { readonly anticipation: Cents | null };
};

export type Expectation = { readonly fee: Cents; readonly net: Cents; readonly on: Day };
export type Payout = {
  readonly fee: Cents | null;
  readonly net: Cents | null;
  readonly bankOn: Day | null;
};

export type FollowedInstallment = {
  readonly installmentNumber: number;
  readonly amount: Cents;
  readonly canceled: Cents;
  readonly state: InstallmentState;
  readonly reported: Payout;
  /** Business time of the payout; null: no movement of this batch reports it. */
  readonly paidAt: Instant | null;
  readonly before: FollowedBefore | null;
};

export type FollowedBefore = Pick<
  Receivable,
  'canceled' | 'state' | 'feePortion' | 'expected' | 'paidOn' | 'reported'
>;

export type FollowedSale = {
  readonly sale: Sale;
  /** Business time of the sale, which decides the fees. */
  readonly soldAt: Instant;
  /** The acquirer counts days from the sale, or from the capture of an authorization. */
  readonly countedFrom: Instant;
  readonly installments: readonly FollowedInstallment[];
  readonly givenBack: readonly GivenBack[];
};

/**
 * What a buyer got back. A cancel names no installment and reduces the last ones first; a chargeback names
 * one. `amount` null: all that was left.
 */
export type GivenBack = {
  readonly at: Instant;
  readonly installmentNumber: number | null;
  readonly amount: Cents | null;
};

export type FollowedReceivable = FollowedBefore & {
  readonly installmentNumber: number;
  readonly isNew: boolean;
};

/**
 * Returns new and changed receivables. Fee portion and expected day stay as first written. `fees`: the table
 * at the time of the sale.
 */
export function followSale(followed: FollowedSale, fees: FeeTable): FollowedReceivable[] {
  const { sale, installments } = followed;
  const [known] = installments.flatMap(({ before }) => (before === null ? [] : [before]));
  const feePortion = known?.feePortion ?? portionOfSale(sale, fees);
  const nets = netInstallments(sale, feePortion);
  const { plan } = feeTerms(fees, sale.brand, sale.installmentCount);
  return installments
    .map((installment) => {
      const { before, installmentNumber, canceled, state, reported, paidAt } = installment;
      const on =
        before?.expected.on ??
        businessDayFrom(addDays(saoPauloDay(followed.countedFrom), daysToPayout(plan, installmentNumber)));
      const paidOn = paidAt === null ? (before?.paidOn ?? null) : saoPauloDay(paidAt);
      // Later refunds do not change what was due for a paid installment.
      const isOver = before !== null && before.paidOn !== null;
      const left = cents(installment.amount - canceledAtPayout(followed, installment));
      const amounts = isOver
        ? before.expected
        : amountsOf(left, installment.amount, nets[installmentNumber - 1] ?? cents(0), feePortion);
      const expected = { fee: amounts.fee, net: amounts.net, on };
      return {
        before,
        after: {
          installmentNumber,
          isNew: before === null,
          canceled,
          state,
          feePortion,
          expected,
          paidOn,
          reported,
        },
      };
    })
    .filter(({ before, after }) => before === null || isChanged(before, after))
    .map(({ after }) => after);
}

/** The fee is rounded once on the sale; after a partial cancel, on the installment, as acquirers do. */
function amountsOf(
  left: Cents,
  gross: Cents,
  wholeNet: Cents,
  feePortion: number,
): Pick<Expectation, 'fee' | 'net'> {
  const fee = left === gross ? cents(gross - wholeNet) : portionHalfEven(left, feePortion);
  return { fee, net: cents(left - fee) };
}

/**
 * The part of an installment that was given back before its payout; if this batch reports no payout, until
 * now.
 */
function canceledAtPayout(
  followed: FollowedSale,
  { installmentNumber, canceled, paidAt }: FollowedInstallment,
): Cents {
  if (paidAt === null || canceled === 0) return canceled;
  const given = givenBackUntil(followed, paidAt)[installmentNumber - 1] ?? 0;
  return cents(Math.min(given, canceled));
}

function givenBackUntil({ sale, givenBack }: FollowedSale, until: Instant): number[] {
  const rests: number[] = splitIntoInstallments(sale.amount, sale.installmentCount);
  const sold = [...rests];
  const take = (index: number, wanted: number): number => {
    const taken = Math.min(wanted, rests[index] ?? 0);
    if (taken > 0) rests[index] = (rests[index] ?? 0) - taken;
    return taken;
  };
  const takeFromLast = (wanted: number): void => {
    let left = wanted;
    for (let index = rests.length - 1; index >= 0 && left > 0; index -= 1) left -= take(index, left);
  };
  const earlier = givenBack.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at);
  for (const { installmentNumber, amount } of earlier) {
    const wanted = amount ?? Number.POSITIVE_INFINITY;
    const own = installmentNumber === null ? 0 : take(installmentNumber - 1, wanted);
    // What a chargeback takes beyond its own installment comes off the others.
    if (installmentNumber === null || amount !== null) takeFromLast(wanted - own);
  }
  return sold.map((amount, index) => amount - (rests[index] ?? 0));
}

function isChanged(before: FollowedBefore, after: FollowedReceivable): boolean {
  return (
    before.canceled !== after.canceled ||
    before.state !== after.state ||
    before.paidOn !== after.paidOn ||
    before.expected.fee !== after.expected.fee ||
    before.expected.net !== after.expected.net ||
    before.reported.fee !== after.reported.fee ||
    before.reported.net !== after.reported.net ||
    before.reported.bankOn !== after.reported.bankOn
  );
}

/**
 * By so many cents an acquirer's fee may differ from ours: it may round each installment, and we round once.
 * The SQL function `receivable_day_parts` has the same number.
 */
export const ROUNDING_CENTS = 1;

/**
 * The payout of an installment: what files say, or else the feed. null: that source did not say the amount.
 */
export type Receipt = {
  readonly fee: Cents | null;
  readonly net: Cents | null;
  readonly anticipation: Cents | null;
  readonly on: Day;
};

export function receiptOf({ filed, reported, paidOn }: Pick<Receivable, 'filed' | 'reported' | 'paidOn'>) {
  if (filed.bankOn !== null) {
    return { fee: filed.fee, net: filed.net, anticipation: filed.anticipation, on: filed.bankOn };
  }
  const on = reported.bankOn ?? paidOn;
  return on === null
    ? null
    : ({ fee: reported.fee, net: reported.net, anticipation: null, on } satisfies Receipt);
}
