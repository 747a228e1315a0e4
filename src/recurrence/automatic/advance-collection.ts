import { newPageKey } from '../../platform/chance.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import {
  type CollectAnswer,
  type CollectionRequest,
  type FoundCollection,
  type FoundFirstCharge,
  type FoundPaid,
  leadDaysAt,
  type PixPaid,
} from '../../providers/pix/recurring-pix.ts';
import { recordCollectedPix } from '../../transactions/methods/pix/collected-pix.sql.ts';
import { findCollectedReceipt } from '../../transactions/methods/pix/receipts/collected-receipts.sql.ts';
import { hurryReceipts } from '../../transactions/methods/pix/receipts/receipts.sql.ts';
import { ABSENT, DOUBTFUL_LOOKS, isSurelyAbsent } from '../../transactions/requests/absence.ts';
import { type Instant, instant, saoPauloDay, startOfSaoPauloDay } from '../../values/instant.ts';
import type { ChargeRule } from '../billings/charge-result.ts';
import type { ChargeEnd, ChargeEndResult } from '../collection/charge-outcomes.sql.ts';
import { APPROVED, type ChargeFacts } from '../collection/outcome-record.ts';
import { isTooLate } from '../plans/pix-schedule.ts';
import { type AdvanceTools, askAuthorization } from './advance-authorization.ts';
import {
  type CollectionState,
  isFirstChargeOver,
  nextLookAt,
  nextPendingLookAt,
  nextSendAt,
  nextTryAt,
} from './authorization.ts';
import { type Authorization, findAuthorization } from './authorizations.sql.ts';
import {
  type Collection,
  type CollectionKey,
  decideCollection,
  findCollection,
  finishCollection,
  lookAtCollection,
} from './collections.sql.ts';
import { releaseCollection } from './due-looks.sql.ts';
import { payerOf } from './payer.ts';
import { meaningOfPixCode } from './pix-code.ts';

export type AdvanceCollectionTools = AdvanceTools & {
  readonly writeEnd: BatchedWrite<ChargeEnd, ChargeEndResult>;
  readonly observeCharge: (rule: ChargeRule | null) => void;
  /** Wakes the collection: the next billing or another try may be due. */
  readonly notify: () => void;
};

type Decision =
  | {
      readonly state: Exclude<CollectionState, 'open' | 'paid'>;
      readonly code: string | null;
      /** Decided because the bank has no charge: holds only if no other process has asked or sent since. */
      readonly isAbsent?: true;
    }
  | { readonly state: 'paid'; readonly payment: PixPaid }
  | Open;

/** `now`: business time after the bank's answer. */
type Open = {
  readonly state: 'open';
  readonly now: Instant;
  readonly lookAt: Instant;
  readonly reason: string | null;
};

/** The bank has no charge, so nothing was charged. */
const VOIDED = { state: 'voided', code: null, isAbsent: true } as const;

const MINUTE_MILLISECONDS = 60_000;
const RECORD_MILLISECONDS = 10_000;

type HeldCollection = CollectionKey & Pick<Collection, 'fence'>;

/**
 * Sends a charge to the bank unless the bank has it, and writes the outcome. Repeatable by the process that
 * holds the lease.
 */
export async function advanceCollection(tools: AdvanceCollectionTools, held: HeldCollection): Promise<void> {
  try {
    const collection = await findCollection(tools.database, held);
    if (collection !== null && collection.fence === held.fence) await advance(tools, collection);
  } finally {
    await releaseCollection(tools.database, held);
  }
}

async function advance(tools: AdvanceCollectionTools, collection: Collection): Promise<void> {
  if (collection.isOver) return;
  if (collection.state === 'open') {
    const authorization = await findAuthorization(tools.database, collection);
    if (authorization === null) return;
    const decide = collection.isFirst ? decideFirst : decideCharge;
    await record(tools, collection, authorization, await decide(tools, collection, authorization));
  }
  const decided = await findCollection(tools.database, collection);
  if (decided !== null && decided.state !== 'open') await finish(tools, decided);
}

