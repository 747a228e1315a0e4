import type { LIST_PAYMENTS } from '../../payments/list/contract.ts';
import type { CardPayment, GET_PAYMENT } from '../../payments/status/contract.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import type { Receivable } from '../../reconciliation/receivables/receivable.ts';
import type { PaymentChargeback } from '../../transactions/changes/chargebacks.sql.ts';
import type { Buyer } from '../../transactions/customers/buyer.ts';
import type { TransactionMovement } from '../../transactions/movements/movement.ts';
import type { PaymentDelivery } from '../../webhooks/history/messages-of-payments.sql.ts';
import type { ShownAct } from '../history/history-screens.ts';

type ListedPayment = AnswerOf<typeof LIST_PAYMENTS>['items'][number];
type Bought = { readonly buyer?: Buyer | null };
export type ShownPayment = ListedPayment & Bought;

export type WholePayment = CardPayment & Bought;

export type ShownPix = Extract<AnswerOf<typeof GET_PAYMENT>, { readonly method: 'pix' }>;

export type PaymentFound = {
  readonly payment: WholePayment;
  readonly movements: readonly TransactionMovement[];
  readonly deliveries: readonly PaymentDelivery[];
  readonly receivables: readonly Receivable[];
  readonly chargebacks: readonly PaymentChargeback[];
  readonly acts: readonly ShownAct[];
};
