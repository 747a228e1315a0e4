import type { NamedCard } from '../../cards/card.ts';
import { type CardTools, type OpenedCardSource, openVaultCard } from '../../cards/open-card-source.ts';
import type { CardRefusal } from '../../cards/refusals.ts';
import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import { newTry } from '../../platform/chance.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
import type { OutageWatch } from '../../platform/work/outage-watch.ts';
import type { StoredCardReason } from '../../providers/acquirers/acquirer.ts';
import { type Acquirers, takesSale } from '../../providers/open-acquirers.ts';
import { type ChargeTools, chargeCard } from '../../transactions/methods/card/charge-card.ts';
import {
  type ChargeSomewhereTools,
  chargeSomewhere,
  nextInTime,
} from '../../transactions/methods/card/charge-somewhere.ts';
import {
  checkMerchantInitiatedCharge,
  isNumberReached,
  type LimitTools,
} from '../../transactions/methods/card/check-network-limits.ts';
import type { PastDecline } from '../../transactions/methods/card/network-limits.ts';
import type {
  OutcomeResult,
  OutcomeRow,
  UnsentChargeRow,
} from '../../transactions/methods/card/outcomes.sql.ts';
import type { Intent } from '../../transactions/transaction.ts';
import { MAX_PAYMENT_CENTS } from '../../values/cents.ts';
import { type Day, type Instant, saoPauloDay, startOfSaoPauloDay } from '../../values/instant.ts';
import type { ChargeRule, UnsentResult } from '../billings/charge-result.ts';
import { ENDLESS } from '../plans/plan.ts';
import { type Retry, retryAfterFailure } from '../plans/retry-schedule.ts';
import type { StartedCharge, TakeResult } from './charge-intents.sql.ts';
import type { ChargeEnd, ChargeEndResult } from './charge-outcomes.sql.ts';
import type { DueBilling } from './due-billings.sql.ts';
import { identifyCharge } from './identify-charge.ts';
import { APPROVED, type ChargeFacts, factsOfDecline, factsOfUnsent } from './outcome-record.ts';

export type CollectBillingTools = Omit<ChargeTools<'notTaken' | 'keyUsed'>, 'writeIntent' | 'writeOutcome'> &
  ChargeSomewhereTools &
  LimitTools &
  Pick<CardTools, 'findVaultCard' | 'keyring' | 'takesBrand'> & {
    readonly acquirers: Pick<Acquirers, 'next'>;
    readonly writeTake: BatchedWrite<StartedCharge, TakeResult>;
    readonly writeEnd: BatchedWrite<ChargeEnd, ChargeEndResult>;
    /** While the acquirer of a scheduled charge is away, the charge waits. */
    readonly outage: Pick<OutageWatch, 'mayAsk'>;
    readonly observeCharge: (rule: ChargeRule | null) => void;
    /** Called for a billing voided so often that the operator should look. */
    readonly warnOfSentAgain: (merchantId: string, billingId: string, times: number) => void;
  };

/** Scheduled (`attemptNumber` from 1, `by` system) or manual (null), perhaps with an idempotency key. */
export type ChargeOrder = {
  readonly attemptNumber: number | null;
  readonly by: string;
  readonly request: KeyedRequest | null;
};

export type IssuerDecline = Pick<PastDecline, 'brand' | 'responseCode' | 'adviceCode' | 'soldAt'>;

/** `ended`: final. `pending`: being resolved. `notTaken`: taken by another process, or not due any more. */
export type ChargeBillingResult =
  | {
      readonly kind: 'ended';
      readonly facts: ChargeFacts;
      /** null if the acquirer was not asked. */
      readonly transactionId: string | null;
      /** null if approved, or if the acquirer was not asked. */
      readonly decline: IssuerDecline | null;
      /** When the network's limit ends, in business time; null if no limit was met, or if it never ends. */
      readonly mayRetryAt: Instant | null;
    }
  | { readonly kind: 'pending'; readonly transactionId: string }
  /** The acquirer was not asked and the billing is unchanged: the same attempt is made again. */
  | { readonly kind: 'notSent' | 'notConnected' }
  | { readonly kind: 'notTaken' | 'keyUsed' };