/**
 * Decides a first charge. The subscription is activated before its payment is written: a payment of a pending
 * subscription would end the series. The charge ends only when the bank says that it can no longer be paid:
 * until then a payment wins.
 */
async function decideFirst(
  tools: AdvanceCollectionTools,
  collection: Collection,
  authorization: Authorization,
): Promise<Decision> {
  const { merchantId, txid, amount, subscription, tries } = collection;
  const { requestedAt, expiresAt } = authorization;
  const isUndecided = async () =>
    subscription === 'pending' && (await askAuthorization(tools, authorization))?.subscription === 'pending';
  const asked = tools.clock.now(merchantId);
  const isWanted = subscription === 'pending' || subscription === 'active';
  const isOver = !isWanted || isFirstChargeOver(expiresAt, asked);
  const bank = tools.pixBanks.of(authorization.bank);
  const name = { merchantId, txid, amount };
  const answer = await (isOver
    ? bank.endFirstCharge({ ...name, now: asked }, tools.pixTimeoutMilliseconds)
    : bank.findFirstCharge(name, tools.pixTimeoutMilliseconds));
  const now = tools.clock.now(merchantId);
  const open = { state: 'open', now, lookAt: nextPendingLookAt(requestedAt, now), reason: null } as const;
  const unclear = (reason: string) => ({ ...open, lookAt: nextTryAt(tries, now), reason });
  const found = await withReceived(tools, collection, answer);
  switch (found.kind) {
    case 'paid':
      return (await isUndecided()) ? open : decidePaid(tools, collection, authorization, found.payment);
    case 'ended':
      return (await isUndecided()) ? open : { state: 'voided', code: null };
    case 'waiting':
      return open;
    case 'notFound':
      if (!isOver && authorization.state === 'asking') return open;
      if (isOver && isSurelyAbsent(collection)) return (await isUndecided()) ? open : VOIDED;
      return unclear(ABSENT);
    default:
      return unclear(found.reason);
  }
}

/**
 * A Pix received under the charge's txid has paid it, even if the bank's record of the charge does not show
 * it.
 */
async function withReceived<Answer extends FoundFirstCharge | CollectAnswer>(
  { database }: AdvanceCollectionTools,
  collection: Collection,
  answer: Answer,
): Promise<Answer | FoundPaid> {
  if (!ENDS.includes(answer.kind)) return answer;
  const receipt = await findCollectedReceipt(database, collection);
  return receipt === null ? answer : { kind: 'paid', payment: null };
}

const ENDS: readonly (FoundFirstCharge | CollectAnswer)['kind'][] = ['notFound', 'ended', 'failed', 'over'];

/** If the bank's record does not say which Pix paid the charge, the Pix received under its txid does. */
async function decidePaid(
  { database, clock }: AdvanceCollectionTools,
  collection: Collection,
  { bank }: Authorization,
  payment: PixPaid | null,
): Promise<Decision> {
  const { merchantId, tries } = collection;
  if (payment !== null) return { state: 'paid', payment };
  const now = clock.now(merchantId);
  const receipt = await findCollectedReceipt(database, collection);
  if (receipt !== null) {
    const { endToEndId, amount, receivedAt } = receipt;
    // The bank lists by real time; a merchant's test clock may be ahead of it.
    const paidAt = instant(receivedAt + now - clock.unmoved());
    return { state: 'paid', payment: { endToEndId, amount, paidAt } };
  }
  await hurryReceipts(database, bank);
  const reason = 'it is paid, and its Pix has not come';
  return { state: 'open', now, lookAt: nextTryAt(tries, now), reason };
}

/** A request that has not reached the bank after this time never will. */
const LATE_MILLISECONDS = 10 * MINUTE_MILLISECONDS;
/** Stored in front of the bank's own reason and read again: do not change it while open rows contain it. */
const REFUSED = 'the bank does not make the charge, and its authorization holds';
const TAKEN_AWAY = 'the bank has taken the charge away, and its authorization holds';
const NOT_TAKEN_AWAY = 'the bank does not take the charge away';

