import type { CardBrand } from '../../values/card-number.ts';
import { type Cents, cents, splitIntoInstallments } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import { type FeeTable, feePortion } from '../fee-table.ts';
import { amountLessFee, type RecordedSplit, sharesByInstallment } from '../split.ts';
import type { InstallmentState } from '../transaction.ts';

/**
 * A movement for a merchant that catches up: with its installment and the sale, as they stand now.
 */
export type ListedMovement = {
  readonly movementId: number;
  readonly accountNumber: string;
  readonly transactionId: string;
  readonly referenceTransaction: string | null;
  readonly nsu: string;
  readonly authorizationCode: string;
  readonly installmentNumber: number;
  /** Business time of the change. */
  readonly moment: Instant;
  readonly type: string;
  /** Null: the installment's first. */
  readonly oldState: InstallmentState | null;
  readonly newState: InstallmentState;
  /** Of the installment, as it was sold. */
  readonly amount: Cents;
  readonly sale: Sale;
  /** Of the installment, by position; empty without a split. */
  readonly shares: readonly ListedShare[];
};

export type MovementWithNet = ListedMovement & { readonly netAmount: Cents };

/** Movements in order. `next`: the cursor of the next request. */
export type MovementPage = { readonly items: readonly MovementWithNet[]; readonly next: number };

export type ListedShare = {
  readonly beneficiary: string;
  readonly amount: Cents;
  readonly canceledAmount: Cents;
};

/** The inputs of a fee. */
export type Sale = {
  readonly amount: Cents;
  readonly installmentCount: number;
  readonly brand: CardBrand;
  readonly split: RecordedSplit | null;
};

/**
 * The rest of an installment after the operator's fee. The fee is rounded once on the sale and
 * spread as shares are, so that the net amounts of all installments are the net amount of the sale
 * to the cent. A divided sale has the fee of its day on record; any other one has that of the
 * table.
 */
export function netInstallment(sale: Sale, installmentNumber: number, fees: FeeTable): Cents {
  const portion = sale.split?.feePortion ?? feePortion(fees, sale.brand, sale.installmentCount);
  const net = amountLessFee(sale.amount, portion);
  const installments = splitIntoInstallments(sale.amount, sale.installmentCount);
  return sharesByInstallment([net], installments)[installmentNumber - 1]?.[0] ?? cents(0);
}
