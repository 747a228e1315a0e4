import type { DecideVerification } from '../../../antifraud/decide-sale.ts';
import { isCardMarked, type OpenCard } from '../../../cards/card.ts';
import { markFirstUse, markLatestUse } from '../../../cards/vault/card-uses.sql.ts';
import type {
  AskedAnswer,
  VerificationRefused,
  VerificationWanted,
} from '../../../cards/vault/store-vault-card.ts';
import { TOO_LATE } from '../../../platform/channels/ask-once.ts';
import type { ModuleContext } from '../../../platform/module.ts';
import {
  CommitUnknown,
  DatabaseUnavailable,
  isRolledBack,
} from '../../../platform/postgres/database-errors.ts';
import { notePaymentMade } from '../../../platform/tracing/scope.ts';
import { Overloaded } from '../../../platform/work/fair-line.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type {
  AcquirerTraits,
  AuthorizationAnswer,
  AuthorizationRequest,
  NotConnected,
  NotMade,
  NotSent,
  Preauthorized,
} from '../../../providers/acquirers/acquirer.ts';
import {
  type NetworkReference,
  NO_NETWORK_REFERENCE,
  referenceToKeep,
  referenceToSend,
} from '../../../providers/acquirers/network-reference.ts';
import type { Acquirers } from '../../../providers/open-acquirers.ts';
import { type Cents, cents, splitIntoInstallments } from '../../../values/cents.ts';
import type { Instant } from '../../../values/instant.ts';
import { captureUntil } from '../../capture.ts';
import type { AskAcquirerTools } from '../../requests/send-request.ts';
import { recordedShares, type Share } from '../../split.ts';
import {
  type Intent,
  LEASE_MARGIN_MILLISECONDS,
  OUTCOME_MARGIN_MILLISECONDS,
  REQUEST_REFUSED,
  SHORTEST_USEFUL_TIMEOUT_MILLISECONDS,
} from '../../transaction.ts';
import { checkNetworkLimits, type LimitTools } from './check-network-limits.ts';
import { recordDecline } from './declines.sql.ts';
import type { IntentRow } from './intents.sql.ts';
import type { OutcomeResult, OutcomeRow, UnsentChargeRow } from './outcomes.sql.ts';
import type { PreauthorizationRow } from './preauthorizations.sql.ts';

/**
 * `Refused`: why an intent is refused; nothing was written then. Deadlines are monotonic
 * milliseconds.
 */
export type ChargeTools<Refused extends string> = AskAcquirerTools & {
  readonly acquirers: Pick<Acquirers, 'choose'>;
  /** Rejects with the errors of a batched write, and so do `writeOutcome` and `writeUnsent`. */
  readonly writeIntent: (row: IntentRow, deadlineAt: number) => Promise<'committed' | Refused>;
  readonly writeOutcome: (row: OutcomeRow, deadlineAt: number) => Promise<OutcomeResult>;
  readonly wakeSignal: WakeSignal;
  /**
   * Ends the intent of a charge that was not sent, as if it had not been: the request's key is free again.
   */
  readonly writeUnsent: (row: UnsentChargeRow, deadlineAt: number) => Promise<OutcomeResult>;
  readonly observe: (answer: AuthorizationAnswer, intent: Intent) => void;
};

/** What a charge needs that is only authorized now, and captured later. */
export type LaterCapture = {
  readonly captureDays: number;
  readonly writePreauthorization: (row: PreauthorizationRow, deadlineAt: number) => Promise<OutcomeResult>;
};

/** The fence of a charge that no other process has claimed. */
const FIRST_FENCE = 0;

export type ChargeResult =
  | {
      readonly kind: 'approved';
      readonly authorizationCode: string;
      readonly nsu: string;
      readonly installments: readonly Cents[];
      readonly shares: readonly Share[];
      /** Business time of the approval. */
      readonly moment: Instant;
    }
  | { readonly kind: 'declined'; readonly responseCode: string; readonly adviceCode: string | null }
  | UnsentCharge
  /** No clear answer in time. A payment's charge will be voided; a billing's is kept if it was approved. */
  | { readonly kind: 'unknown' }
  /** An answer came, but whether it is stored is not known in time, so any response could be false. */
  | { readonly kind: 'unrecorded' };

