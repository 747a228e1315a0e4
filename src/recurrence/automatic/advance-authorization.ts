import type { ModuleContext } from '../../platform/module.ts';
import type { PixBanks } from '../../providers/open-pix-banks.ts';
import type {
  AuthorizationName,
  AuthorizationRequest,
  AuthorizationState,
  FoundAuthorization,
} from '../../providers/pix/recurring-pix.ts';
import {
  ABSENT,
  isSurelyAbsent,
  isSurelyRefused,
  REFUSED_ANEW,
} from '../../transactions/requests/absence.ts';
import { FIRST_FENCE } from '../../transactions/requests/send-request.ts';
import { type Instant, instant } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import type { SubscriptionReason } from '../subscriptions/subscription.ts';
import { nextDailyLookAt, nextPendingLookAt, nextTryAt, periodOf, withoutHyphens } from './authorization.ts';
import {
  type Authorization,
  endAuthorization,
  findAuthorization,
  lookAtAuthorization,
  makeAuthorization,
  moveByPayer,
  noteRefusal,
  type SubscriptionKey,
  type SubscriptionMove,
} from './authorizations.sql.ts';
import { hurryCollections } from './collections.sql.ts';
import { leaseAuthorization, releaseAuthorization } from './due-looks.sql.ts';

export type AdvanceTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly pixBanks: Pick<PixBanks, 'of' | 'choose'>;
  readonly pixTimeoutMilliseconds: number;
  readonly deliverer: Pick<Deliverer, 'notify'>;
  /** Alarms about an authorization that its bank did not answer in time. */
  readonly alarmUnanswered: (authorization: SubscriptionKey & { readonly bank: string }) => void;
};

type HeldAuthorization = SubscriptionKey & Pick<Authorization, 'fence'>;

/**
 * Asks the bank about an authorization and writes the answer. Repeatable by the process that holds the lease.
 */
export async function advanceAuthorization(
  tools: AdvanceTools,
  held: HeldAuthorization,
  timeoutMilliseconds = tools.pixTimeoutMilliseconds,
): Promise<Authorization | null> {
  try {
    const authorization = await findAuthorization(tools.database, held);
    if (authorization === null || authorization.fence !== held.fence) return authorization;
    return await advance(tools, authorization, timeoutMilliseconds);
  } finally {
    await releaseAuthorization(tools.database, held);
  }
}

/**
 * Asks the bank about the authorization during a look at one of its charges. If another process is asking,
 * returns the stored authorization.
 */
export async function askAuthorization(
  tools: AdvanceTools,
  key: SubscriptionKey,
): Promise<Authorization | null> {
  const fence = await leaseAuthorization(tools.database, key);
  if (fence === null) return findAuthorization(tools.database, key);
  return advanceAuthorization(tools, { ...key, fence });
}

async function advance(
  tools: AdvanceTools,
  authorization: Authorization,
  timeoutMilliseconds: number,
): Promise<Authorization | null> {
  switch (authorization.state) {
    case 'asking':
      await make(tools, authorization, timeoutMilliseconds);
      break;
    case 'waiting':
    case 'approved':
      await look(tools, authorization, timeoutMilliseconds);
      break;
    case 'ending':
      await end(tools, authorization, timeoutMilliseconds);
      break;
    case 'ended':
      return authorization;
  }
  return findAuthorization(tools.database, authorization);
}

async function make(tools: AdvanceTools, authorization: Authorization, timeout: number): Promise<void> {
  const { database, pixBanks, clock } = tools;
  const asked = clock.now(authorization.merchantId);
  if (asked >= authorization.expiresAt) return giveUp(tools, authorization, asked);
  const request = requestOf(authorization, asked);
  const answer =
    request === null
      ? ({ kind: 'refused', reason: 'the payer is not there any more' } as const)
      : await pixBanks.of(authorization.bank).authorize(request, timeout);
  const now = clock.now(authorization.merchantId);
  const wait = (reason: string) =>
    lookAtAuthorization(database, authorization, { now, at: nextTryAt(authorization.tries, now) }, reason);
  switch (answer.kind) {
    case 'made': {
      const lookAt = nextPendingLookAt(authorization.requestedAt, now);
      return makeAuthorization(database, authorization, answer, { at: now, lookAt });
    }
    case 'refused':
      if (request !== null && !mayRefuse(authorization)) return wait(REFUSED_ANEW);
      return stop(tools, authorization, { to: 'rejected', reason: 'rejected' }, { now, why: answer.reason });
    default:
      return wait(answer.reason);
  }
}

/** A refusal counts only if no earlier request can still be on its way. */
function mayRefuse(authorization: Authorization): boolean {
  return authorization.fence === FIRST_FENCE || isSurelyRefused(authorization);
}

/** The bank did not answer within the payer's time. The background work ends what the bank may have made. */
async function giveUp(tools: AdvanceTools, authorization: Authorization, now: Instant): Promise<void> {
  tools.alarmUnanswered(authorization);
  await stop(
    tools,
    authorization,
    { to: 'expired', reason: 'unanswered' },
    { now, why: 'the bank did not answer in time' },
  );
}

async function stop(
  { database, deliverer }: AdvanceTools,
  authorization: Authorization,
  to: Pick<SubscriptionMove, 'to' | 'reason'>,
  { now, why }: { readonly now: Instant; readonly why: string },
): Promise<void> {
  const isWaiting = await database.transaction(async (tx) => {
    const waits = await moveByPayer(tx, authorization, { from: 'pending', ...to }, { at: now, lookAt: now });
    await noteRefusal(tx, authorization, why);
    return waits;
  });
  if (isWaiting) deliverer.notify();
}

