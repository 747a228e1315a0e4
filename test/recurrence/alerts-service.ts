import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { AlertEvent } from '../../src/recurrence/alerts/alert.ts';
import { ENQUEUE_ALERTS, NOTICE_WAITS } from '../../src/recurrence/alerts/alert-deliveries.sql.ts';
import { addDays, type Day } from '../../src/values/instant.ts';
import { createForeignMerchant, FOREIGN_USER } from '../kit/foreign-merchant.ts';
import type { EndpointResponse, Listener } from '../kit/listener.ts';
import {
  assertMessageDescribed,
  type CallOptions,
  call,
  logIn,
  type Reply,
  tokenize,
} from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

/** A service, and two merchants who want alerts of failures. */
export type AlertsService = TestService & {
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly userName: string;
  /** Opens payments and cards, and the other API. */
  readonly gatewayToken: string;
  readonly integrationToken: string;
  ask(path: string, options?: CallOptions): Promise<Reply>;
  askAsForeign(path: string, options?: CallOptions): Promise<Reply>;
};

export const ALERT_ENDPOINTS = '/v1/recurrences/merchantnotifier';

export async function openAlertsService(
  settings: Readonly<Record<string, string>> = {},
): Promise<AlertsService> {
  const service = await openTestService(settings);
  const { merchantId, accountNumber, recurrence, gateway, integration } = await service.demo();
  const { auditor, gatewayUrl, integrationUrl } = service;
  await createForeignMerchant(auditor, recurrence.userName);
  const token = await logIn(gatewayUrl, recurrence);
  const foreignToken = await logIn(gatewayUrl, { userName: FOREIGN_USER, password: recurrence.password });
  return {
    ...service,
    merchantId,
    accountNumber,
    userName: recurrence.userName,
    gatewayToken: await logIn(gatewayUrl, gateway),
    integrationToken: await logIn(integrationUrl, integration, '/api/authentication/login'),
    ask: (path, options) => call(gatewayUrl, path, { token, ...options }),
    askAsForeign: (path, options) => call(gatewayUrl, path, { token: foreignToken, ...options }),
  };
}

/** A body of the usual kind; no server listens at its address. */
export const alertEndpointBody = (
  { merchantId }: Pick<AlertsService, 'merchantId'>,
  change: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  merchantId,
  name: 'Cobranças',
  description: 'Avisa o time de cobrança',
  callbackUrl: 'http://127.0.0.1:49152/avisos',
  events: ['failed', 'cardExpiring'],
  ...change,
});

export async function registerAlertEndpoint(
  service: Pick<AlertsService, 'ask' | 'merchantId'>,
  change: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const reply = await service.ask(ALERT_ENDPOINTS, { body: alertEndpointBody(service, change) });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as string;
}

export const moveAlertEndpoint = (
  { ask }: Pick<AlertsService, 'ask'>,
  alertEndpointId: string,
  status: string,
): Promise<Reply> => ask(`${ALERT_ENDPOINTS}/${alertEndpointId}/status`, { body: { status } });

/** Ends all notifiers of the merchant, so that the next test has its own alone. */
export async function endAlertEndpoints(service: Pick<AlertsService, 'ask'>): Promise<void> {
  const active = await service.ask(`${ALERT_ENDPOINTS}?status=Active&limit=100`);
  for (const { id } of active.body.items as { id: string }[])
    assert.equal((await moveAlertEndpoint(service, id, 'Inactive')).status, 200);
}

/** What verifies the messages of the account. */
export async function createSecret({
  integrationUrl,
  integrationToken,
  accountNumber,
}: AlertsService): Promise<Webhook> {
  const path = `/api/webhooks/secret?accountNumber=${accountNumber}`;
  const reply = await call(integrationUrl, path, { token: integrationToken, method: 'POST' });
  assert.equal(reply.status, 200, reply.text);
  return new Webhook(reply.body.secret as string);
}