/**
 * Nothing of the charge remains. `notSent`: too little time or no free connection. `notConnected`: the
 * acquirer cannot be reached, or refused to handle the charge. `wasAsked`: this acquirer, or the one tried
 * before it, was asked and refused.
 */
export type UnsentCharge = { readonly kind: 'notSent' | 'notConnected'; readonly wasAsked?: boolean };

export type PreauthorizedResult = {
  readonly kind: 'preauthorized';
  readonly authorizationCode: string;
  readonly nsu: string;
  /** `moment` (of the approval) and `captureUntil` are business time. */
  readonly moment: Instant;
  readonly captureUntil: Instant;
};

/**
 * Charges a card exactly once: commits the intent, asks the acquirer outside of any database transaction,
 * commits the outcome, then notifies. `resolveUnresolvedCharges` ends a charge without a reported outcome. A
 * refused intent returns its refusal; nothing was sent. `deadlineAt` is in monotonic milliseconds. With
 * `later` the card is only authorized; the intent does not say so, because a charge without a known outcome
 * is voided either way.
 */
export async function chargeCard<Refused extends string>(
  tools: ChargeTools<Refused>,
  intent: Intent,
  card: OpenCard,
  deadlineAt: number,
): Promise<ChargeResult | { readonly kind: Refused }>;
export async function chargeCard<Refused extends string>(
  tools: ChargeTools<Refused>,
  intent: Intent,
  card: OpenCard,
  deadlineAt: number,
  later: LaterCapture | null,
): Promise<ChargeResult | PreauthorizedResult | { readonly kind: Refused }>;
export async function chargeCard<Refused extends string>(
  tools: ChargeTools<Refused>,
  intent: Intent,
  card: OpenCard,
  deadlineAt: number,
  later: LaterCapture | null = null,
): Promise<ChargeResult | PreauthorizedResult | { readonly kind: Refused }> {
  const leaseMilliseconds = Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS;
  // Counted from before the commit, so that it ends before the lease in the database does.
  const leaseEndsAt = performance.now() + leaseMilliseconds;
  const committed = await tools.writeIntent({ ...intent, leaseMilliseconds }, deadlineAt);
  if (committed !== 'committed') return { kind: committed };
  notePaymentMade({ paymentId: intent.transactionId });
  const timeout = acquirerTimeout(tools, leaseEndsAt, deadlineAt);
  const acquirer = tools.acquirers.of(intent.acquirer);
  const answer =
    timeout === null
      ? TOO_LATE
      : await acquirer.authorize(authorizationRequest(intent, card, later, acquirer.traits), timeout);
  tools.observe(answer, intent);
  if (answer.kind === 'notSent' || answer.kind === 'notConnected')
    return endUnsent(tools, intent, { kind: answer.kind }, `not sent: ${answer.reason}`, deadlineAt);
  if (answer.kind === 'notMade') {
    const unsent = { kind: 'notConnected', wasAsked: true } as const;
    return endUnsent(tools, intent, unsent, REQUEST_REFUSED + answer.reason, deadlineAt);
  }
  if (answer.kind !== 'preauthorized') return recordOutcome(tools, intent, answer, deadlineAt);
  if (later === null) throw new Error('a charge was pre-authorized that was not to be');
  return recordPreauthorization(tools, intent, answer, later, deadlineAt);
}

/**
 * If this write fails, or the process dies before it, the charge is resolved as any other: the acquirer does
 * not know it, it is voided, and its key answers with an error for ever.
 */
async function endUnsent(
  tools: Pick<ChargeTools<string>, 'writeUnsent'>,
  { merchantId, transactionId, request }: Intent,
  unsent: UnsentCharge,
  reason: string,
  deadlineAt: number,
): Promise<ChargeResult> {
  try {
    const row = { merchantId, transactionId, reason, keyHash: request?.keyHash ?? null };
    const { isRecorded } = await tools.writeUnsent(row, deadlineAt);
    return isRecorded ? unsent : { kind: 'unknown' };
  } catch {
    return { kind: 'unknown' };
  }
}

/**
 * In milliseconds. Null: too little time is left to ask, or the lease would end before the acquirer's
 * deadline, and another process might be resolving the charge by then.
 */