async function look(tools: AdvanceTools, authorization: Authorization, timeout: number): Promise<void> {
  const { database, pixBanks, clock, deliverer } = tools;
  const { merchantId, state, requestedAt, tries } = authorization;
  const found = await pixBanks.of(authorization.bank).findAuthorization(nameOf(authorization), timeout);
  const now = clock.now(merchantId);
  const isLate = now > authorization.expiresAt;
  const isGone = found.kind === 'notFound' && isLate && isSurelyAbsent(authorization);
  if (found.kind !== 'found' && !(isGone && authorization.subscription === 'pending')) {
    const reason = found.kind === 'notFound' ? ABSENT : found.reason;
    await lookAtAuthorization(database, authorization, { now, at: nextTryAt(tries, now) }, reason);
    return;
  }
  const move = moveOf(authorization, found.kind === 'found' ? found : { state: 'waiting' }, isLate);
  if (move === null) {
    const at = state === 'waiting' ? nextPendingLookAt(requestedAt, now) : nextDailyLookAt(now);
    await lookAtAuthorization(database, authorization, { now, at });
    return;
  }
  const moment = { at: now, lookAt: nextDailyLookAt(now) };
  const isWaiting = await database.transaction((tx) => moveByPayer(tx, authorization, move, moment));
  await hurryCollections(database, authorization, now);
  if (isWaiting) deliverer.notify();
}

/** null: nothing changes. `isLate`: the payer's time is over. */
function moveOf(
  { subscription }: Authorization,
  found: AuthorizationState,
  isLate: boolean,
): SubscriptionMove | null {
  const from = subscription;
  if (from === 'pending') {
    switch (found.state) {
      case 'approved':
        return { from, to: 'active', reason: null };
      case 'rejected':
        return { from, to: 'rejected', reason: 'rejected' };
      case 'expired':
        return { from, to: 'expired', reason: 'expired' };
      case 'canceled':
        return { from, to: 'canceled', reason: whoCanceled(found) };
      case 'waiting':
        return isLate ? { from, to: 'expired', reason: 'expired' } : null;
    }
  }
  const isHeld = from === 'active' || from === 'blocked';
  return isHeld && found.state !== 'approved' && found.state !== 'waiting'
    ? { from, to: 'canceled', reason: whoCanceled(found) }
    : null;
}

function whoCanceled(found: AuthorizationState): SubscriptionReason {
  return found.state === 'canceled' && !found.byPayer ? 'user' : 'payer';
}

/** Ends whatever the bank may have of the authorization, also if its answer was lost. */
async function end(
  { database, pixBanks, clock }: AdvanceTools,
  authorization: Authorization,
  timeout: number,
): Promise<void> {
  const { merchantId, tries } = authorization;
  const found = await pixBanks.of(authorization.bank).endAuthorization(nameOf(authorization), timeout);
  const now = clock.now(merchantId);
  const isAbsent = found.kind === 'notFound' && isSurelyAbsent(authorization);
  if (isAbsent || (found.kind === 'found' && !isHeld(found))) {
    await endAuthorization(database, authorization);
    await hurryCollections(database, authorization, now);
    return;
  }
  const at = found.kind === 'notFound' ? instant(now + ABSENT_PAUSE_MILLISECONDS) : nextTryAt(tries, now);
  await lookAtAuthorization(database, authorization, { now, at }, whyNotEnded(found));
}

/** Longer than a request can be on its way. */
const ABSENT_PAUSE_MILLISECONDS = 20_000;

function whyNotEnded(found: FoundAuthorization): string {
  switch (found.kind) {
    case 'found':
      return 'the bank does not end the authorization';
    case 'notFound':
      return ABSENT;
    default:
      return found.reason;
  }
}

function isHeld({ state }: Extract<FoundAuthorization, { kind: 'found' }>): boolean {
  return state === 'waiting' || state === 'approved';
}

function nameOf(authorization: Authorization): AuthorizationName {
  const { merchantId, subscriptionId, recId, customer, requestedAt, expiresAt } = authorization;
  const documentNumber = customer?.documentNumber ?? null;
  return {
    ...{ merchantId, recId, documentNumber, requestedAt, expiresAt },
    contract: withoutHyphens(subscriptionId),
  };
}

const LONGEST_SUBJECT = 35;

/** null: the payer was erased. */
function requestOf(authorization: Authorization, now: Instant): AuthorizationRequest | null {
  const { merchantId, subscriptionId, customer, terms, firstPixId, leastAmount } = authorization;
  const { name, documentNumber } = customer ?? {};
  if (name === undefined || documentNumber === undefined) return null;
  const amount = centsOfPlanAmount(terms.amount);
  const expiresInSeconds = Math.floor((authorization.expiresAt - now) / 1_000);
  return {
    merchantId,
    contract: withoutHyphens(subscriptionId),
    payer: { name, documentNumber },
    subject: authorization.planName.slice(0, LONGEST_SUBJECT),
    period: periodOf(terms.planType),
    startsOn: authorization.startsOn,
    amount: leastAmount === null ? amount : null,
    leastAmount,
    mayRetry: terms.maxRetries > 0,
    first: firstPixId === null ? null : { txid: withoutHyphens(firstPixId), amount, expiresInSeconds },
    payerAccount: authorization.payerAccount,
    requestedAt: authorization.requestedAt,
    expiresAt: authorization.expiresAt,
  };
}
