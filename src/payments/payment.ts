import type { Buyer } from '../antifraud/anti-fraud.ts';
import type { NamedCard } from '../cards/card.ts';
import type { Split } from '../transactions/split.ts';
import {
  INSTALLMENT_STATES,
  type InstallmentState,
  TRANSACTION_STATES,
  type Transaction,
  type TransactionState,
} from '../transactions/transaction.ts';
import type { TransactionFilter } from '../transactions/transaction-search.ts';
import { holdsNumber } from '../values/card-number-in-text.ts';
import type { Cents } from '../values/cents.ts';

export type Payment = {
  readonly amount: Cents;
  readonly installmentCount: number;
  /** It is only authorized now. */
  readonly isCapturedLater: boolean;
  readonly referenceTransaction: string | null;
  readonly callbackUrl: string | null;
  /** What the buyer reads on the card's statement; null: the merchant's own default. */
  readonly softDescriptor: string | null;
  readonly antiFraudCode: string;
  readonly card: NamedCard;
  readonly buyer: Buyer;
  /** The buyer, as JSON text. */
  readonly customer: string | null;
  /** Null: the whole sale is the merchant's. */
  readonly split: Split | null;
};

/** Texts of a payment that are kept and shown. */
export const KEPT_TEXTS = [
  'referenceTransaction',
  'urlCallBack',
  'sellerInfo.softDescriptor',
  'customer.documentNumber',
  'customer.firstName',
  'customer.lastName',
  'customer.email',
  'customer.phoneNumber',
  'customer.mobilePhoneNumber',
  'customer.address',
  'customer.complement',
  'customer.city',
  'customer.zipCode',
  'customer.ipAddress',
] as const;
export type KeptText = (typeof KEPT_TEXTS)[number];

/**
 * The texts that hold the number of the card that pays, whatever stands between its digits or
 * around them: no honest text does.
 */
export function textsWithNumber(payment: Payment, number: string): KeptText[] {
  const customer: Record<string, unknown> = payment.customer === null ? {} : JSON.parse(payment.customer);
  const texts: Record<string, unknown> = {
    referenceTransaction: payment.referenceTransaction,
    urlCallBack: payment.callbackUrl,
    'sellerInfo.softDescriptor': payment.softDescriptor,
    ...Object.fromEntries(Object.entries(customer).map(([name, text]) => [`customer.${name}`, text])),
  };
  const isIn = (text: unknown) => typeof text === 'string' && holdsNumber(text, number);
  return KEPT_TEXTS.filter((name) => isIn(texts[name]));
}

export const PAYMENT_STATUSES = [
  'processing',
  'preauthorized',
  'authorized',
  'declined',
  'voided',
  'canceled',
  'blocked',
  'paid',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/**
 * While installments differ, the payment shows the first of these that occurs: the most urgent one
 * comes first.
 */
const MOST_TELLING: readonly InstallmentState[] = ['blocked', 'authorized', 'paid', 'canceled'];

/**
 * The status of the whole payment: by its transaction until it is approved, then by its
 * installments.
 */
export function paymentStatus(
  state: TransactionState,
  installments: readonly { state: InstallmentState }[],
): PaymentStatus {
  switch (state) {
    case 'charging':
    case 'unresolved':
      return 'processing';
    case 'preauthorized':
    case 'capturing':
      return 'preauthorized';
    case 'declined':
    case 'voided':
      return state;
    case 'approved':
      return MOST_TELLING.find((state) => installments.some((part) => part.state === state)) ?? 'authorized';
  }
}

/** More than can be put in order, of a period or of what a key names. */
export type PaymentSearchRefusal = 'tooManyOfPeriod' | 'tooManyOfKey';
/** The same of all payments that a search finds, which come in the order of an index alone. */
export type PaymentExportRefusal = PaymentSearchRefusal | 'notInThisOrder';

/** What the transactions of payments with this status are; null: with any. */
export function statesOfStatus(
  status: PaymentStatus | null,
): Pick<TransactionFilter, 'states' | 'installmentStates'> {
  switch (status) {
    case null:
      return { states: TRANSACTION_STATES, installmentStates: INSTALLMENT_STATES };
    case 'processing':
      return { states: ['charging', 'unresolved'], installmentStates: INSTALLMENT_STATES };
    case 'preauthorized':
      return { states: ['preauthorized', 'capturing'], installmentStates: INSTALLMENT_STATES };
    case 'declined':
    case 'voided':
      return { states: [status], installmentStates: INSTALLMENT_STATES };
    case 'authorized':
    case 'paid':
    case 'canceled':
    case 'blocked':
      return { states: ['approved'], installmentStates: [status] };
  }
}

export type FoundPayment<Found = Transaction> = {
  readonly transaction: Found;
  readonly status: PaymentStatus;
};

/** The billing that was charged; null: a sale asked for it. */
export function billingOf({
  origin,
  referenceTransaction,
}: Pick<Transaction, 'origin' | 'referenceTransaction'>): string | null {
  return origin === 'billing' ? referenceTransaction : null;
}

export function paymentOf<Found extends Omit<Transaction, 'shares'>>(
  transaction: Found,
): FoundPayment<Found> {
  return { transaction, status: paymentStatus(transaction.state, transaction.installments) };
}
