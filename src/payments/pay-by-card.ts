import { type Buyer, type Fingerprints, reasonsText, type Sale } from '../antifraud/anti-fraud.ts';
import { type DecidedSale, type DecideTools, decideSale } from '../antifraud/decide-sale.ts';
import { type FindCodeTools, findAntiFraudCode, type UsableCode } from '../antifraud/find-anti-fraud-code.ts';
import { cardFingerprints } from '../antifraud/fingerprints.ts';
import { initiatorOf, sourceUsedRefusal } from '../cards/card.ts';
import {
  type CardTools,
  identifyCarriedCard,
  type OpenedCardSource,
  openCardSource,
} from '../cards/open-card-source.ts';
import { newIdOf } from '../idempotency/answer-once.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import type { Database } from '../platform/postgres/database.ts';
import { notePayment } from '../platform/tracing/scope.ts';
import type { AcquirerCustomer } from '../providers/acquirers/acquirer.ts';
import type { AcquirerBreakers } from '../providers/acquirers/acquirer-breaker.ts';
import { isOfBrand } from '../providers/acquirers/authentication.ts';
import { type Decline, readDecline } from '../providers/acquirers/issuer-code.ts';
import { type Acquirers, type SaleNeeds, takesSale } from '../providers/open-acquirers.ts';
import type { SaleToRoute } from '../providers/open-provider-table.ts';
import { type FeeVersions, feePortion } from '../transactions/fees/fee-table.ts';
import {
  type ChargeResult,
  type ChargeTools,
  chargeCard,
  type LaterCapture,
  type PreauthorizedResult,
  type UnsentCharge,
} from '../transactions/methods/card/charge-card.ts';
import { type ChargeSomewhereTools, chargeSomewhere } from '../transactions/methods/card/charge-somewhere.ts';
import { checkNetworkLimits, type LimitTools } from '../transactions/methods/card/check-network-limits.ts';
import type { IntentRefusal } from '../transactions/methods/card/intents.sql.ts';
import type { RecordedSplit, Share } from '../transactions/split.ts';
import type { Intent } from '../transactions/transaction.ts';
import type { Instant } from '../values/instant.ts';
import { type Payment, textsWithNumber } from './payment.ts';
import type { PaymentRefusal } from './refusals.ts';

export type PayTools = CardTools &
  FindCodeTools &
  DecideTools &
  LimitTools &
  ChargeTools<IntentRefusal> &
  ChargeSomewhereTools & {
    readonly database: Database;
    /** For sales captured later. */
    readonly later: LaterCapture;
    /** Shares of the net amount are computed after the operator's fees. */
    readonly fees: FeeVersions;
    /** Registers a callback address's server: deliveries to an unknown one would wait for ever. */
    readonly rememberCallbackEndpoint: (merchantId: string, url: string) => Promise<void>;
    /** Called for a brand that our list of first digits does not confirm. */
    readonly warnOfDoubtfulBrand: (merchantId: string, firstSix: string, brand: string) => void;
    readonly acquirers: Pick<Acquirers, 'next'>;
    readonly breakers: Pick<AcquirerBreakers, 'passesOver' | 'isOpen'>;
    /** Called for a payment to be reviewed, with its outcome. */
    readonly observeReview: (
      payment: Pick<Intent, 'merchantId' | 'transactionId' | 'verdictReasons'>,
      outcome: Charge['kind'],
    ) => void;
  };

type Charge = ChargeResult | PreauthorizedResult | { readonly kind: IntentRefusal };

export type PayResult =
  | {
      readonly kind: 'approved';
      readonly paymentId: string;
      readonly authorizationCode: string;
      readonly nsu: string;
      readonly moment: Instant;
      readonly split: { readonly split: RecordedSplit; readonly shares: readonly Share[] } | null;
    }
  | (PreauthorizedResult & { readonly paymentId: string })
  | {
      readonly kind: 'declined';
      readonly paymentId: string;
      readonly brand: string;
      readonly responseCode: string;
      readonly adviceCode: string | null;
      readonly read: Decline;
      /** Business time. */
      readonly soldAt: Instant;
    }
  | { readonly kind: 'unknown'; readonly paymentId: string }
  | { readonly kind: 'unrecorded' }
  | UnsentCharge
  | {
      readonly kind: 'refused';
      readonly refusals: readonly PaymentRefusal[];
      /** When a network's limit ends, in business time; null: unknown, or never. */
      readonly mayRetryAt?: Instant | null;
    };

export type Seller = {
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly userName: string;
  /** What buyers read on their statements where a payment has no text of its own; null: nothing is sent. */
  readonly softDescriptor: string | null;
};