function acquirerTimeout(
  tools: Pick<ChargeTools<string>, 'acquirerTimeoutMilliseconds'>,
  leaseEndsAt: number,
  deadlineAt: number,
): number | null {
  const now = performance.now();
  const timeout = Math.min(tools.acquirerTimeoutMilliseconds, deadlineAt - OUTCOME_MARGIN_MILLISECONDS - now);
  return timeout < SHORTEST_USEFUL_TIMEOUT_MILLISECONDS || now + timeout >= leaseEndsAt ? null : timeout;
}

function authorizationRequest(
  intent: Intent,
  card: OpenCard,
  later: LaterCapture | null,
  { link }: AcquirerTraits,
): AuthorizationRequest {
  return {
    merchantId: intent.merchantId,
    capture: later === null ? 'atOnce' : 'later',
    reference: intent.transactionId,
    merchantReference: intent.referenceTransaction,
    amount: intent.amount,
    installments: intent.installmentCount,
    soldAt: intent.soldAt,
    initiator: intent.initiator,
    networkReference: referenceToSend(intent.stored?.networkReference ?? NO_NETWORK_REFERENCE, {
      initiator: intent.initiator,
      brand: card.brand,
      link,
    }),
    storedCard: intent.stored === null ? null : intent.stored.isFirst ? 'first' : 'later',
    storedCardReason: intent.storedCardReason,
    softDescriptor: intent.softDescriptor,
    customer: intent.buyer,
    authentication: intent.authentication,
    card,
  };
}

type Answered = Exclude<AuthorizationAnswer, Preauthorized | NotConnected | NotMade | NotSent>;

type Outcome = Omit<ChargeTools<string>, 'writeIntent'>;

async function recordOutcome(
  tools: Outcome,
  intent: Intent,
  answer: Answered,
  deadlineAt: number,
): Promise<ChargeResult> {
  const moment = tools.clock.now(intent.merchantId);
  const installments =
    answer.kind === 'approved' ? splitIntoInstallments(intent.amount, intent.installmentCount) : [];
  const shares = recordedShares(intent.amount, intent.split, installments);
  try {
    const row = outcomeRow(intent, answer, { installments, shares, moment });
    const { isRecorded } = await tools.writeOutcome(row, deadlineAt);
    if (answer.kind === 'unknown') tools.wakeSignal.notify();
    if (!isRecorded || answer.kind === 'unknown') return { kind: 'unknown' };
    if (answer.kind === 'declined') return answer;
    markUse(tools, intent, row.networkReference);
    return {
      kind: 'approved',
      authorizationCode: answer.authorizationCode,
      nsu: answer.nsu,
      installments,
      shares,
      moment,
    };
  } catch (error) {
    // An unknown answer needs no record: the charge is resolved when the lease ends.
    if (answer.kind === 'unknown') return { kind: 'unknown' };
    return wasNotWritten(error) ? { kind: 'unknown' } : { kind: 'unrecorded' };
  }
}

async function recordPreauthorization(
  tools: Outcome,
  intent: Intent,
  { authorizationCode, nsu, tid, ...answer }: Preauthorized,
  { captureDays, writePreauthorization }: LaterCapture,
  deadlineAt: number,
): Promise<ChargeResult | PreauthorizedResult> {
  const { merchantId, transactionId } = intent;
  const networkReference = referenceToKeep(answer.networkReference, intent.trace.brand);
  const moment = tools.clock.now(merchantId);
  const until = captureUntil(moment, captureDays);
  const approval = { authorizationCode, nsu, networkReference, tid, moment, captureUntil: until };
  try {
    const row = { merchantId, transactionId, fence: FIRST_FENCE, ...approval };
    const { isRecorded } = await writePreauthorization(row, deadlineAt);
    if (!isRecorded) return { kind: 'unknown' };
    markUse(tools, intent, networkReference);
    return { kind: 'preauthorized', authorizationCode, nsu, moment, captureUntil: until };
  } catch (error) {
    const kind = wasNotWritten(error) ? 'unknown' : 'unrecorded';
    return { kind };
  }
}

/**
 * True: the database refused the outcome or never received it, so surely none is recorded, and the charge is
 * resolved.
 */
