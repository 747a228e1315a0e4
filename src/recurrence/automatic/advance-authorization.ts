import type { ModuleContext } from '../../platform/module.ts';
import type { PixBanks } from '../../providers/open-pix-banks.ts';
import type {
  AuthorizationName,
  AuthorizationRequest,
  FoundAuthorization,
} from '../../providers/pix/recurring-pix.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { nextDailyLookAt, nextPendingLookAt, nextTryAt, periodOf, withoutHyphens } from './authorization.ts';
import {
  type Authorization,
  endAuthorization,
  findAuthorization,
  lookAtAuthorization,
  makeAuthorization,
  moveByPayer,
  type SubscriptionKey,
  type SubscriptionMove,
} from './authorizations.sql.ts';
import { hurryCollections } from './collections.sql.ts';

export type AdvanceTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly pixBanks: PixBanks;
  readonly pixTimeoutMilliseconds: number;
  readonly deliverer: Pick<Deliverer, 'notify'>;
};

/** Asks the bank what became of an authorization, and writes it. Repeatable. */
export async function advanceAuthorization(
  tools: AdvanceTools,
  key: SubscriptionKey,
  timeoutMilliseconds = tools.pixTimeoutMilliseconds,
): Promise<Authorization | null> {
  const authorization = await findAuthorization(tools.database, key);
  if (authorization === null) return null;
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
  return findAuthorization(tools.database, key);
}

async function make(
  { database, pixBanks, clock, deliverer }: AdvanceTools,
  authorization: Authorization,
  timeout: number,
): Promise<void> {
  const request = requestOf(authorization);
  const answer =
    request === null
      ? ({ kind: 'refused', reason: 'the payer is not there any more' } as const)
      : await pixBanks.of(authorization.bank).authorize(request, timeout);
  const now = clock.now(authorization.merchantId);
  switch (answer.kind) {
    case 'made':
      await makeAuthorization(
        database,
        authorization,
        answer,
        nextPendingLookAt(authorization.requestedAt, now),
      );
      return;
    case 'refused': {
      const move = { from: 'pending', to: 'rejected', reason: 'rejected' } as const;
      const isWaiting = await database.transaction((tx) =>
        moveByPayer(tx, authorization, move, { at: now, lookAt: now }),
      );
      await endAuthorization(database, authorization, answer.reason);
      await hurryCollections(database, authorization, now);
      if (isWaiting) deliverer.notify();
      return;
    }
    default:
      await lookAtAuthorization(database, authorization, nextTryAt(authorization.tries, now), answer.reason);
  }
}

async function look(tools: AdvanceTools, authorization: Authorization, timeout: number): Promise<void> {
  const { database, pixBanks, clock, deliverer } = tools;
  const { merchantId, state, requestedAt, tries } = authorization;
  const found = await pixBanks.of(authorization.bank).findAuthorization(nameOf(authorization), timeout);
  const now = clock.now(merchantId);
  if (found.kind !== 'found') {
    const reason = found.kind === 'notFound' ? 'the bank has no such authorization' : found.reason;
    await lookAtAuthorization(database, authorization, nextTryAt(tries, now), reason);
    return;
  }
  const move = moveOf(authorization, found, now > authorization.expiresAt);
  if (move === null) {
    const lookAt = state === 'waiting' ? nextPendingLookAt(requestedAt, now) : nextDailyLookAt(now);
    await lookAtAuthorization(database, authorization, lookAt);
    return;
  }
  const moment = { at: now, lookAt: nextDailyLookAt(now) };
  const isWaiting = await database.transaction((tx) => moveByPayer(tx, authorization, move, moment));
  await hurryCollections(database, authorization, now);
  if (isWaiting) deliverer.notify();
}

/** Null: nothing changes. `isLate`: the payer had time enough. */
function moveOf(
  { subscription }: Authorization,
  found: Extract<FoundAuthorization, { kind: 'found' }>,
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
        return { from, to: 'canceled', reason: 'payer' };
      case 'waiting':
        return isLate ? { from, to: 'expired', reason: 'expired' } : null;
    }
  }
  const isHeld = from === 'active' || from === 'blocked';
  return isHeld && found.state !== 'approved' && found.state !== 'waiting'
    ? { from, to: 'canceled', reason: 'payer' }
    : null;
}

/** One that the bank never answered for is not shown to anybody. */
async function end(
  { database, pixBanks, clock }: AdvanceTools,
  authorization: Authorization,
  timeout: number,
): Promise<void> {
  const { merchantId, recId, tries } = authorization;
  if (recId === null) {
    await endAuthorization(database, authorization, null);
    return;
  }
  const found = await pixBanks.of(authorization.bank).endAuthorization(nameOf(authorization), timeout);
  const now = clock.now(merchantId);
  const isOver = found.kind === 'notFound' || (found.kind === 'found' && !isHeld(found));
  if (isOver) {
    await endAuthorization(database, authorization, null);
    await hurryCollections(database, authorization, now);
    return;
  }
  const reason = found.kind === 'found' ? 'the bank does not end the authorization' : found.reason;
  await lookAtAuthorization(database, authorization, nextTryAt(tries, now), reason);
}

function isHeld({ state }: Extract<FoundAuthorization, { kind: 'found' }>): boolean {
  return state === 'waiting' || state === 'approved';
}

export function nameOf({ merchantId, recId, firstPixId, terms }: Authorization): AuthorizationName {
  const amount = centsOfPlanAmount(terms.amount);
  const first = firstPixId === null ? null : { txid: withoutHyphens(firstPixId), amount };
  return { merchantId, recId: recId ?? '', first };
}

const LONGEST_SUBJECT = 35;

/** Null: the payer was erased. */
function requestOf(authorization: Authorization): AuthorizationRequest | null {
  const { merchantId, subscriptionId, customer, terms, firstPixId, leastAmount } = authorization;
  const { name, documentNumber } = customer ?? {};
  if (name === undefined || documentNumber === undefined) return null;
  const amount = centsOfPlanAmount(terms.amount);
  const expiresInSeconds = Math.round((authorization.expiresAt - authorization.requestedAt) / 1_000);
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
