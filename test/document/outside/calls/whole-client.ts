import {
  cancelPayment,
  createPayment,
  createPlan,
  createSubscription,
  getPayment,
  getSubscription,
  logInGateway,
  type PaymentAuthorization,
  storeVaultCard,
  tokenizeCard,
} from './generated/client/index.js';
import { CARD, expect, GIVEN, good, PLAN, saleWith, TOKENIZED } from './given.js';

const at = { baseUrl: GIVEN.url };

async function bearer(body: { userName: string; password: string }) {
  const { accessToken } = good('login', await logInGateway({ ...at, body }));
  return { ...at, auth: accessToken ?? '' };
}

const gateway = await bearer(GIVEN.gateway);
const recurrence = await bearer(GIVEN.recurrence);
const [token] = good('token', await tokenizeCard({ ...gateway, body: TOKENIZED }));
const { numberToken } = token ?? { numberToken: '' };
const { vaultId } = good('card', await storeVaultCard({ ...gateway, body: { ...CARD, numberToken } }));
const sold = good('sale', await createPayment({ ...gateway, body: saleWith(vaultId) }));
const payment: PaymentAuthorization = sold.paymentAuthorization;
const path = { paymentId: payment.paymentId };
const canceled = good('cancel', await cancelPayment({ ...gateway, path, body: { amount: 1_000 } }));
expect('canceled', canceled.amount, 1_000);
const read = good('payment', await getPayment({ ...gateway, path }));
expect('cancels', 'cancels' in read && read.cancels?.[0]?.amount, 1_000);
const planId = good('plan', await createPlan({ ...recurrence, body: PLAN }));
const body = { planId, vaultId, orderNumber: 'P-1' };
const enrolled = good('subscription', await createSubscription({ ...recurrence, body }));
const subscriptionId = typeof enrolled === 'string' ? enrolled : enrolled.id;
const subscription = good('subscription', await getSubscription({ ...recurrence, path: { subscriptionId } }));
expect('plan', subscription.plan.id, planId);
