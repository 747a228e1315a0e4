import type { CardBrand } from '../../values/card-number.ts';
import { type Cents, cents, splitIntoInstallments } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import { type FeeTable, feePortion } from '../fees/fee-table.ts';
import { amountLessFee, type RecordedSplit, sharesByInstallment } from '../split.ts';
import type { InstallmentState, MovementType } from '../transaction.ts';

/** What changed of an installment, for a person who looks at its payment. */
export type TransactionMovement = {
  readonly movementId: number;
  readonly installmentNumber: number;
  /** Business time. */
  readonly moment: Instant;
  readonly type: MovementType;
  readonly oldState: InstallmentState | null;
  readonly newState: InstallmentState;
};

/**
 * A movement for a merchant that catches up: with its installment and the sale, or its boleto, as
 * they stand now.
 */
export type ListedMovement = {
  readonly movementId: number;
  readonly accountNumber: string;
  readonly subject: MovementSubject;
  readonly referenceTransaction: string | null;
  readonly nsu: string;
  readonly authorizationCode: string;
  readonly installmentNumber: number;
  /** Business time of the change. */
  readonly moment: Instant;
  readonly type: string;
  /** Of the installment, as it was sold; of the boleto, as it was issued. */
  readonly amount: Cents;
  /** Of the installment, by position; empty without a split. */
  readonly shares: readonly ListedShare[];
};

/** What a boleto is to merchants; `unexpectedPayment`: money came, and it is what it was. */
export const BOLETO_MOVEMENT_STATES = [
  'issued',
  'overdue',
  'paid',
  'canceled',
  'expired',
  'unexpectedPayment',
] as const;
export type BoletoMovementState = (typeof BOLETO_MOVEMENT_STATES)[number];

/** What a movement is of; `oldState` null: its first. */
export type MovementSubject =
  | {
      readonly kind: 'payment';
      readonly transactionId: string;
      readonly oldState: InstallmentState | null;
      readonly newState: InstallmentState;
      readonly sale: Sale & { readonly soldAt: Instant };
    }
  | {
      readonly kind: 'boleto';
      readonly boletoId: string;
      readonly oldState: BoletoMovementState | null;
      readonly newState: BoletoMovementState;
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

/** The hundredths of a percent that the operator keeps: those on record, or those of the table. */
export function portionOfSale({ split, brand, installmentCount }: Sale, fees: FeeTable): number {
  return split?.feePortion ?? feePortion(fees, brand, installmentCount);
}

/**
 * The rest of an installment after the operator's fee. The fee is rounded once on the sale and
 * spread as shares are, so that the net amounts of all installments are the net amount of the sale
 * to the cent. A divided sale has the fee of its moment on record; any other one has that of the
 * table, which is the version of that moment.
 */
export function netInstallment(sale: Sale, installmentNumber: number, fees: FeeTable): Cents {
  return netInstallments(sale, portionOfSale(sale, fees))[installmentNumber - 1] ?? cents(0);
}

/** The same of all installments, at so many hundredths of a percent. */
export function netInstallments(
  { amount, installmentCount }: Pick<Sale, 'amount' | 'installmentCount'>,
  portion: number,
): Cents[] {
  const installments = splitIntoInstallments(amount, installmentCount);
  const shares = sharesByInstallment([amountLessFee(amount, portion)], installments);
  return shares.map(([net]) => net ?? cents(0));
}
