import type { Buyer } from '../antifraud/anti-fraud.ts';
import type { NamedCard } from '../cards/card.ts';
import type { Split } from '../transactions/split.ts';
import type {
  InstallmentState,
  ListedTransaction,
  Transaction,
  TransactionState,
} from '../transactions/transaction.ts';
import { holdsNumber } from '../values/card-number-in-text.ts';
import type { Cents } from '../values/cents.ts';

export type Payment = {
  readonly amount: Cents;
  readonly installmentCount: number;
  readonly referenceTransaction: string | null;
  readonly callbackUrl: string | null;
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
    ...Object.fromEntries(Object.entries(customer).map(([name, text]) => [`customer.${name}`, text])),
  };
  const isIn = (text: unknown) => typeof text === 'string' && holdsNumber(text, number);
  return KEPT_TEXTS.filter((name) => isIn(texts[name]));
}

export type PaymentStatus = 'processing' | 'declined' | 'voided' | InstallmentState;

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
    case 'declined':
    case 'voided':
      return state;
    case 'approved':
      return MOST_TELLING.find((state) => installments.some((part) => part.state === state)) ?? 'authorized';
  }
}

export type FoundPayment<Found = Transaction> = {
  readonly transaction: Found;
  readonly status: PaymentStatus;
};

export function paymentOf<Found extends Transaction | ListedTransaction>(
  transaction: Found,
): FoundPayment<Found> {
  return { transaction, status: paymentStatus(transaction.state, transaction.installments) };
}
