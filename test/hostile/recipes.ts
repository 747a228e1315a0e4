import { randomUUID } from 'node:crypto';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import { call, logIn, paymentRequest, TEST_CARD } from '../kit/merchant.ts';
import { ENDPOINTS } from '../published.ts';
import { plantDelivery, plantEndpoint } from '../webhooks/history-service.ts';
import { BOLETO_RECIPES } from './billed.ts';
import { type JsonTree, treeOf } from './cases/json-tree.ts';
import {
  alertEndpointToRegister,
  CUSTOMER,
  cardToStore,
  createPlan,
  deniedBilling,
  knownAlertEndpoint,
  knownBilling,
  knownPlan,
  knownSubscription,
  knownVaultCard,
  newAlertEndpoint,
  newSubscription,
  openBilling,
  planToCreate,
  storeCard,
  subscriptionToCreate,
} from './enrolled.ts';
import { type Shop, strangeAddress } from './hostile-service.ts';
import { FIELDS_RECIPES, LINK_RECIPES, SUBSCRIBER_PAGE_RECIPES } from './linked.ts';
import { PIX_RECIPES, partToGiveBack, pixSearch } from './pix-charged.ts';
import { RECONCILED, type Recipe, today, webhookOf } from './reconciled.ts';
import {
  AMOUNT,
  authorizedPayment,
  encryptedCardOf,
  encryptedPayment,
  knownPayment,
  newPayment,
  wholePayment,
} from './sold.ts';
import type { WireRequest } from './wire.ts';

export const knownNsu = (shop: Shop): string => `${shop.accountNumber}000042`;

/** A delivery that is over. Its endpoint is held, so that none is sent while its row is watched. */
export async function endedDelivery(shop: Shop): Promise<string> {
  const endpoint = 'origin:https://historico.example';
  await plantEndpoint(shop, shop.accountNumber, '', { endpoint, url: null, state: 'disabled' });
  return plantDelivery(shop, shop.accountNumber, {
    kind: 'callback',
    endpoint,
    url: 'https://historico.example/retorno',
    nsu: knownNsu(shop),
  });
}

const knownDelivery = (shop: Shop): Promise<string> => shop.once('delivery', () => endedDelivery(shop));

export async function registerWebhook(shop: Shop, accountNumber: string): Promise<void> {
  const { url, tokens } = shop;
  const path = `/api/webhooks/subscriptions?accountNumber=${accountNumber}`;
  const reply = await call(url, path, { token: tokens.integration, body: webhookOf(shop) });
  if (reply.status !== 200) throw new Error(`the webhook was answered ${reply.status}: ${reply.text}`);
}

const login =
  (scope: 'gateway' | 'integration'): Recipe =>
  async ({
    logins: {
      [scope]: { userName, password },
    },
  }) => ({
    body: { userName, password },
    headers: { 'x-forwarded-for': strangeAddress() },
  });

const nothing: Recipe = async () => ({});

/** Some of what is tried captures it. */
const captureOfItsOwn: Recipe = async (shop) => ({
  parameters: { paymentId: (await authorizedPayment(shop)).paymentId },
  body: { amount: AMOUNT },
});

/** A little further than the shop's clock stands: the request takes less time than that. */
async function littleAheadOf({ url, tokens }: Shop): Promise<string> {
  const { body } = await call(url, '/homologation/clock', { token: tokens.gateway });
  return new Date(Date.parse(`${body.now}Z`) + 5_000).toISOString().slice(0, -1);
}
/** Its own: some of what is tried removes it. */
const registeredAccount: Recipe = async (shop) => {
  const accountNumber = shop.nextAccount();
  await registerWebhook(shop, accountNumber);
  return { query: { accountNumber } };
};

/**
 * A valid request of each endpoint, by its id; an endpoint whose card can come in several ways has several
 * recipes. A new endpoint needs one here: everything else in this folder follows from its schemas.
 */
