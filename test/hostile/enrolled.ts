import { randomUUID } from 'node:crypto';
import { call, tokenize } from '../kit/merchant.ts';
import type { Auditor } from '../kit/service.ts';
import { plantBilling, plantSubscription } from '../recurrence/billing-rows.ts';
import type { Shop } from './hostile-service.ts';

/** What stores a card, its token made just now. */
export async function cardToStore(shop: Shop): Promise<Record<string, unknown>> {
  return {
    numberToken: await tokenize(shop.url, shop.tokens.gateway),
    brand: 'mastercard',
    cardholderName: 'ANA SOUZA',
    expirationMonth: '12',
    expirationYear: '39',
    verifyCard: true,
    securityCode: '123',
  };
}

/** A card in the vault of the shop, stored just now. */
export async function storeCard(shop: Shop): Promise<string> {
  const body = await cardToStore(shop);
  const reply = await call(shop.url, '/v1/vaults/cards', { token: shop.tokens.gateway, body });
  if (reply.status !== 200) throw new Error(`the card was answered ${reply.status}: ${reply.text}`);
  return reply.body.vaultId as string;
}

/** Every field that a plan has. */
export const planToCreate = ({ merchantId }: Shop): Record<string, unknown> => ({
  merchantId,
  name: `Clube do Livro ${randomUUID().slice(0, 8)}`,
  description: 'Um livro por mês',
  amount: 49.9,
  planType: 'Custom',
  trialDays: 10,
  paymentMethod: 'CreditCard',
  interval: 45,
  installments: 12,
  attempts: 4,
});

/** A plan of the shop, Active, in which nobody is enrolled. */
export async function createPlan(shop: Shop): Promise<string> {
  const body = planToCreate(shop);
  const reply = await call(shop.url, '/v1/recurrences/plans', { token: shop.tokens.recurrence, body });
  if (reply.status !== 200) throw new Error(`the plan was answered ${reply.status}: ${reply.text}`);
  return reply.body as string;
}

/** A plan that is looked at, and in which anybody may enrol: it stays as it is. */
export const knownPlan = (shop: Shop): Promise<string> => shop.once('plan', () => createPlan(shop));

/** A card that stays in the vault. */
export const knownVaultCard = (shop: Shop): Promise<string> => shop.once('vaultCard', () => storeCard(shop));

/** Every field that the customer of a subscription has. */
export const CUSTOMER = {
  name: 'Ana Souza',
  email: 'ana@loja.example',
  documentNumber: '52998224725',
  phone: '+55 11 99999-0000',
};

export async function subscriptionToCreate(shop: Shop): Promise<Record<string, unknown>> {
  return {
    vaultId: await knownVaultCard(shop),
    orderNumber: 'P-1001',
    planId: await knownPlan(shop),
    customer: CUSTOMER,
  };
}

/** A subscription of the shop, made just now. */
export async function newSubscription(shop: Shop): Promise<string> {
  const { url, tokens } = shop;
  const body = await subscriptionToCreate(shop);
  const reply = await call(url, '/v1/recurrences/subscriptions', { token: tokens.recurrence, body });
  if (reply.status !== 200) throw new Error(`the subscription was answered ${reply.status}: ${reply.text}`);
  return reply.body as string;
}

/** A stored card that pays a subscription. */
export async function subscribedCard(shop: Shop): Promise<string> {
  await knownSubscription(shop);
  return knownVaultCard(shop);
}

export const knownSubscription = (shop: Shop): Promise<string> =>
  shop.once('subscription', () => newSubscription(shop));

/** A billing of the shop that waits for its day, in a subscription of its own. */
export async function openBilling(shop: Shop): Promise<string> {
  return plantBilling(shop, (await plantSubscription(shop)).subscriptionId);
}

/** A billing that failed for good, in a subscription of its own: charged by hand it is paid. */
export async function deniedBilling(shop: Shop): Promise<string> {
  const subscriptionId = await newSubscription(shop);
  const [billing] = await shop.auditor.query(
    `update billings set state = 'denied', charge_on = null where merchant_id = $1 and subscription_id = $2
     returning billing_id`,
    [shop.merchantId, subscriptionId],
  );
  return billing?.billing_id as string;
}

/** A billing that failed and was charged by hand then. */
export async function chargedBilling(shop: Shop): Promise<string> {
  const billingId = await deniedBilling(shop);
  const path = `/v1/recurrences/billing/${billingId}/charge`;
  const reply = await call(shop.url, path, { method: 'POST', token: shop.tokens.recurrence });
  if (reply.status !== 200) throw new Error(`the charge was answered ${reply.status}: ${reply.text}`);
  return billingId;
}

export const knownBilling = (shop: Shop): Promise<string> => shop.once('billing', () => openBilling(shop));

/**
 * Every field that a notifier has. Another one takes its place (`endEarlierAlertEndpoints`), save
 * that of the known one.
 */
export const alertEndpointToRegister = (
  { merchantId, listenerUrl }: Shop,
  name = 'Passageiro',
): Record<string, unknown> => ({
  merchantId,
  name,
  description: 'Avisa a loja',
  callbackUrl: `${listenerUrl}/avisos`,
  events: ['failed', 'paid', 'upcoming'],
});

/** Twenty notifiers are active at most, and thousands of attacks register one: each ends those before it. */
export async function endEarlierAlertEndpoints(auditor: Auditor): Promise<void> {
  await auditor.query(`
    create function end_earlier_alert_endpoints() returns trigger language plpgsql as $$
    begin
      update webhook_endpoints set state = 'removed' where merchant_id = new.merchant_id and kind = 'alerts' and name <> 'Conhecido';
      return new;
    end $$`);
  await auditor.query(
    'create trigger ends_earlier before insert on webhook_endpoints for each row when (new.name is not null) execute function end_earlier_alert_endpoints()',
  );
}

/** A notifier of the shop, registered just now. */
export async function newAlertEndpoint(shop: Shop, name?: string): Promise<string> {
  const { url, tokens } = shop;
  const body = alertEndpointToRegister(shop, name);
  const reply = await call(url, '/v1/recurrences/merchantnotifier', { token: tokens.recurrence, body });
  if (reply.status !== 200) throw new Error(`the notifier was answered ${reply.status}: ${reply.text}`);
  return reply.body as string;
}

/** One that stays Active. */
export const knownAlertEndpoint = (shop: Shop): Promise<string> =>
  shop.once('notifier', () => newAlertEndpoint(shop, 'Conhecido'));

export async function issuedCode({ url, tokens }: Shop): Promise<string> {
  const reply = await call(url, '/v1/antifraud/sessions', { method: 'POST', token: tokens.gateway });
  if (reply.status !== 200) throw new Error(`the code was answered ${reply.status}: ${reply.text}`);
  return reply.body.codeAntiFraud as string;
}
