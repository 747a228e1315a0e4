import type { CardBrand } from '../../values/card-number.ts';
import { type Cents, cents, splitIntoInstallments } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import { type FeeTable, feePortion } from '../fees/fee-table.ts';
import { amountLessFee, type RecordedSplit, sharesByInstallment } from '../split.ts';
import type { InstallmentState, MovementType } from '../transaction.ts';

export type TransactionMovement = {
  readonly movementId: number;
  readonly installmentNumber: number;
  /** Business time. */
  readonly moment: Instant;
  readonly type: MovementType;
  readonly oldState: InstallmentState | null;
  readonly newState: InstallmentState;
};

/** A movement for a merchant that catches up. Installment and sale, boleto or Pix, are as they stand now. */
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
  /** Of the installment as sold, or of the boleto or Pix as issued. */
  readonly amount: Cents;
  /** The installment's shares by position; empty without a split. */
  readonly shares: readonly ListedShare[];
};

/**
 * The states of a boleto that merchants see. The last three are no states: an unexpected payment came, or a
 * change of the due day was made or not.
 */
export const BOLETO_MOVEMENT_STATES = [
  'issued',
  'overdue',
  'paid',
  'canceled',
  'expired',
  'unexpectedPayment',
  'dueDayChanged',
  'dueDayKept',
] as const;
export type BoletoMovementState = (typeof BOLETO_MOVEMENT_STATES)[number];

export const PIX_MOVEMENT_STATES = [
  'waiting',
  'paid',
  'returned',
  'canceled',
  'expired',
  'unexpectedPayment',
  'takenBack',
] as const;
export type PixMovementState = (typeof PIX_MOVEMENT_STATES)[number];

/** `oldState` is null in the first movement. */
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
    }
  | {
      readonly kind: 'pix';
      readonly pixId: string;
      /** The moment that decides which fee is valid for the Pix. */
      readonly requestedAt: Instant;
      readonly oldState: PixMovementState | null;
      readonly newState: PixMovementState;
    };

export type MovementWithNet = ListedMovement & { readonly netAmount: Cents };

/** In order of their numbers. `next` is the cursor of the next request. */
export type MovementPage = { readonly items: readonly MovementWithNet[]; readonly next: number };

export type ListedShare = {
  readonly beneficiary: string;
  readonly amount: Cents;
  readonly canceledAmount: Cents;
};

export type Sale = {
  readonly amount: Cents;
  readonly installmentCount: number;
  readonly brand: CardBrand;
  readonly split: RecordedSplit | null;
};

/** The operator's fee in hundredths of a percent: the recorded one, or that of the table. */
export function portionOfSale({ split, brand, installmentCount }: Sale, fees: FeeTable): number {
  return split?.feePortion ?? feePortion(fees, brand, installmentCount);
}

/**
 * The fee is rounded once on the sale and spread as shares are, so that the net installments add up to the
 * sale's net amount to the cent. A sale with a split has its fee on record; any other has that of the version
 * valid at its moment.
 */
export function netInstallment(sale: Sale, installmentNumber: number, fees: FeeTable): Cents {
  return netInstallments(sale, portionOfSale(sale, fees))[installmentNumber - 1] ?? cents(0);
}

/** `portion` is in hundredths of a percent. */
export function netInstallments(
  { amount, installmentCount }: Pick<Sale, 'amount' | 'installmentCount'>,
  portion: number,
): Cents[] {
  const installments = splitIntoInstallments(amount, installmentCount);
  const shares = sharesByInstallment([amountLessFee(amount, portion)], installments);
  return shares.map(([net]) => net ?? cents(0));
}
