import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addDays, instant, saoPauloDay } from '../../src/values/instant.ts';
import { type CallOptions, call, logIn, type Reply } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

export const inDays = (days: number) => addDays(saoPauloDay(instant(Date.now())), days);

/** As the service names itself to its simulated bank. */
const CLIENT_ID = 'parcela';

/** A shop of the demo merchant that charges by Pix, and the simulated bank beside its service. */
export type PixShop = {
  readonly service: TestService;
  readonly url: string;
  /** For the API of payments, and for the other one. */
  readonly token: string;
  readonly otherToken: string;
  readonly accountNumber: string;
  readonly merchantId: string;
  readonly bankUrl: string;
  /** As the simulated bank knows the merchant, where charges are made by its calendar. */
  readonly customerOfBank: string;
};

export async function openPixShop(settings: Readonly<Record<string, string>> = {}): Promise<PixShop> {
  return pixShopOf(await openTestService(settings));
}

/** With the bank that a service of homologation brings along, or another one. */
export async function pixShopOf<S extends TestService>(service: S, bankUrl?: string) {
  return pixShopAt(service, bankUrl ?? (await readFile(join(service.folder, 'pix', 'address'), 'utf8')));
}

export async function pixShopAt<S extends TestService>(
  service: S,
  bankUrl: string,
): Promise<PixShop & { readonly service: S }> {
  const demo = await service.demo();
  const url = service.gatewayUrl;
  const token = await logIn(url, demo.gateway);
  const otherToken = await logIn(service.integrationUrl, demo.integration, '/api/authentication/login');
  const [account] = await service.auditor.query('select merchant_id, account_number from accounts limit 1');
  const { merchant_id: merchantId, account_number: accountNumber } = account as Record<string, string>;
  return {
    ...{ service, url, token, otherToken, bankUrl },
    merchantId: merchantId as string,
    accountNumber: accountNumber as string,
    customerOfBank: `${CLIENT_ID}--${merchantId}`,
  };
}

export function charge(
  { url, token }: PixShop,
  change: Readonly<Record<string, unknown>> = {},
  options: CallOptions = {},
): Promise<Reply> {
  const body = {
    amount: 14_990,
    expiresInSeconds: 3_600,
    payer: { name: 'Ana Souza', documentNumber: '52998224725' },
    description: 'Pedido 1001',
    referenceTransaction: 'PEDIDO-1001',
    ...change,
  };
  return call(url, '/v1/payments/pix', { token, body, ...options });
}

export function read({ url, token }: PixShop, paymentId: string): Promise<Reply> {
  return call(url, `/v1/payments/${paymentId}`, { token });
}

export function cancel(
  { url, token }: PixShop,
  paymentId: string,
  body: Readonly<Record<string, unknown>> = {},
  options: CallOptions = {},
): Promise<Reply> {
  return call(url, `/v1/payments/${paymentId}/cancel`, { token, body, ...options });
}

/** Has the simulated bank do something, as its orders have it. */
export async function order({ bankUrl }: PixShop, path: string, body: object) {
  const reply = await fetch(new URL(`/simulator/${path}`, bankUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId: CLIENT_ID, ...body }),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

/** A payer pays; gives the end-to-end id. `force`: also where his bank would not let him. */
export async function pay(shop: PixShop, txid: string, change: object = {}): Promise<string> {
  const paid = await order(shop, 'payments', { txid, ...change });
  assert.equal(paid.status, 201, JSON.stringify(paid.body));
  return paid.body.endToEndId as string;
}

export async function script(shop: PixShop, on: string, ...steps: readonly object[]): Promise<void> {
  await scriptFor(shop, CLIENT_ID, on, ...steps);
}

/** Also for a customer of the client. */
export async function scriptFor(
  shop: PixShop,
  clientId: string,
  on: string,
  ...steps: readonly object[]
): Promise<void> {
  const written = await order(shop, 'script', { clientId, on, steps });
  assert.equal(written.status, 200, JSON.stringify(written.body));
}

export async function ledger(
  { bankUrl }: PixShop,
  what: 'charges' | 'pix' | 'authorizations' | 'recurring',
  clientId = CLIENT_ID,
) {
  const reply = await fetch(new URL(`/simulator/ledger/${what}?clientId=${clientId}`, bankUrl));
  return ((await reply.json()) as { items: Record<string, unknown>[] }).items;
}

export function untilStatus(shop: PixShop, paymentId: string, statusDescription: string): Promise<Reply> {
  return until(`${paymentId} is ${statusDescription}`, async () => {
    const reply = await read(shop, paymentId);
    return reply.status === 200 && reply.body.statusDescription === statusDescription ? reply : null;
  });
}

/** The movements of a Pix, in order, as old and new values. */
export async function movementsOf(shop: PixShop, paymentId: string): Promise<string[]> {
  const found: string[] = [];
  for (let after = 0; ; ) {
    const query = `accountNumber=${shop.accountNumber}&after=${after}&limit=100`;
    const reply = await call(shop.service.integrationUrl, `/api/movements?${query}`, {
      token: shop.otherToken,
    });
    const { items, next } = reply.body as { items: Record<string, unknown>[]; next: number };
    for (const item of items)
      if (item.paymentId === paymentId) found.push(`${item.type} ${item.oldValue}>${item.newValue}`);
    if (items.length === 0) return found;
    after = next;
  }
}

/** Of the account, as its merchant sees them. */
export async function exceptionsOf(shop: PixShop): Promise<Record<string, unknown>[]> {
  const query = `accountNumber=${shop.accountNumber}&class=unexpectedPayment&limit=100&from=${inDays(-1)}&to=${inDays(1)}`;
  const path = `/api/reconciliation/exceptions?${query}`;
  const reply = await call(shop.service.integrationUrl, path, { token: shop.otherToken });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}
