import { type Decline, readDecline } from '../acquirers/issuer-code.ts';
import { carrierUsedRefusal, initiatorOf } from '../cards/card.ts';
import { type CardTools, openCarrier } from '../cards/open-carrier.ts';
import { newId } from '../platform/chance.ts';
import type { Database } from '../platform/postgres/database.ts';
import { type ChargeTools, chargeCard } from '../transactions/charge-card.ts';
import type { Instant } from '../values/instant.ts';
import { type Payment, textsWithNumber } from './payment.ts';
import type { PaymentRefusal } from './refusals.ts';

export type PayTools = CardTools &
  ChargeTools & {
    readonly database: Database;
    /** Hears of a brand that our list of first digits does not confirm. */
    readonly warnOfDoubtfulBrand: (merchantId: string, firstSix: string, brand: string) => void;
  };

export type PayResult =
  | {
      readonly kind: 'approved';
      readonly paymentId: string;
      readonly authorizationCode: string;
      readonly nsu: string;
      readonly moment: Instant;
    }
  | {
      readonly kind: 'declined';
      readonly brand: string;
      readonly responseCode: string;
      readonly adviceCode: string | null;
      readonly read: Decline;
    }
  | { readonly kind: 'unknown' | 'unrecorded' }
  | { readonly kind: 'refused'; readonly refusals: readonly PaymentRefusal[] };

/** A one-off sale by card. The card is open in memory only while this runs. */
export async function payByCard(
  tools: PayTools,
  seller: { readonly merchantId: string; readonly accountNumber: string; readonly userName: string },
  payment: Payment,
  deadlineAt: number,
): Promise<PayResult> {
  const { merchantId } = seller;
  const soldAt = tools.clock.now(merchantId);
  const opened = await openCarrier(tools, merchantId, payment.card, soldAt);
  if (!('card' in opened)) return { kind: 'refused', refusals: opened };
  const { card, trace, carrier, stored, isBrandDoubtful } = opened;
  const withNumber = textsWithNumber(payment, card.number);
  if (withNumber.length > 0) {
    return { kind: 'refused', refusals: withNumber.map((text) => `cardNumberIn:${text}` as const) };
  }
  if (isBrandDoubtful) tools.warnOfDoubtfulBrand(merchantId, trace.firstSix, trace.brand);
  const paymentId = newId();
  const intent = {
    merchantId,
    transactionId: paymentId,
    accountNumber: seller.accountNumber,
    origin: 'payment' as const,
    amount: payment.amount,
    installmentCount: payment.installmentCount,
    referenceTransaction: payment.referenceTransaction,
    trace,
    carrier,
    stored,
    initiator: initiatorOf(stored, card.securityCode),
    antiFraudCode: payment.antiFraudCode,
    callbackUrl: payment.callbackUrl,
    customer: payment.customer,
    createdBy: seller.userName,
    soldAt,
  };
  const charge = await chargeCard(tools, intent, card, deadlineAt);
  switch (charge.kind) {
    case 'approved':
      return { ...charge, paymentId };
    case 'declined':
      return {
        ...charge,
        brand: trace.brand,
        read: readDecline(trace.brand, charge.responseCode, charge.adviceCode),
      };
    case 'carrierUsed':
      return { kind: 'refused', refusals: [carrierUsedRefusal(payment.card)] };
    case 'unknown':
    case 'unrecorded':
      return charge;
  }
}