function wasNotWritten(error: unknown): boolean {
  if (error instanceof CommitUnknown) return false;
  return error instanceof DatabaseUnavailable || error instanceof Overloaded || isRolledBack(error);
}

/**
 * Usually the commit of the outcome has marked a stored card's first use; only a lock prevents that, for
 * milliseconds. Nobody waits for the mark: the charge stands in any case, and without a mark the next use
 * counts as the first, or sends an older network id. A link (TLID) that a later use brings is not filled in
 * here, but by the commit of that use or of the next one.
 */
function markUse(
  { acquirers, database }: Outcome,
  { merchantId, stored, acquirer }: Intent,
  networkReference: NetworkReference,
): void {
  if (stored === null) return;
  const { vaultId, isFirst } = stored;
  if (isFirst) {
    markFirstUse(database, merchantId, vaultId, networkReference).catch(() => {});
    return;
  }
  const { transactionId } = networkReference;
  const isLatestWanted = acquirers.of(acquirer).traits.networkId === 'latest';
  if (isLatestWanted && transactionId !== null)
    markLatestUse(database, merchantId, vaultId, transactionId).catch(() => {});
}

function outcomeRow(
  intent: Intent,
  answer: Answered,
  recorded: Pick<OutcomeRow, 'installments' | 'shares' | 'moment'>,
): OutcomeRow {
  const nothing = {
    authorizationCode: null,
    nsu: null,
    networkReference: NO_NETWORK_REFERENCE,
    tid: null,
    responseCode: null,
    adviceCode: null,
    unknownReason: null,
  };
  const { merchantId, transactionId } = intent;
  const row = {
    ...nothing,
    merchantId,
    transactionId,
    fence: FIRST_FENCE,
    expected: 'charging' as const,
    isPlain: intent.callbackUrl === null,
    ...recorded,
  };
  switch (answer.kind) {
    case 'approved': {
      const { authorizationCode, nsu, tid } = answer;
      const networkReference = referenceToKeep(answer.networkReference, intent.trace.brand);
      const isPlain = row.isPlain && !isCardMarked(intent.stored, networkReference);
      return { ...row, state: 'approved', isPlain, authorizationCode, nsu, networkReference, tid };
    }
    case 'declined':
      return { ...row, state: 'declined', responseCode: answer.responseCode, adviceCode: answer.adviceCode };
    case 'unknown':
      return { ...row, state: 'unresolved', unknownReason: answer.reason };
  }
}

export type VerifyTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly limits: LimitTools;
  readonly decideVerification: DecideVerification;
};

/** A verification has no amount. It is counted as a try of zero. */
const NO_AMOUNT = cents(0);

/**
 * Network limits and anti-fraud count the verification before the acquirer is asked, and a decline is
 * recorded before the response. Otherwise every security code of a card could be tried.
 */
export async function verifyCard(
  tools: VerifyTools,
  { merchantId, verificationId, opened, ipAddress }: VerificationWanted,
  ask: () => Promise<AskedAnswer>,
): Promise<AskedAnswer | VerificationRefused> {
  const { clock, database, limits } = tools;
  const { number } = opened.card;
  const askedAt = clock.now(merchantId);
  const limit = await checkNetworkLimits(limits, { merchantId, amount: NO_AMOUNT, soldAt: askedAt, opened });
  if (limit !== null) return { kind: 'refused', refusal: limit.cause, mayRetryAt: limit.mayRetryAt };
  const counted = await tools.decideVerification({ merchantId, verificationId, number, ipAddress });
  if (counted === null) return { kind: 'refused', refusal: 'rejected', mayRetryAt: null };
  const answer = await ask();
  if (answer.kind === 'notSent' || answer.kind === 'notConnected') await counted.forget();
  if (answer.kind === 'declined') {
    const { brand } = opened.trace;
    const { responseCode, adviceCode } = answer;
    const cardFingerprint = opened.trace.fingerprint;
    const decline = { merchantId, verificationId, cardFingerprint, brand, responseCode, adviceCode, askedAt };
    await database.transaction(async (tx) => {
      await recordDecline(tx, decline);
      await counted.declined(tx, decline);
    });
  }
  return answer;
}
