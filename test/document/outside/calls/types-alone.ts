import createClient from 'openapi-fetch';
import type { components, paths } from './generated/types.js';
import { CARD, expect, GIVEN, good, PLAN, saleWith, TOKENIZED } from './given.js';

const client = createClient<paths>({ baseUrl: GIVEN.url });

async function bearer(body: components['schemas']['LoginRequest']) {
  const { accessToken } = good('login', await client.POST('/api/auth/token', { body }));
  return { headers: { Authorization: `Bearer ${accessToken}` } };
}

const gateway = await bearer(GIVEN.gateway);
const recurrence = await bearer(GIVEN.recurrence);
const [token] = good('token', await client.POST('/v1/cards/tokenization', { ...gateway, body: TOKENIZED }));
const { numberToken } = token ?? { numberToken: '' };
const { vaultId } = good(
  'card',
  await client.POST('/v1/vaults/cards', { ...gateway, body: { ...CARD, numberToken } }),
);
const sold = good('sale', await client.POST('/v1/payments', { ...gateway, body: saleWith(vaultId) }));
const payment: components['schemas']['PaymentAuthorization'] = sold.paymentAuthorization;
const path = { paymentId: payment.paymentId };
const canceled = good(
  'cancel',
  await client.POST('/v1/payments/{paymentId}/cancel', {
    ...gateway,
    params: { path },
    body: { amount: 1_000 },
  }),
);
expect('canceled', canceled.amount, 1_000);
const read = good('payment', await client.GET('/v1/payments/{paymentId}', { ...gateway, params: { path } }));
expect('cancels', 'cancels' in read && read.cancels?.[0]?.amount, 1_000);
const planId = good('plan', await client.POST('/v1/recurrences/plans', { ...recurrence, body: PLAN }));
const body = { planId, vaultId, orderNumber: 'P-1' };
const enrolled = good(
  'subscription',
  await client.POST('/v1/recurrences/subscriptions', { ...recurrence, body }),
);
const subscriptionId = typeof enrolled === 'string' ? enrolled : enrolled.id;
const subscription = good(
  'subscription',
  await client.GET('/v1/recurrences/subscriptions/{subscriptionId}', {
    ...recurrence,
    params: { path: { subscriptionId } },
  }),
);
expect('plan', subscription.plan.id, planId);