async function decideCharge(
  tools: AdvanceCollectionTools,
  collection: Collection,
  authorization: Authorization,
): Promise<Decision> {
  const { merchantId, isSent, isHeld, attemptNumber, dueOn, tries } = collection;
  const bank = tools.pixBanks.of(authorization.bank);
  const request = requestOf(collection, authorization);
  const timeout = tools.pixTimeoutMilliseconds;
  const today = saoPauloDay(tools.clock.now(merchantId));
  // A charge that is no longer wanted is not sent: a killed process may have left only its intent.
  const isWanted = collection.subscription === 'active' && authorization.state !== 'ending';
  const isInTime = !isTooLate(collection, leadDaysAt(bank, authorization), today);
  // A charge whose txid has received a Pix is paid: the bank is only asked about it.
  const isReceived = (await findCollectedReceipt(tools.database, collection)) !== null;
  const mayBeSent = !isSent && isWanted && !isHeld && isInTime && !isReceived;
  // The scheme allows a cancel until the day before the first try.
  const mayBeEnded = isSent && !isWanted && !isHeld && attemptNumber === 1 && today < dueOn;
  const found = await (mayBeSent
    ? bank.collect(request, timeout)
    : mayBeEnded
      ? bank.endCollection(request, timeout)
      : bank.findCollection(request, timeout));
  const answer = await withReceived(tools, collection, found);
  const now = tools.clock.now(merchantId);
  const unclear = (reason: string) =>
    ({ state: 'open', now, lookAt: nextSendAt(tries, now), reason }) as const;
  if (answer.kind === 'paid') return decidePaid(tools, collection, authorization, answer.payment);
  if (!isSent && !mayBeSent && !isHeld && answer.kind === 'notFound')
    return decideUnsent(collection, isWanted, now);
  const isStillThere = mayBeEnded && answer.kind === 'scheduled';
  if (isStillThere) return unclear(NOT_TAKEN_AWAY);
  const isRefused = answer.kind === 'refused';
  if (!isRefused && !(answer.kind === 'over' && answer.isCanceled))
    return decisionOf(collection, answer, now);
  // The bank cancels a charge when its authorization ends: ask whether the payer has ended it.
  const after = await askAuthorization(tools, authorization);
  if (after?.subscription !== 'active')
    return isRefused ? decideUnsent(collection, false, now) : { state: 'voided', code: null };
  if (!isRefused && tries >= DOUBTFUL_LOOKS) return decisionOf(collection, answer, now);
  return unclear(isRefused ? `${REFUSED}: ${answer.reason}` : TAKEN_AWAY);
}

/**
 * Decides a charge that the bank does not have and that is not sent: it is not wanted any more, or its days
 * are too near.
 */
function decideUnsent({ tries, unknownReason }: Collection, isWanted: boolean, now: Instant): Decision {
  const refusal = unknownReason?.startsWith(REFUSED) === true ? unknownReason : null;
  const reason = refusal ?? ABSENT;
  // The last request of yesterday may still be on its way.
  const quietAt = instant(startOfSaoPauloDay(saoPauloDay(now)) + LATE_MILLISECONDS);
  if (isWanted && now < quietAt) return { state: 'open', now, lookAt: quietAt, reason };
  // A refusal is believed only while the bank has no such charge.
  const unclear = { tries, unknownReason: refusal === null ? unknownReason : ABSENT };
  if (!isSurelyAbsent(unclear)) return { state: 'open', now, lookAt: nextTryAt(tries, now), reason };
  if (isWanted && refusal !== null)
    return { state: 'invalid', code: refusal.slice(`${REFUSED}: `.length), isAbsent: true };
  // If still wanted, the billing is charged again with other days.
  return VOIDED;
}

