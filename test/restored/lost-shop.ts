import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { call, paymentRequest, type Reply, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { askToPreauthorize } from '../payments/preauthorized.ts';

/** The simulator books it and is silent. */
export const BOOKED_AND_SILENT = 1_002;
const SUBSCRIPTIONS = '/v1/recurrences/subscriptions';

/** A merchant at a service, and where its acquirer is. */
export type Shop = {
  readonly gatewayUrl: string;
  readonly token: string;
  readonly merchantId: string;
  readonly simulatorUrl: string;
};

export async function pay(shop: Shop, amount: number, order: string): Promise<Reply> {
  const numberToken = await tokenize(shop.gatewayUrl, shop.token);
  const body = paymentRequest(numberToken, amount, { referenceTransaction: order });
  return call(shop.gatewayUrl, '/v1/payments', { token: shop.token, body, timeoutMilliseconds: 60_000 });
}

export async function paid(shop: Shop, amount: number, order: string): Promise<string> {
  const reply = await pay(shop, amount, order);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

export async function held(shop: Shop, amount: number): Promise<string> {
  const { reply } = await askToPreauthorize(shop as never, amount);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

export async function cancel(shop: Shop, paymentId: string, amount?: number): Promise<void> {
  const body = amount === undefined ? {} : { amount };
  const reply = await call(shop.gatewayUrl, `/v1/payments/${paymentId}/cancel`, { token: shop.token, body });
  assert.equal(reply.status, 200, reply.text);
}

export type Enrolled = { readonly planId: string; readonly subscriptionId: string };

/** Answers 200, and its body. */
export async function asked(shop: Shop, path: string, body: object, token = shop.token) {
  const reply = await call(shop.gatewayUrl, path, { token, body });
  assert.equal(reply.status, 200, `${path}: ${reply.text}`);
  return reply.body;
}

export async function stored(shop: Shop, gatewayToken: string): Promise<string> {
  const numberToken = await tokenize(shop.gatewayUrl, gatewayToken);
  const card = { numberToken, brand: 'mastercard', cardholderName: 'ANA SOUZA' };
  const expiry = { expirationMonth: '12', expirationYear: '39' };
  return (await asked(shop, '/v1/vaults/cards', { ...card, ...expiry }, gatewayToken)).vaultId;
}

export async function subscribe(
  shop: Shop,
  gatewayToken: string,
  { amount, trialDays }: { readonly amount: number; readonly trialDays: number },
): Promise<Enrolled> {
  const plan = { name: 'Clube', description: 'Um livro por mês', amount, planType: 'Monthly', trialDays };
  const planId = await asked(shop, '/v1/recurrences/plans', { ...plan, paymentMethod: 'CreditCard' });
  const vaultId = await stored(shop, gatewayToken);
  const subscriptionId = await asked(shop, SUBSCRIPTIONS, { planId, vaultId, orderNumber: 'P-1' });
  return { planId, subscriptionId };
}

/** A payment or a cancel with its key, as it was sent and as it is sent again. */
export type Keyed = { readonly path: string; readonly body: object; readonly key: string };

export function send(shop: Shop, { path, body, key }: Keyed): Promise<Reply> {
  const headers = { 'idempotency-key': key };
  return call(shop.gatewayUrl, path, { token: shop.token, body, headers, timeoutMilliseconds: 60_000 });
}

/** No service of ours has asked for it. */
export async function authorizeThere(
  simulatorUrl: string,
  ofMerchant: string,
  amount: number,
  {
    reference = randomUUID() as string,
    number = TEST_CARD,
    outcome = 'approved',
    ofBilling = null as string | null,
  } = {},
): Promise<void> {
  const answer = await fetch(`${simulatorUrl}/authorizations`, {
    method: 'POST',
    body: JSON.stringify({
      ...{
        reference,
        merchantId: ofMerchant,
        merchantReference: ofBilling ?? 'LATE',
        amount,
        installments: 1,
      },
      ...{ initiator: ofBilling === null ? 'cardholder' : 'merchant', networkTransactionId: null },
      storedCard: ofBilling === null ? null : 'first',
      card: {
        ...{ number, brand: 'mastercard', holderName: 'ANA SOUZA' },
        securityCode: ofBilling === null ? '123' : null,
        ...{ expirationMonth: '12', expirationYear: '39' },
      },
    }),
  });
  const said = (await answer.json()) as { readonly outcome: string };
  assert.equal(said.outcome, outcome, JSON.stringify(said));
}

/** Nor for that. */
export async function cancelThere(
  simulatorUrl: string,
  merchantId: string,
  reference: string,
  amount: number,
): Promise<void> {
  const asked = { cancellationReference: randomUUID(), reference, merchantId, amount };
  const answer = await fetch(`${simulatorUrl}/cancellations`, {
    method: 'POST',
    body: JSON.stringify({ ...asked, requestedAt: new Date().toISOString() }),
  });
  assert.equal(((await answer.json()) as { outcome: string }).outcome, 'canceled');
}

/** The acquirer's own books. */
export async function ledgerOf(simulatorUrl: string, merchantId: string): Promise<Record<string, unknown>[]> {
  const query = new URLSearchParams({ merchantId, limit: '1000' });
  const answer = await fetch(`${simulatorUrl}/ledger?${query}`);
  return ((await answer.json()) as { items: Record<string, unknown>[] }).items;
}
