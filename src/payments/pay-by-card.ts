import { type Decline, readDecline } from '../acquirers/issuer-code.ts';
import { reasonsText, type Sale } from '../antifraud/anti-fraud.ts';
import { type DecideTools, decideSale } from '../antifraud/decide-sale.ts';
import { type FindCodeTools, findAntiFraudCode, type UsableCode } from '../antifraud/find-anti-fraud-code.ts';
import { carrierUsedRefusal, initiatorOf } from '../cards/card.ts';
import { type CardTools, type OpenedCarrier, openCarrier } from '../cards/open-carrier.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { newId } from '../platform/chance.ts';
import type { Database } from '../platform/postgres/database.ts';
import { type ChargeResult, type ChargeTools, chargeCard } from '../transactions/charge-card.ts';
import { type FeeTable, feePortion } from '../transactions/fee-table.ts';
import type { RecordedSplit, Share } from '../transactions/split.ts';
import type { Intent } from '../transactions/transaction.ts';
import { type Instant, instant } from '../values/instant.ts';
import { type Payment, textsWithNumber } from './payment.ts';
import type { PaymentRefusal } from './refusals.ts';

export type PayTools = CardTools &
  FindCodeTools &
  DecideTools &
  ChargeTools & {
    readonly database: Database;
    /** The operator's fees: shares of the net amount are of what they leave. */
    readonly fees: FeeTable;
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
      readonly split: { readonly split: RecordedSplit; readonly shares: readonly Share[] } | null;
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

/** Who sells: a caller of the Gateway API. */
export type Seller = {
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly userName: string;
};

/** The request that asks for a sale, and whether it is the first with its key; without a key it always is. */
export type SaleRequest = { readonly request: KeyedRequest | null; readonly isFirst: Promise<boolean> };

/**
 * A one-off sale by card. The card is open in memory only while this runs. `keyUsed`: the request was made before; the look
 * at its key goes beside the looks at card and code, and nothing is done before it has come back.
 */
export async function payByCard(
  tools: PayTools,
  seller: Seller,
  payment: Payment,
  { request, isFirst }: SaleRequest,
  deadlineAt: number,
): Promise<PayResult | 'keyUsed'> {
  const { merchantId } = seller;
  const soldAt = tools.clock.now(merchantId);
  const [isNew, opened, code] = await Promise.all([
    isFirst,
    openCarrier(tools, merchantId, payment.card, soldAt),
    findAntiFraudCode(tools, merchantId, payment.antiFraudCode),
  ]);
  if (!isNew) return 'keyUsed';
  const codeRefusals = code === 'codeUnusable' ? [code] : [];
  if (!('card' in opened)) return { kind: 'refused', refusals: [...opened, ...codeRefusals] };
  if (code === 'codeUnusable') return { kind: 'refused', refusals: codeRefusals };
  const { card, trace, carrier, stored, isBrandDoubtful } = opened;
  const withNumber = textsWithNumber(payment, card.number);
  if (withNumber.length > 0) {
    return { kind: 'refused', refusals: withNumber.map((text) => `cardNumberIn:${text}` as const) };
  }
  if (isBrandDoubtful) tools.warnOfDoubtfulBrand(merchantId, trace.firstSix, trace.brand);
  const sale = saleOf(merchantId, payment, opened, code);
  const { verdict, reasons, attempt } = await decideSale(tools, sale, deadlineAt);
  if (verdict === 'reject') return { kind: 'refused', refusals: ['rejected'] };
  const paymentId = newId();
  const split = payment.split && {
    ...payment.split,
    feePortion: feePortion(tools.fees, trace.brand, payment.installmentCount),
  };
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
    codeToClaim: code.codeToClaim,
    verdict,
    verdictReasons: reasonsText(reasons),
    attempt,
    callbackUrl: payment.callbackUrl,
    customer: payment.customer,
    split,
    createdBy: seller.userName,
    soldAt,
    request,
  };
  const charge = await chargeCard(tools, intent, card, deadlineAt);
  return resultOf(payment, intent, charge);
}

/** Anti-fraud counts real time, whatever the merchant's clock says. */
function saleOf(
  merchantId: string,
  payment: Payment,
  { trace, fingerprints }: OpenedCarrier,
  { session }: UsableCode,
): Sale {
  return {
    merchantId,
    amount: payment.amount,
    cardPrints: fingerprints.map(({ print }) => print),
    cardFirstSix: trace.firstSix,
    ...payment.buyer,
    session,
    moment: instant(Date.now()),
  };
}

function resultOf(
  payment: Payment,
  { transactionId, trace, split }: Pick<Intent, 'transactionId' | 'trace' | 'split'>,
  charge: ChargeResult,
): PayResult | 'keyUsed' {
  switch (charge.kind) {
    case 'keyUsed':
      return 'keyUsed';
    case 'approved':
      return { ...charge, paymentId: transactionId, split: split && { split, shares: charge.shares } };
    case 'declined':
      return {
        ...charge,
        brand: trace.brand,
        read: readDecline(trace.brand, charge.responseCode, charge.adviceCode),
      };
    case 'carrierUsed':
      return { kind: 'refused', refusals: [carrierUsedRefusal(payment.card)] };
    case 'codeUsed':
      return { kind: 'refused', refusals: ['codeUnusable'] };
    case 'unknown':
    case 'unrecorded':
      return charge;
  }
}