/**
 * Charges a billing once, at the first acquirer or, if that surely did not charge it, at the next. The
 * billing is taken in the intent's commit; effects are written in the outcome's commit. A charge that cannot
 * be sent ends without a call. `deadlineAt`: monotonic milliseconds.
 */
export async function collectBilling(
  tools: CollectBillingTools,
  due: DueBilling,
  order: ChargeOrder,
  deadlineAt: number,
): Promise<ChargeBillingResult> {
  const now = tools.clock.now(due.merchantId);
  const opened = await openCardOf(tools, due, now);
  if ('unsent' in opened) return endUnsent(tools, due, order, opened, deadlineAt);
  const intent = intentOf(tools, due, order, opened, now);
  const somewhere = { findNext: () => nextAcquirer(tools, intent, order), deadlineAt };
  let { fence } = due;
  const made = await chargeSomewhere(tools, intent, {
    ...somewhere,
    newId: () => identifyCharge(due.billingId, fence),
    charge(at) {
      // Each taking raises the billing's fence by one.
      const taken = { ...due, fence, attemptNumber: order.attemptNumber, taker: newTry() };
      fence += 1;
      const isSentOn = () => at === intent && nextInTime(somewhere) !== null;
      const charging = {
        ...tools,
        writeIntent: (row: StartedCharge['intent']) => tools.writeTake({ ...taken, intent: row }, deadlineAt),
        writeOutcome: (row: OutcomeRow) =>
          recordEnd(tools, due, { order, opened, soldAt: now }, row, deadlineAt),
        writeUnsent: (row: UnsentChargeRow) => giveBack(tools, due, { order, isSentOn }, row, deadlineAt),
      };
      return chargeCard(charging, at, opened.card, deadlineAt);
    },
  });
  return resultOf(made, opened, now);
}

type Made = {
  readonly intent: Intent;
  readonly charge: Awaited<ReturnType<typeof chargeCard<'notTaken' | 'keyUsed'>>>;
};

function resultOf({ intent, charge }: Made, opened: OpenedCardSource, now: Instant): ChargeBillingResult {
  const { transactionId } = intent;
  switch (charge.kind) {
    case 'approved':
      return { kind: 'ended', transactionId, facts: APPROVED, decline: null, mayRetryAt: null };
    case 'declined': {
      const { brand } = opened.trace;
      const { responseCode, adviceCode } = charge;
      const read = factsOfDecline(brand, responseCode, adviceCode, now);
      const decline = { brand, responseCode, adviceCode, soldAt: now };
      const facts = { ...read, isNetworkLimitReached: false };
      return { kind: 'ended', transactionId, facts, decline, mayRetryAt: null };
    }
    case 'notTaken':
    case 'keyUsed':
    case 'notSent':
    case 'notConnected':
      return { kind: charge.kind };
    default:
      return { kind: 'pending', transactionId };
  }
}

/** A stored card has all fields but the security code, which may not be stored. */
const NOTHING_NAMED: NamedCard = {
  numberToken: null,
  encryptedCard: null,
  vaultId: null,
  holderName: null,
  securityCode: null,
  brand: null,
  expirationMonth: null,
  expirationYear: null,
};

/** Opens a stored card in memory, or returns its faults. `now`: business time. */
export function openStoredCard(
  tools: Pick<CardTools, 'findVaultCard' | 'keyring' | 'takesBrand'>,
  merchantId: string,
  vaultId: string,
  now: Instant,
): Promise<OpenedCardSource | readonly CardRefusal[]> {
  return openVaultCard(tools, merchantId, vaultId, NOTHING_NAMED, now);
}

/** The acquirer does not accept the card's brand, perhaps by mistake: requests get 503, billings wait. */
export class BrandNotTaken extends Overloaded {
  constructor() {
    super('the acquirer does not take the brand of this card, and its billing waits');
  }
}

export class AcquirerAway extends Overloaded {
  readonly acquirer: string;

  constructor(acquirer: string) {
    super('the acquirer answers nothing, and the billing waits');
    this.acquirer = acquirer;
  }
}

/** `mayRetryAt`: when a network's limit ends; null as in `ChargeBillingResult`. */
type Unsent = { readonly unsent: UnsentResult; readonly mayRetryAt: Instant | null };

