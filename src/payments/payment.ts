import type { Buyer } from '../antifraud/anti-fraud.ts';
import type { NamedCard } from '../cards/card.ts';
import type { Authentication } from '../providers/acquirers/authentication.ts';
import type { Boleto } from '../transactions/methods/boleto/boleto.ts';
import type { Pix } from '../transactions/methods/pix/pix.ts';
import type { Split } from '../transactions/split.ts';
import type {
  InstallmentState,
  ListedTransaction,
  Transaction,
  TransactionState,
} from '../transactions/transaction.ts';
import { holdsNumber } from '../values/card-number-in-text.ts';
import type { Cents } from '../values/cents.ts';

/** The fields of a request that may have its authentication: our own, or those of the family. */
export const AUTHENTICATION_FIELDS = ['threeDSecure', 'sellerInfo'] as const;
export type AuthenticationField = (typeof AUTHENTICATION_FIELDS)[number];

export type Payment = {
  readonly amount: Cents;
  readonly installmentCount: number;
  /** True: the payment is only authorized now, and captured later. */
  readonly isCapturedLater: boolean;
  readonly referenceTransaction: string | null;
  readonly callbackUrl: string | null;
  /** What the buyer reads on the card's statement; null: the merchant's default. */
  readonly softDescriptor: string | null;
  readonly antiFraudCode: string;
  readonly authentication: (Authentication & { readonly field: AuthenticationField }) | null;
  readonly card: NamedCard;
  readonly buyer: Buyer;
  /** The buyer, as JSON text. */
  readonly customer: string | null;
  /** Null if all goes to the merchant. */
  readonly split: Split | null;
};

/** Texts of a payment that are stored and shown. */
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

/** Texts that contain the number of the paying card, with anything between its digits. */
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

/** While installments differ the payment shows the first of these that occurs, the most urgent. */
const MOST_TELLING: readonly InstallmentState[] = ['blocked', 'authorized', 'paid', 'canceled'];

/** The status is that of the transaction until its approval, and that of its installments afterwards. */
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

export type PaymentSearchRefusal = 'tooManyOfPeriod' | 'tooManyOfKey';
/** A list of all results comes only in an index's order. */
export type PaymentExportRefusal = PaymentSearchRefusal | 'notInThisOrder';

export type FoundPayment<Found = Transaction> = {
  readonly transaction: Found;
  readonly status: PaymentStatus;
};

/** A payment in lists. `Card`: the data shown of a card payment. */
export type ListedPayment<Card = ListedTransaction> =
  | (FoundPayment<Card> & { readonly method: 'card' })
  | { readonly method: 'pix'; readonly pix: Pix }
  | { readonly method: 'boleto'; readonly boleto: Boleto };

/** The id of the billing that was charged; null: it is a one-off sale. */
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