/** `isFirst`: whether the key is new; true without a key. */
export type SaleRequest = { readonly request: KeyedRequest | null; readonly isFirst: Promise<boolean> };

/**
 * The card is open in memory only while this runs. `keyUsed`: the request is a repetition. The key is looked
 * up beside card and code; nothing is done before this look-up has ended.
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
    openCardSource(tools, merchantId, payment.card, soldAt),
    findAntiFraudCode(tools, merchantId, payment.antiFraudCode),
  ]);
  if (!isNew) return 'keyUsed';
  const codeRefusals = code === 'codeUnusable' ? [code] : [];
  if (!('card' in opened)) return { kind: 'refused', refusals: [...opened, ...codeRefusals] };
  if (code === 'codeUnusable') return { kind: 'refused', refusals: codeRefusals };
  const { card, trace, isBrandDoubtful } = opened;
  const withNumber = textsWithNumber(payment, card.number);
  if (withNumber.length > 0) {
    return { kind: 'refused', refusals: withNumber.map((text) => `cardNumberIn:${text}` as const) };
  }
  const { isCapturedLater, authentication } = payment;
  if (authentication !== null && !isOfBrand(authentication, trace.brand))
    return { kind: 'refused', refusals: [`eciOfOtherBrand:${authentication.field}`] };
  notePayment({ referenceTransaction: payment.referenceTransaction });
  if (isBrandDoubtful) tools.warnOfDoubtfulBrand(merchantId, trace.firstSix, trace.brand);
  const sale = { ...saleOf(tools, merchantId, payment, opened, code), transactionId: newIdOf(request) };
  const [decided, limit] = await Promise.all([
    decideSale(tools, sale, deadlineAt),
    checkNetworkLimits(tools, { merchantId, amount: payment.amount, soldAt, opened }),
  ]);
  const { verdict } = decided;
  if (verdict === 'reject') return { kind: 'refused', refusals: ['rejected'] };
  if (limit !== null) return { kind: 'refused', refusals: [limit.cause], mayRetryAt: limit.mayRetryAt };
  const routed = { ...sale, brand: trace.brand };
  const needs = { isCapturedLater, isAuthenticated: authentication !== null };
  const acquirer = chooseAcquirer(tools, routed, needs);
  if (acquirer === null) return { kind: 'refused', refusals: [whyNone(tools, routed, payment)] };
  const intent = intentOf(tools, seller, payment, {
    acquirer,
    ...opened,
    transactionId: sale.transactionId,
    antiFraudCode: code,
    decided: { ...decided, verdict },
    request: identifyCarriedCard(tools.keyring, request, opened),
    soldAt,
  });
  if (payment.callbackUrl !== null) await tools.rememberCallbackEndpoint(merchantId, payment.callbackUrl);
  const later = isCapturedLater ? tools.later : null;
  const made = await chargeSomewhere<Charge>(tools, intent, {
    findNext: () => tools.acquirers.next(routed, intent.acquirer, takesSale(routed, needs)),
    newId: () => newIdOf(intent.request),
    charge: (at) => chargeCard(tools, at, card, deadlineAt, later),
    deadlineAt,
  });
  if (verdict === 'review' && WITH_TRANSACTION.includes(made.charge.kind))
    tools.observeReview(made.intent, made.charge.kind);
  return resultOf(tools, payment, made.intent, made.charge);
}

/** An acquirer that fails repeatedly is passed over, unless the rules name no other that works. */
function chooseAcquirer(
  { acquirers, breakers }: Pick<PayTools, 'acquirers' | 'breakers'>,
  routed: SaleToRoute,
  needs: SaleNeeds,
): string | null {
  const takes = takesSale(routed, needs);
  const chosen = acquirers.choose(routed, takes);
  const next = chosen === null ? null : acquirers.next(routed, chosen, takes);
  const at = (acquirer: string) => ({ acquirer, merchantId: routed.merchantId });
  const isPassedOver =
    chosen !== null && next !== null && !breakers.isOpen(at(next)) && breakers.passesOver(at(chosen));
  return isPassedOver ? next : chosen;
}

function whyNone(
  { acquirers }: Pick<PayTools, 'acquirers'>,
  routed: SaleToRoute,
  { isCapturedLater, authentication }: Payment,
): PaymentRefusal {
  const takes = takesSale(routed, { isCapturedLater, isAuthenticated: false });
  return authentication !== null && acquirers.choose(routed, takes) !== null
    ? `authenticationNotOffered:${authentication.field}`
    : 'brandNotOffered';
}

/** Results of which a transaction is recorded. */
const WITH_TRANSACTION: readonly Charge['kind'][] = [
  'approved',
  'preauthorized',
  'declined',
  'unknown',
  'unrecorded',
];

