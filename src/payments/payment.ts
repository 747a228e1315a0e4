import type { NamedCard } from '../cards/card.ts';
import type { Split } from '../transactions/split.ts';
import type {
  InstallmentState,
  ListedTransaction,
  Transaction,
  TransactionState,
} from '../transactions/transaction.ts';
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
 * Which texts hold the number of the very card that pays, whatever stands between its digits: kept, it would stand there in
 * clear. Any other number may be honest; this one never is.
 */
export function textsWithNumber(payment: Payment, number: string): KeptText[] {
  const customer: Record<string, unknown> = payment.customer === null ? {} : JSON.parse(payment.customer);
  const texts: Record<string, unknown> = {
    referenceTransaction: payment.referenceTransaction,
    urlCallBack: payment.callbackUrl,
    ...Object.fromEntries(Object.entries(customer).map(([name, text]) => [`customer.${name}`, text])),
  };
  const isIn = (text: unknown) =>
    typeof text === 'string' &&
    text.length >= number.length &&
    [text, withoutPercentCodes(text)].some((seen) => seen.replaceAll(/\D/g, '').includes(number));
  return KEPT_TEXTS.filter((name) => isIn(texts[name]));
}

/** A web address writes a blank as %20, whose digits would stand between those of the number. */
function withoutPercentCodes(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

export type PaymentStatus = 'processing' | 'declined' | 'voided' | InstallmentState;

/** While installments differ, the payment shows the first of these that occurs: what needs attention comes first. */
const MOST_TELLING: readonly InstallmentState[] = ['blocked', 'authorized', 'paid', 'canceled'];

/** What a payment is, seen as one: by its transaction until it is approved, then by its installments. */
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
      return MOST_TELLING.find((told) => installments.some((part) => part.state === told)) ?? 'authorized';
  }
}

/** A payment as it stands, alone or among others. */
export type FoundPayment<Found = Transaction> = {
  readonly transaction: Found;
  readonly status: PaymentStatus;
};

/** The payment that a transaction is. */
export function paymentOf<Found extends Transaction | ListedTransaction>(
  transaction: Found,
): FoundPayment<Found> {
  return { transaction, status: paymentStatus(transaction.state, transaction.installments) };
}