async function openCardOf(
  tools: CollectBillingTools,
  due: Pick<DueBilling, 'merchantId' | 'vaultId' | 'amount'>,
  now: Instant,
): Promise<OpenedCardSource | Unsent> {
  const { merchantId, vaultId, amount } = due;
  if (amount < 1 || amount > MAX_PAYMENT_CENTS) return { unsent: 'amountOutOfRange', mayRetryAt: null };
  const opened = await openStoredCard(tools, merchantId, vaultId, now);
  if (!('card' in opened)) {
    if (opened.includes('brandNotOffered')) throw new BrandNotTaken();
    const unsent = opened.includes('cardExpired') ? 'cardExpired' : 'cardUnusable';
    return { unsent, mayRetryAt: null };
  }
  const limit = await checkMerchantInitiatedCharge(tools, { merchantId, vaultId, amount, opened }, now);
  if (limit === null) return opened;
  const unsent = limit.cause === 'neverAgain' ? 'neverAgain' : 'limited';
  return { unsent, mayRetryAt: limit.mayRetryAt };
}

function intentOf(
  { acquirers, outage }: Pick<CollectBillingTools, 'acquirers' | 'outage'>,
  due: DueBilling,
  { attemptNumber, by, request }: ChargeOrder,
  { trace, stored }: OpenedCardSource,
  soldAt: Instant,
): Intent {
  const { merchantId, amount } = due;
  const transactionId = identifyCharge(due.billingId, due.fence);
  const sale = saleOf({ merchantId, transactionId, trace, amount });
  const acquirer = acquirers.choose(sale, takesSale(sale));
  if (acquirer === null) throw new BrandNotTaken();
  const isScheduled = attemptNumber !== null;
  if (isScheduled && !outage.mayAsk({ merchantId, provider: acquirer })) throw new AcquirerAway(acquirer);
  return {
    merchantId,
    transactionId,
    accountNumber: due.accountNumber,
    acquirer,
    origin: 'billing',
    amount,
    installmentCount: 1,
    referenceTransaction: due.billingId,
    trace,
    cardSource: null,
    stored,
    initiator: 'merchant',
    antiFraudCode: null,
    codeToClaim: null,
    verdict: null,
    verdictReasons: null,
    antiFraudProvider: null,
    attempt: null,
    callbackUrl: null,
    customer: null,
    softDescriptor: due.softDescriptor,
    authentication: null,
    storedCardReason: reasonOf(due),
    buyer: null,
    split: null,
    createdBy: by,
    soldAt,
    request,
  };
}

const saleOf = ({
  merchantId,
  transactionId,
  trace,
  amount,
}: Pick<Intent, 'merchantId' | 'transactionId' | 'trace' | 'amount'>) => ({
  ...{ merchantId, transactionId, brand: trace.brand, installmentCount: 1, amount },
});

/** The next acquirer by the rules; null: none. One that is away gets no scheduled charges. */
function nextAcquirer(
  { acquirers, outage }: Pick<CollectBillingTools, 'acquirers' | 'outage'>,
  intent: Intent,
  { attemptNumber }: ChargeOrder,
): string | null {
  const sale = saleOf(intent);
  const provider = acquirers.next(sale, intent.acquirer, takesSale(sale));
  const isAway =
    attemptNumber !== null &&
    provider !== null &&
    !outage.mayAsk({ merchantId: intent.merchantId, provider });
  return isAway ? null : provider;
}

/** In the networks' terms a declined billing is resubmitted. */
function reasonOf({ chargesMade, installments }: DueBilling): StoredCardReason {
  if (chargesMade > 0) return 'resubmission';
  return installments === ENDLESS ? 'recurring' : 'installments';
}

async function endUnsent(
  { clock, writeEnd, observeCharge }: CollectBillingTools,
  due: DueBilling,
  { attemptNumber, by }: ChargeOrder,
  { unsent, mayRetryAt }: Unsent,
  deadlineAt: number,
): Promise<ChargeBillingResult> {
  const facts = factsOfUnsent(unsent);
  const { merchantId, billingId, subscriptionId, fence, vaultId } = due;
  const stamp = { by, at: clock.now(merchantId) };
  const end = {
    merchantId,
    billingId,
    subscriptionId,
    fence,
    vaultId,
    ...stamp,
    kind: 'unsent',
    facts,
    attemptNumber,
  } as const;
  const { isRecorded, rule } = await writeEnd(end, deadlineAt);
  if (!isRecorded) return { kind: 'notTaken' };
  observeCharge(rule);
  return { kind: 'ended', facts, transactionId: null, decline: null, mayRetryAt };
}

