import { daysToPayout, type FeeTable, feeTerms } from '../../transactions/fees/fee-table.ts';
import { netInstallments, portionOfSale, type Sale } from '../../transactions/movements/movement.ts';
import type { InstallmentState } from '../../transactions/transaction.ts';
import { portionHalfEven } from '../../values/apportion.ts';
import { businessDayFrom } from '../../values/business-day.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { type Cents, cents, splitIntoInstallments } from '../../values/cents.ts';
import { addDays, type Day, type Instant, saoPauloDay } from '../../values/instant.ts';

/** What the acquirer owes for an installment, and what it has said of it. */
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
  /** Business time of the sale; of its capture, where it was authorized before. */
  readonly soldAt: Instant;
  readonly saleAmount: Cents;
  /** Of the installment as it was sold, and what was given back or taken back of it. */
  readonly gross: Cents;
  readonly canceled: Cents;
  readonly state: InstallmentState;
  /** Hundredths of a percent. */
  readonly feePortion: number;
  readonly expected: Expectation;
  /** When the acquirer's changes said that it was paid, and what they said of it; null: not (yet). */
  readonly paidOn: Day | null;
  readonly reported: Payout;
  /** What the acquirer's files said. */
  readonly filed: Payout & { readonly anticipation: Cents | null };
};

/** What the acquirer keeps and pays out, and when. */
export type Expectation = { readonly fee: Cents; readonly net: Cents; readonly on: Day };
export type Payout = {
  readonly fee: Cents | null;
  readonly net: Cents | null;
  readonly bankOn: Day | null;
};

/** An installment of an approved sale as it stands, with its receivable as it was left. */
export type FollowedInstallment = {
  readonly installmentNumber: number;
  readonly amount: Cents;
  readonly canceled: Cents;
  readonly state: InstallmentState;
  readonly reported: Payout;
  /** Business time of its payout, when a movement of this batch reports one. */
  readonly paidAt: Instant | null;
  /** Null: it has none yet. */
  readonly before: FollowedBefore | null;
};

/** What of a receivable stays as it is, or is compared. */
export type FollowedBefore = Pick<
  Receivable,
  'canceled' | 'state' | 'feePortion' | 'expected' | 'paidOn' | 'reported'
>;

/** An approved sale with all of its installments. */
export type FollowedSale = {
  readonly sale: Sale;
  /** Business time of the sale: the fees are those of this moment. */
  readonly soldAt: Instant;
  /** From when the acquirer counts the days: the capture's moment, where it was authorized before. */
  readonly countedFrom: Instant;
  readonly installments: readonly FollowedInstallment[];
  /** What was given back of it, in any order. */
  readonly givenBack: readonly GivenBack[];
};

/**
 * A cancel that was carried out, which comes off the last installments first; or a chargeback of one
 * installment. `amount` null: all that was left of it.
 */
export type GivenBack = {
  readonly at: Instant;
  readonly installmentNumber: number | null;
  readonly amount: Cents | null;
};

/** What is written of a receivable. */
export type FollowedReceivable = FollowedBefore & {
  readonly installmentNumber: number;
  /** Nothing was written of it before. */
  readonly isNew: boolean;
};

/**
 * What changed in the receivables of a sale. One keeps the fee and the day that it was born with;
 * `fees` is the table of the sale's moment.
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
      // What was paid once is owed no other amount by what is given back later.
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

/**
 * Of a whole installment as movements show it: the fee is rounded once on the sale. Of what is left
 * after a cancel it is rounded by itself, as acquirers do.
 */
function amountsOf(
  left: Cents,
  gross: Cents,
  wholeNet: Cents,
  feePortion: number,
): Pick<Expectation, 'fee' | 'net'> {
  const fee = left === gross ? cents(gross - wholeNet) : portionHalfEven(left, feePortion);
  return { fee, net: cents(left - fee) };
}

/** What had been given back when the installment was paid; of one that is not paid, what has been by now. */
function canceledAtPayout(
  followed: FollowedSale,
  { installmentNumber, canceled, paidAt }: FollowedInstallment,
): Cents {
  if (paidAt === null || canceled === 0) return canceled;
  const given = givenBackUntil(followed, paidAt)[installmentNumber - 1] ?? 0;
  return cents(Math.min(given, canceled));
}

/** Of each installment, as the acquirer took it in its order. */
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
    // What a chargeback's installment lacks comes off the others.
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
 * A cent of an installment is how the acquirer rounds: it does so for each, and we once on the sale. The sums
 * of days have it in `receivable_day_parts`: another number needs that function anew.
 */
export const ROUNDING_CENTS = 1;

/** Of what came: what the files say counts before what the changes said. Null: it is not here yet. */
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