export const RECIPES: Readonly<Record<string, readonly Recipe[]>> = {
  logInGateway: [login('gateway')],
  logInIntegration: [login('integration')],
  logOut: [async (shop) => ({ token: await logIn(shop.url, shop.logins.gateway) })],
  getCardPublicKey: [nothing],
  tokenizeCard: [
    async () => ({ body: { cardNumber: TEST_CARD } }),
    async (shop) => ({ body: { encryptedCard: await encryptedCardOf(shop) } }),
  ],
  createPayment: [
    async (shop) => ({ body: await wholePayment(shop) }),
    async (shop) => ({ body: await encryptedPayment(shop) }),
    async (shop) => ({
      body: paymentRequest('', AMOUNT, { cardInfo: { vaultId: await knownVaultCard(shop) } }),
    }),
  ],
  storeVaultCard: [
    async (shop) => ({ body: await cardToStore(shop) }),
    async (shop) => ({ body: { encryptedCard: await encryptedCardOf(shop), cardholderName: 'ANA SOUZA' } }),
  ],
  createAntiFraudCode: [
    async () => ({ body: { ipAddress: '203.0.113.7', deviceId: `aparelho-${randomUUID()}` } }),
  ],
  listVaultCards: [
    async (shop) => {
      await knownVaultCard(shop);
      const page = { orderBy: 'vaultId desc', page: '1', limit: '20' };
      return { query: { lastFour: TEST_CARD.slice(-4), ...page } };
    },
  ],
  getVaultCard: [async (shop) => ({ parameters: { vaultId: await knownVaultCard(shop) } })],
  deleteVaultCard: [async (shop) => ({ parameters: { vaultId: await storeCard(shop) } })],
  cancelPayment: [
    async (shop) => ({
      // Its own: some of what is tried gives all of it back.
      parameters: { paymentId: (await newPayment(shop)).paymentId },
      body: { amount: 1 },
    }),
    partToGiveBack,
  ],
  capturePayment: [captureOfItsOwn],
  listPayments: [
    async (shop) => {
      const { referenceTransaction } = await knownPayment(shop);
      const days = { dateRangeStartDate: today(), dateRangeEndDate: today() };
      const page = { orderBy: 'value desc', page: '1', limit: '20' };
      const filter = { status: 'Autorizada', lastFour: TEST_CARD.slice(-4) };
      // Beside a reference each day may be left out.
      return { query: { referenceTransaction, ...filter, ...days, ...page } };
    },
    async (shop) => {
      const { referenceTransaction, nsu, authorizationCode } = await knownPayment(shop);
      const stored = { vaultId: await knownVaultCard(shop), billingId: await knownBilling(shop) };
      return { query: { referenceTransaction, nsu, authorizationCode, ...stored } };
    },
    async (shop) => ({ query: await pixSearch(shop) }),
  ],
  listMovements: [
    async (shop) => {
      await knownPayment(shop);
      return { query: { accountNumber: shop.accountNumber, after: '0', limit: '20' } };
    },
  ],
  ...RECONCILED,
  listIssuerCodes: [async () => ({ query: { brand: 'visa', code: '51' } })],
  getPayment: [
    async (shop) => ({
      parameters: { paymentId: (await knownPayment(shop)).paymentId },
      query: { splitPage: '1' },
    }),
  ],
  listAcquirerCharges: [
    async (shop) => {
      const { paymentId, referenceTransaction } = await knownPayment(shop);
      return { query: { reference: referenceTransaction, paymentId } };
    },
  ],
  // Of a day that is over by any clock.
  readAcquirerFile: [
    async () => ({ query: { format: 'adiq', day: '2026-01-02', fault: 'brokenTrailer', row: '1' } }),
  ],
  listBankBoletos: [nothing, async () => ({ query: { ourNumber: '00000001234' } })],
  readReturnFile: [async () => ({ query: { day: '2026-01-02', fault: 'brokenTrailer' } })],
  listTrialCards: [nothing],
  readAcquirerScript: [nothing],
  // One that changes little: charges and cancels of other recipes meet it.
  changeAcquirerScript: [
    async () => ({
      body: {
        steps: [{ outcome: 'approved', delayMilliseconds: 0, undoRefusals: 0, notFoundTimes: 0 }],
        cancels: [{ afterDays: 0, fails: false }],
      },
    }),
  ],
  // Never by days: two years are soon gone.
  advanceTestClock: [async (shop) => ({ body: { to: await littleAheadOf(shop) } })],
  readTestClock: [nothing],
  forceTransactionEvent: [
    async (shop) => ({
      // Its own: what happens to it happens once.
      parameters: { paymentId: (await newPayment(shop)).paymentId },
      body: { type: 'settle', installmentNumber: 1 },
    }),
  ],
  setWebhookAuth: [
    async (shop) => {
      await registerWebhook(shop, shop.accountNumber);
      return { body: { basic: webhookOf(shop).basicAuth } };
    },
  ],
  sendTestNotification: [
    async (shop) => {
      await registerWebhook(shop, shop.accountNumber);
      return { query: { accountNumber: shop.accountNumber } };
    },
  ],
  listWebhookDeliveries: [
    async (shop) => {
      await knownDelivery(shop);
      const { accountNumber } = shop;
      const days = { from: today(), to: today() };
      const page = { orderBy: 'tries desc', page: '1', limit: '20' };
      return { query: { accountNumber, status: 'Delivered', nsu: knownNsu(shop), ...days, ...page } };
    },
  ],
  getWebhookDelivery: [async (shop) => ({ parameters: { deliveryId: await knownDelivery(shop) } })],
  resendWebhookDelivery: [async (shop) => ({ parameters: { deliveryId: await endedDelivery(shop) } })],
  resendWebhookDeliveries: [
    async ({ accountNumber }) => ({
      query: { accountNumber },
      body: {
        ...{ from: '2026-11-21T00:00:00-03:00', to: '2026-11-22T03:00:00.5Z' },
        ...{ status: 'GivenUp', after: 'g-1763730000123456-42' },
      },
    }),
  ],
  registerWebhook: [
    async (shop) => ({ query: { accountNumber: shop.accountNumber }, body: webhookOf(shop) }),
  ],
  getWebhook: [registeredAccount],
  deleteWebhook: [registeredAccount],
  createWebhookSecret: [registeredAccount],
  createPlan: [async (shop) => ({ body: planToCreate(shop) })],
  listPlans: [
    async (shop) => {
      await knownPlan(shop);
      const page = { orderBy: 'amount desc', page: '1', limit: '20' };
      return { query: { name: 'Clube', status: 'Active', ...page } };
    },
  ],
  getPlan: [async (shop) => ({ parameters: { planId: await knownPlan(shop) } })],
  updatePlan: [
    // Their own, with the amount that they have: only that of an Active plan cannot change.
    async (shop) => ({ parameters: { planId: await createPlan(shop) }, body: planToCreate(shop) }),
  ],
  changePlanStatus: [
    async (shop) => ({ parameters: { planId: await createPlan(shop) }, body: { status: 'Canceled' } }),
  ],
  getPlanCalendar: [
    async (shop) => ({
      parameters: { planId: await knownPlan(shop) },
      query: { startOn: '2027-01-31', count: '3' },
    }),
  ],
  listBillings: [
    async (shop) => {
      await knownBilling(shop);
      const from = { expirationDateRangeStartDate: '2026-12-01' };
      const range = { ...from, expirationDateRangeEndDate: '2026-12-31' };
      const page = { orderBy: 'amount desc', page: '1', limit: '20' };
      return { query: { mid: shop.merchantId, status: 'Opened', ...range, ...page } };
    },
    async (shop) => ({ query: { subscriptionId: await knownSubscription(shop) } }),
  ],
  getBilling: [async (shop) => ({ parameters: { billingId: await knownBilling(shop) } })],
  // Its own: some of what is tried cancels it.
  cancelBilling: [async (shop) => ({ parameters: { billingId: await openBilling(shop) } })],
  chargeBilling: [async (shop) => ({ parameters: { billingId: await deniedBilling(shop) } })],
  createSubscription: [async (shop) => ({ body: await subscriptionToCreate(shop) })],
  listSubscriptions: [
    async (shop) => {
      await knownSubscription(shop);
      const vaultId = await knownVaultCard(shop);
      const { name: _, phone: __, ...customer } = CUSTOMER;
      const filter = { planName: 'clube', status: 'Active', orderNumber: 'P-1001', vaultId, ...customer };
      return { query: { ...filter, orderBy: 'createdDate desc', page: '1', limit: '20' } };
    },
  ],
  getSubscription: [async (shop) => ({ parameters: { subscriptionId: await knownSubscription(shop) } })],
  changeSubscriptionStatus: [
    async (shop) => ({
      // Its own: some of what is tried cancels it.
      parameters: { subscriptionId: await newSubscription(shop) },
      body: { status: 'Canceled' },
    }),
  ],
  changeSubscriptionVault: [
    async (shop) => ({
      parameters: { subscriptionId: await knownSubscription(shop) },
      body: { vaultId: await knownVaultCard(shop) },
    }),
  ],
  changeSubscriptionCustomer: [
    async (shop) => ({ parameters: { subscriptionId: await knownSubscription(shop) }, body: CUSTOMER }),
  ],
  ...BOLETO_RECIPES,
  ...PIX_RECIPES,
  ...FIELDS_RECIPES,
  ...LINK_RECIPES,
  ...SUBSCRIBER_PAGE_RECIPES,
  registerNotifier: [async (shop) => ({ body: alertEndpointToRegister(shop) })],
  listNotifiers: [
    async (shop) => {
      await knownAlertEndpoint(shop);
      const filter = { merchantId: shop.merchantId, name: 'conhec', status: 'Active' };
      return { query: { ...filter, orderBy: 'modifiedDate desc', page: '1', limit: '20' } };
    },
  ],
  changeNotifierStatus: [
    async (shop) => ({
      parameters: { notifierId: await newAlertEndpoint(shop) },
      body: { status: 'Inactive' },
    }),
  ],
  getLiveness: [nothing],
  getReadiness: [nothing],
  getOpenApi: [async () => ({ query: { lang: 'en' } })],
  getReferencePage: [async () => ({ query: { lang: 'pt' } })],
  getSecurityText: [nothing],
};

