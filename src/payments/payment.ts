import type { NamedCard } from '../cards/card.ts';
import type { InstallmentState, TransactionState } from '../transactions/transaction.ts';
import type { Cents } from '../values/cents.ts';

/** A one-off sale as the merchant asks for it. */
export type Payment = {
  readonly amount: Cents;
  readonly installmentCount: number;
  readonly referenceTransaction: string | null;
  readonly callbackUrl: string | null;
  readonly antiFraudCode: string;
  readonly card: NamedCard;
  /** The buyer, as JSON text. */
  readonly customer: string | null;
};

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
