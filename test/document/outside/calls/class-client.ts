import { Api, type PaymentAuthorization } from './generated/class-client.js';
import { CARD, expect, GIVEN, PLAN, saleWith, TOKENIZED } from './given.js';

async function apiFor(login: { userName: string; password: string }) {
  const api = new Api<string>({
    baseUrl: GIVEN.url,
    securityWorker: (token) => (token === null ? {} : { headers: { Authorization: `Bearer ${token}` } }),
  });
  const { data } = await api.api.logInGateway(login);
  api.setSecurityData(data.accessToken);
  return api;
}

const gateway = await apiFor(GIVEN.gateway);
const recurrence = await apiFor(GIVEN.recurrence);
const [token] = (await gateway.v1.tokenizeCard(TOKENIZED)).data;
const { numberToken } = token ?? { numberToken: '' };
const { vaultId } = (await gateway.v1.storeVaultCard({ ...CARD, numberToken })).data;
const sold = (await gateway.v1.createPayment(saleWith(vaultId))).data;
const payment: PaymentAuthorization = sold.paymentAuthorization;
const canceled = await gateway.v1.cancelPayment(payment.paymentId, { amount: 1_000 });
expect('canceled', canceled.data.amount, 1_000);
const read = await gateway.v1.getPayment(payment.paymentId);
expect('cancels', 'cancels' in read.data && read.data.cancels?.[0]?.amount, 1_000);
const planId = (await recurrence.v1.createPlan(PLAN)).data;
const enrolled = (await recurrence.v1.createSubscription({ planId, vaultId, orderNumber: 'P-1' })).data;
const subscriptionId = typeof enrolled === 'string' ? enrolled : enrolled.id;
const subscription = (await recurrence.v1.getSubscription(subscriptionId)).data;
expect('plan', subscription.plan.id, planId);