/** What must be added or taken away here so that recipes and endpoints are the same; empty when they are. */
export function recipeComplaints(endpoints: readonly Contract[] = ENDPOINTS): string[] {
  const ids = endpoints.map(({ id }) => id);
  const missing = endpoints
    .filter(({ id }) => !Object.hasOwn(RECIPES, id))
    .map(({ id, method, path }) => `RECIPES in test/hostile/recipes.ts lacks ${id} (${method} ${path})`);
  const idle = Object.keys(RECIPES)
    .filter((id) => !ids.includes(id))
    .map((id) => `RECIPES in test/hostile/recipes.ts has ${id}, which is no endpoint's id`);
  return [...missing, ...idle];
}

export function endpointOf(id: string): Contract {
  const found = ENDPOINTS.find((endpoint) => endpoint.id === id);
  if (found === undefined) throw new Error(`there is no endpoint ${id}`);
  return found;
}

/** What ends the token that it is called with is never called with one that others use. */
export const endsItsToken = ({ id }: Contract): boolean => id === 'logOut';

/** Null where it asks for none. */
export function tokenFor({ api, scope }: Contract, { tokens }: Shop): string | null {
  if (scope === null) return null;
  if (scope === 'any') return api === 'integration' ? tokens.integration : tokens.gateway;
  return tokens[scope];
}

/** A valid request, fresh: what it uses up (a card token) was used by nobody. */
export async function validRequest(endpoint: Contract, shop: Shop, variant = 0): Promise<WireRequest> {
  const recipes = RECIPES[endpoint.id] ?? [];
  const recipe = recipes[variant % recipes.length];
  if (recipe === undefined) throw new Error(recipeComplaints().join('\n'));
  const {
    parameters = {},
    query = {},
    body,
    headers = {},
    token = tokenFor(endpoint, shop),
  } = await recipe(shop);
  return {
    endpoint,
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, encodeURIComponent(value)]),
    ),
    query: Object.entries(query).map(([name, value]) => [name, encodeURIComponent(value)]),
    ...(body === undefined ? {} : { body: treeOf(body) as JsonTree }),
    token,
    headers,
  };
}