type Found = OpenedCardSource & {
  readonly acquirer: string;
  readonly transactionId: string;
  readonly antiFraudCode: UsableCode;
  readonly decided: DecidedSale & { readonly verdict: Intent['verdict'] };
  readonly request: KeyedRequest | null;
  readonly soldAt: Instant;
};

function intentOf(tools: PayTools, seller: Seller, payment: Payment, found: Found): Intent {
  const { transactionId, acquirer, card, trace, cardSource, stored, antiFraudCode, decided } = found;
  const { request, soldAt } = found;
  return {
    merchantId: seller.merchantId,
    transactionId,
    accountNumber: seller.accountNumber,
    acquirer,
    origin: 'payment',
    amount: payment.amount,
    installmentCount: payment.installmentCount,
    referenceTransaction: payment.referenceTransaction,
    trace,
    cardSource,
    stored,
    initiator: initiatorOf(stored, {
      securityCode: card.securityCode,
      isAuthenticated: payment.authentication !== null,
    }),
    antiFraudCode: payment.antiFraudCode,
    codeToClaim: antiFraudCode.codeToClaim,
    verdict: decided.verdict,
    verdictReasons: reasonsText(decided.reasons),
    antiFraudProvider: decided.provider,
    attempt: decided.attempt,
    callbackUrl: payment.callbackUrl,
    customer: payment.customer,
    softDescriptor: payment.softDescriptor ?? seller.softDescriptor,
    // The charge comes from no plan.
    storedCardReason: stored === null ? null : 'unscheduled',
    authentication: payment.authentication,
    buyer: payment.customer === null ? null : customerOf(payment.buyer),
    split: payment.split && {
      ...payment.split,
      feePortion: feePortion(
        tools.fees.tableAt(seller.merchantId, soldAt),
        trace.brand,
        payment.installmentCount,
      ),
    },
    createdBy: seller.userName,
    soldAt,
    request,
  };
}

function customerOf(buyer: Buyer): AcquirerCustomer {
  const { firstName, lastName, documentNumber, email, mobilePhoneNumber, phoneNumber } = buyer;
  const { address: street, complement, city, state, zipCode, country } = buyer;
  const names = [firstName, lastName].filter((name) => name !== null);
  return {
    name: names.length === 0 ? null : names.join(' '),
    documentNumber,
    email,
    phone: mobilePhoneNumber ?? phoneNumber,
    address: { street, complement, city, state, zipCode, country },
  };
}

/** The sale as anti-fraud sees it. Its time is real time, in which anti-fraud counts. */
function saleOf(
  { keyring, clock }: PayTools,
  merchantId: string,
  payment: Payment,
  { trace, card, stored }: OpenedCardSource,
  { session }: UsableCode,
): Omit<Sale, 'transactionId'> {
  let fingerprints: Fingerprints | null = null;
  return {
    merchantId,
    referenceTransaction: payment.referenceTransaction,
    amount: payment.amount,
    installmentCount: payment.installmentCount,
    card: {
      brand: trace.brand,
      firstSix: trace.firstSix,
      lastFour: trace.lastFour,
      // Computed only when they are read: without rules and provider nobody reads them.
      get fingerprints() {
        fingerprints ??= cardFingerprints(keyring, merchantId, card.number);
        return fingerprints;
      },
    },
    isCardStored: stored !== null,
    buyer: payment.buyer,
    antiFraudCode: payment.antiFraudCode,
    session,
    split: payment.split,
    moment: clock.unmoved(),
  };
}

function resultOf(
  { cardKeys }: Pick<PayTools, 'cardKeys'>,
  payment: Payment,
  { transactionId, trace, split, soldAt }: Pick<Intent, 'transactionId' | 'trace' | 'split' | 'soldAt'>,
  charge: Charge,
): PayResult | 'keyUsed' {
  switch (charge.kind) {
    case 'keyUsed':
      return 'keyUsed';
    case 'approved':
      return { ...charge, paymentId: transactionId, split: split && { split, shares: charge.shares } };
    case 'preauthorized':
      return { ...charge, paymentId: transactionId };
    case 'declined':
      return {
        ...charge,
        paymentId: transactionId,
        brand: trace.brand,
        read: readDecline(trace.brand, charge.responseCode, charge.adviceCode),
        soldAt,
      };
    case 'sourceUsed':
      return { kind: 'refused', refusals: [sourceUsedRefusal(payment.card, cardKeys)] };
    case 'codeUsed':
      return { kind: 'refused', refusals: ['codeUnusable'] };
    case 'unknown':
      return { kind: 'unknown', paymentId: transactionId };
    case 'unrecorded':
    case 'notSent':
    case 'notConnected':
      return charge;
  }
}