/** What is known of the deliveries of the account, newest first. */
export async function deliveriesOf(service: AlertsService, query = ''): Promise<Record<string, unknown>[]> {
  const { integrationUrl, integrationToken, accountNumber } = service;
  const path = `/api/webhooks/deliveries?accountNumber=${accountNumber}&limit=100${query}`;
  const reply = await call(integrationUrl, path, { token: integrationToken });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items as Record<string, unknown>[];
}

const MESSAGES = {
  failed: 'failedChargeNotice',
  paid: 'paidChargeNotice',
  canceled: 'subscriptionNotice',
  blocked: 'subscriptionNotice',
  reactivated: 'subscriptionNotice',
  completed: 'subscriptionNotice',
  upcoming: 'upcomingChargeNotice',
  cardExpiring: 'cardExpiringNotice',
} as const satisfies Record<AlertEvent, string>;

export const bodiesOf = ({ received }: Pick<Listener, 'received'>): Record<string, unknown>[] =>
  received.map(({ body }) => {
    const message = JSON.parse(body) as Record<string, unknown>;
    assertMessageDescribed(MESSAGES[message.event as keyof typeof MESSAGES], message);
    return message;
  });

export const untilReceived = (listener: Listener, count: number): Promise<readonly EndpointResponse[]> =>
  until(`${count} messages came`, async () => listener.received.length >= count && listener.received, 60_000);

/** The last day of the month that is so many months after that of a day. */
export function lastDayOfMonth(day: string, monthsLater = 0): Day {
  let first = `${day.slice(0, 8)}01` as Day;
  for (let month = 0; month <= monthsLater; month += 1) first = `${addDays(first, 32).slice(0, 8)}01` as Day;
  return addDays(first, -1);
}

/** Stores a card that is good through a day, the last one of a month. */
export async function storeCardUntil(
  { gatewayUrl, gatewayToken }: Pick<AlertsService, 'gatewayUrl' | 'gatewayToken'>,
  lastDay: Day,
): Promise<string> {
  const body = {
    numberToken: await tokenize(gatewayUrl, gatewayToken),
    brand: 'mastercard',
    cardholderName: 'ANA SOUZA',
    expirationMonth: lastDay.slice(5, 7),
    expirationYear: lastDay.slice(2, 4),
  };
  const reply = await call(gatewayUrl, '/v1/vaults/cards', { token: gatewayToken, body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.vaultId as string;
}

/** A plan whose first charge is years away: no alert here is because of it. */
export async function createQuietPlan({ ask }: Pick<AlertsService, 'ask'>): Promise<string> {
  const body = {
    name: 'Clube',
    description: 'Um livro',
    amount: 49.9,
    planType: 'Yearly',
    paymentMethod: 'CreditCard',
    trialDays: 730,
  };
  const reply = await ask('/v1/recurrences/plans', { body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as string;
}

export async function subscribe(
  { ask }: Pick<AlertsService, 'ask'>,
  planId: string,
  vaultId: string,
): Promise<string> {
  const body = { planId, vaultId, orderNumber: 'P-1001' };
  const reply = await ask('/v1/recurrences/subscriptions', { body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as string;
}

/**
 * Commits a failed charge as the engine does, with the very part of its statement; gives the
 * billing's id.
 */
export async function failCharge(
  { auditor, merchantId, accountNumber }: AlertsService,
  body: string,
  billingId: string = randomUUID(),
): Promise<{ readonly billingId: string; readonly waits: boolean }> {
  const [row] = await auditor.query(
    `with notices as (
       select $1::text as merchant_id, 'failed' as event, $2::uuid as notice_of, $3::text as account_number, $4::text as body, now() + coalesce((
         select shift_milliseconds from merchant_clocks where merchant_id = $1
       ), 0) * interval '1 millisecond' as moment
     ), ${ENQUEUE_ALERTS}
     select ${NOTICE_WAITS}`,
    [merchantId, billingId, accountNumber, body],
  );
  return { billingId, waits: row?.notice_waits as boolean };
}
