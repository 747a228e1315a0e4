import type { Demo } from '../../homologation/create-demo-merchant.ts';
import { call, logIn, type Reply } from '../kit/merchant.ts';
import { type Auditor, openTestService, type TestService } from '../kit/service.ts';

/** An account of another merchant. */
export const FOREIGN_ACCOUNT = '2000001';
export const FOREIGN_MERCHANT = 'OUTRA';
/** No server listens there; homologation may call loopback. */
export const URL_OF_SHOP = 'http://127.0.0.1:49151/notificacoes';

/** A service with the demo merchant, who is logged in, and another merchant with an account. */
export type EndpointsService = TestService & {
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly userName: string;
  readonly token: string;
};

export async function openEndpointsService(): Promise<EndpointsService> {
  const service = await openTestService();
  const demo: Demo = await service.demo();
  await createForeignMerchant(service.auditor, demo.merchantId);
  const token = await logIn(service.integrationUrl, demo.integration, '/api/authentication/login');
  const { merchantId, accountNumber, integration } = demo;
  return {
    ...service,
    merchantId,
    accountNumber: accountNumber as string,
    userName: integration.userName,
    token,
  };
}

async function createForeignMerchant(auditor: Auditor, merchantId: string): Promise<void> {
  await auditor.query(
    'insert into merchants select (jsonb_populate_record(m, $2)).* from merchants m where merchant_id = $1',
    [merchantId, JSON.stringify({ merchant_id: FOREIGN_MERCHANT })],
  );
  await auditor.query('insert into accounts (merchant_id, account_number, position) values ($1, $2, 1)', [
    FOREIGN_MERCHANT,
    FOREIGN_ACCOUNT,
  ]);
}

type Door = Pick<EndpointsService, 'integrationUrl' | 'token' | 'accountNumber'>;

export function subscriptionsOf(accountNumber: string): string {
  return `/api/webhooks/subscriptions?accountNumber=${encodeURIComponent(accountNumber)}`;
}

export function register(
  { integrationUrl, token, accountNumber }: Door,
  body: Record<string, unknown> = { url: URL_OF_SHOP },
): Promise<Reply> {
  return call(integrationUrl, subscriptionsOf(accountNumber), { token, body });
}

export function readRegistration({ integrationUrl, token, accountNumber }: Door): Promise<Reply> {
  return call(integrationUrl, subscriptionsOf(accountNumber), { token });
}

export function remove({ integrationUrl, token, accountNumber }: Door): Promise<Reply> {
  return call(integrationUrl, subscriptionsOf(accountNumber), { token, method: 'DELETE' });
}

export function makeSecret({ integrationUrl, token, accountNumber }: Door): Promise<Reply> {
  const path = `/api/webhooks/secret?accountNumber=${encodeURIComponent(accountNumber)}`;
  return call(integrationUrl, path, { token, method: 'POST' });
}

/** `count` deliveries that wait for the account's webhook, as payments leave them. */
export async function leaveWaiting(
  { auditor, merchantId, accountNumber }: Pick<EndpointsService, 'auditor' | 'merchantId' | 'accountNumber'>,
  count: number,
): Promise<void> {
  await auditor.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, body, due_at, scheduled_at)
     select $1, nextval('movement_ids'), 'movement', $2, $3, '{}', now() + interval '1 hour', now()
     from generate_series(1, $4)`,
    [merchantId, `account:${accountNumber}`, accountNumber, count],
  );
}

export async function endpointRow({
  auditor,
  merchantId,
  accountNumber,
}: Pick<EndpointsService, 'auditor' | 'merchantId' | 'accountNumber'>): Promise<Record<string, unknown>> {
  const [row] = await auditor.query(
    "select *, returned_at > now() - interval '1 minute' as is_returned from webhook_endpoints where merchant_id = $1 and endpoint = $2",
    [merchantId, `account:${accountNumber}`],
  );
  if (row === undefined) throw new Error('there is no such endpoint');
  return row;
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