function requestOf(collection: Collection, { recId }: Authorization): CollectionRequest {
  const { merchantId, txid, amount, dueOn, attemptNumber, tryOn } = collection;
  return { merchantId, recId: recId ?? '', txid, amount, dueOn, attemptNumber, tryOn };
}

function decisionOf(
  { isSent, tryOn, tries }: Collection,
  answer: Exclude<FoundCollection, FoundPaid>,
  now: Instant,
): Decision {
  switch (answer.kind) {
    case 'scheduled': {
      // What the payer's bank refuses at once is known within a minute.
      const lookAt = isSent ? nextLookAt(tryOn, now) : instant(now + MINUTE_MILLISECONDS);
      return { state: 'open', now, lookAt, reason: null };
    }
    case 'failed':
      return { state: 'failed', code: answer.code };
    case 'over':
      return { state: 'denied', code: answer.code };
    case 'notFound':
      return { state: 'open', now, lookAt: nextSendAt(tries, now), reason: ABSENT };
    default:
      return { state: 'open', now, lookAt: nextSendAt(tries, now), reason: answer.reason };
  }
}

/** Writes payment and decision in one commit; the billing follows in the next. */
async function record(
  { database, clock, deliverer }: AdvanceCollectionTools,
  collection: Collection,
  authorization: Authorization,
  decision: Decision,
): Promise<void> {
  if (decision.state === 'open') {
    const { now, lookAt: at, reason } = decision;
    await lookAtCollection(database, collection, { now, at }, reason);
    return;
  }
  const { bank, planName } = authorization;
  const payer = payerOf(authorization);
  const pageKey = newPageKey();
  const isWaiting = await database.transaction(async (tx) => {
    const { code, isAbsent = false } = decision.state === 'paid' ? { code: null } : decision;
    const isDecided = await decideCollection(tx, collection, decision.state, { code, isAbsent });
    if (!isDecided) return null;
    if (decision.state !== 'paid') return false;
    return recordCollectedPix(tx, {
      ...collection,
      ...{ pageKey, payer, bank, payment: decision.payment, description: planName },
      referenceTransaction: collection.billingId,
    });
  });
  if (isWaiting === true) deliverer.notify();
  // If the charge was sent meanwhile, the bank is asked again. If it was decided meanwhile, its row stays as
  // it is.
  if (isWaiting !== null) return;
  const now = clock.now(collection.merchantId);
  await lookAtCollection(database, collection, { now, at: nextTryAt(0, now) }, ABSENT);
}

async function finish(tools: AdvanceCollectionTools, collection: Collection): Promise<void> {
  const { merchantId, billingId, subscriptionId, pixId, dueOn: askedFor } = collection;
  const { isRecorded, rule } = await tools.writeEnd(
    {
      ...{ kind: 'resolved', merchantId, billingId, subscriptionId, transactionId: pixId },
      ...{ facts: factsOf(collection), askedFor, by: 'system', at: tools.clock.now(merchantId) },
      // Another try needs no pause: the bank was asked with pauses.
      isSentOn: true,
    },
    performance.now() + RECORD_MILLISECONDS,
  );
  await finishCollection(tools.database, collection);
  if (!isRecorded) return;
  tools.observeCharge(rule);
  tools.notify();
}

function factsOf({ state, code }: Collection): ChargeFacts | 'voided' {
  switch (state) {
    case 'paid':
      return APPROVED;
    case 'failed':
      return { ...APPROVED, result: 'funds', code, meaning: meaningOfPixCode(code, 'Saldo insuficiente') };
    case 'denied':
      return { ...APPROVED, result: 'denied', code, meaning: meaningOfPixCode(code, 'Não paga no prazo') };
    case 'invalid':
      return { ...APPROVED, result: 'invalid', code: null, meaning: 'Recusada pelo banco recebedor' };
    case 'voided':
      return 'voided';
    case 'open':
      throw new Error('a charge that is open has no outcome');
  }
}