type Begun = { readonly order: ChargeOrder; readonly opened: OpenedCardSource; readonly soldAt: Instant };

async function recordEnd(
  tools: CollectBillingTools,
  due: DueBilling,
  { order, opened, soldAt }: Begun,
  outcome: OutcomeRow,
  deadlineAt: number,
): Promise<OutcomeResult> {
  const { merchantId, billingId, subscriptionId } = due;
  const facts = await factsOf(tools, due, opened, order, soldAt, outcome);
  const stamp = { by: order.by, at: outcome.moment };
  const end = { merchantId, billingId, subscriptionId, ...stamp, kind: 'answered', outcome, facts } as const;
  const { isRecorded, rule } = await tools.writeEnd(end, deadlineAt);
  if (isRecorded && facts !== null) tools.observeCharge(rule);
  return { isRecorded };
}

/** Ends the transaction first: if the process is killed in between, the lease frees the billing. */
async function giveBack(
  tools: CollectBillingTools,
  { merchantId, billingId, subscriptionId }: DueBilling,
  { order: { by }, isSentOn }: { readonly order: ChargeOrder; readonly isSentOn: () => boolean },
  row: UnsentChargeRow,
  deadlineAt: number,
): Promise<OutcomeResult> {
  const ended = await tools.writeUnsent(row, deadlineAt);
  if (!ended.isRecorded) return ended;
  const { transactionId } = row;
  const at = tools.clock.now(merchantId);
  const end = { merchantId, billingId, subscriptionId, transactionId, by, at };
  const resolved = { kind: 'resolved', facts: 'voided', isSentOn: isSentOn() } as const;
  await tools.writeEnd({ ...end, ...resolved }, deadlineAt);
  return ended;
}

async function factsOf(
  tools: CollectBillingTools,
  due: DueBilling,
  opened: OpenedCardSource,
  { attemptNumber }: ChargeOrder,
  soldAt: Instant,
  { state, responseCode, adviceCode }: OutcomeRow,
): Promise<ChargeFacts | null> {
  if (state === 'approved') return APPROVED;
  if (state !== 'declined' || responseCode === null) return null;
  const decline = { brand: opened.trace.brand, responseCode, adviceCode, amount: due.amount, soldAt };
  return checkRetry(tools, { ...due, attemptNumber }, opened, decline);
}

/** `attemptNumber`: from 1, retries included; null for a manual charge. */
export type DeclinedCharge = Pick<
  DueBilling,
  'merchantId' | 'vaultId' | 'amount' | 'maxRetries' | 'chargeOn'
> & { readonly attemptNumber: number | null };

/**
 * The facts of a decline. The network's limit is counted on the day of the retry. `opened` null: the card
 * cannot be opened.
 */
export async function checkRetry(
  tools: LimitTools,
  charge: DeclinedCharge,
  opened: OpenedCardSource | null,
  decline: PastDecline,
): Promise<ChargeFacts> {
  const { brand, responseCode, adviceCode, soldAt } = decline;
  const facts = factsOfDecline(brand, responseCode, adviceCode, soldAt);
  const retry = facts.result === 'funds' ? retryOf(charge, saoPauloDay(soldAt), facts.earliestRetryOn) : null;
  if (retry === null || opened === null) return { ...facts, isNetworkLimitReached: false };
  const retryAt = startOfSaoPauloDay(retry.retryOn);
  const isNetworkLimitReached = await isNumberReached(tools, { ...charge, opened }, decline, retryAt);
  return { ...facts, isNetworkLimitReached };
}

function retryOf(
  { attemptNumber, chargeOn, maxRetries }: DeclinedCharge,
  chargedOn: Day,
  earliestRetryOn: Day | null,
): Retry | null {
  if (attemptNumber === null) return null;
  return retryAfterFailure({
    attemptNumber,
    maxRetries,
    scheduledOn: chargeOn,
    chargedOn,
    earliestRetryOn,
  });
}
