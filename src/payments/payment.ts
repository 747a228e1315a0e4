import type { NamedCard } from '../cards/card.ts';
import type { Split } from '../transactions/split.ts';
import type { InstallmentState, Transaction, TransactionState } from '../transactions/transaction.ts';
import type { Cents } from '../values/cents.ts';

/** A one-off sale as the merchant asks for it. */
export type Payment = {
  readonly amount: Cents;
  readonly installmentCount: number;
  readonly referenceTransaction: string | null;
  readonly callbackUrl: string | null;
  readonly antiFraudCode: string;
  readonly card: NamedCard;
  /** What anti-fraud is told of the buyer. */
  readonly buyer: {
    readonly document: string | null;
    readonly email: string | null;
    readonly ipAddress: string | null;
  };
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
 * Which texts hold the number of the very card that pays, however it is grouped: kept, it would stand there in clear. Any
 * other number may be honest; this one never is.
 */
export function textsWithNumber(payment: Payment, number: string): KeptText[] {
  const isIn = (text: unknown) =>
    typeof text === 'string' &&
    text.length >= number.length &&
    text.replaceAll(/[\s.-]/g, '').includes(number);
  const isInCustomer = isIn(payment.customer);
  if (!isInCustomer && !isIn(payment.referenceTransaction) && !isIn(payment.callbackUrl)) return [];
  const customer: Record<string, unknown> = isInCustomer ? JSON.parse(payment.customer as string) : {};
  const texts: Record<string, unknown> = {
    referenceTransaction: payment.referenceTransaction,
    urlCallBack: payment.callbackUrl,
    ...Object.fromEntries(Object.entries(customer).map(([name, text]) => [`customer.${name}`, text])),
  };
  return KEPT_TEXTS.filter((name) => isIn(texts[name]));
}

export type PaymentStatus = 'processing' | 'declined' | 'undone' | InstallmentState;

/** While installments differ, the payment shows the first of these that occurs: what needs attention comes first. */
const MOST_TELLING: readonly InstallmentState[] = ['blocked', 'authorized', 'paid', 'canceled'];

/** What a payment is, seen as one: by its transaction until it is approved, then by its installments. */
export function paymentStatus(
  state: TransactionState,
  installments: readonly { state: InstallmentState }[],
): PaymentStatus {
  switch (state) {
    case 'charging':
    case 'settling':
      return 'processing';
    case 'declined':
    case 'undone':
      return state;
    case 'approved':
      return MOST_TELLING.find((told) => installments.some((part) => part.state === told)) ?? 'authorized';
  }
}

/** A payment as it stands. */
export type FoundPayment = { readonly transaction: Transaction; readonly status: PaymentStatus };

/** The payment that a transaction is. */
export function paymentOf(transaction: Transaction): FoundPayment {
  return { transaction, status: paymentStatus(transaction.state, transaction.installments) };
}
