import {
  logIn,
  moveClock,
  openBilling,
  type Shop,
  showBilling,
  showBillings,
  showSubscription,
  storeCard,
  type TourCard,
  triggerCard,
} from './shop.ts';
import { showTimeline } from './timeline.ts';
import type { Billing, Delivery, Page } from './wire.ts';

const PLAN = {
  name: 'Clube do Livro',
  description: 'Um livro por mês',
  amount: 49.9,
  planType: 'Monthly',
  trialDays: 10,
  paymentMethod: 'CreditCard',
  attempts: 4,
};
/** Always approved. */
const GOOD_CARD: TourCard = { number: '5155901222280001', brand: 'mastercard' };
/** The first try and four retries. */
const MOST_TRIES = 5;

/**
 * From the plan to a blocked subscription, by the clock of the demo merchant; whatever is refused
 * on the way is thrown.
 */
export async function reportStory(shop: Shop): Promise<void> {
  await beNotified(shop);
  const subscriptionId = await enrol(shop);
  await endTrial(shop, subscriptionId);
  await payMonth(shop, subscriptionId);
  await lackFunds(shop, subscriptionId);
  await loseCard(shop, subscriptionId);
  await showTimeline(shop, subscriptionId);
}

async function beNotified(shop: Shop): Promise<void> {
  const { client, demo, listener, screen } = shop;
  screen.chapter('Logging in, and saying where to be told');
  screen.say(
    'Three credentials: for cards, for recurring billing, and for the Other APIs. A secret signs what you are told.',
    'The endpoint that is registered here is down, as happens.',
  );
  await logIn(shop);
  const account = `accountNumber=${demo.accountNumber}`;
  const { secret } = await client.call<{ secret: string }>(`/api/webhooks/secret?${account}`, {
    as: 'integration',
    method: 'POST',
    show: () => ({ secret: 'whsec_…' }),
  });
  listener.know(secret);
  await client.call(`/api/webhooks/subscriptions?${account}`, {
    as: 'integration',
    body: { url: listener.webhookUrl },
  });
  await client.call('/v1/recurrences/merchantnotifier', {
    as: 'recurrence',
    body: {
      merchantId: demo.merchantId,
      name: 'Cobranças',
      description: 'Avisa o time de cobrança',
      callbackUrl: listener.noticesUrl,
    },
  });
}

async function enrol(shop: Shop): Promise<string> {
  const { client, screen } = shop;
  screen.chapter('A plan, a stored card, a subscription');
  const planId = await client.call<string>('/v1/recurrences/plans', { as: 'recurrence', body: PLAN });
  type Planned = { installment: number; expireAt: string; retriesOn: string[] };
  await client.call<Page<Planned>>(`/v1/recurrences/plans/${planId}/calendar?count=1`, {
    as: 'recurrence',
    show: ({ items }) =>
      items.map(({ installment, expireAt, retriesOn }) => ({ installment, expireAt, retriesOn })),
  });
  const vaultId = await storeCard(shop, GOOD_CARD);
  const subscriptionId = await client.call<string>('/v1/recurrences/subscriptions', {
    as: 'recurrence',
    body: { planId, vaultId, orderNumber: 'P-1001' },
  });
  await showBillings(shop, subscriptionId);
  return subscriptionId;
}

async function endTrial(shop: Shop, subscriptionId: string): Promise<void> {
  const { listener, screen } = shop;
  screen.chapter('The trial is over: the first charge, and an endpoint that is down for six hours');
  const first = await openBilling(shop, subscriptionId);
  await moveClock(shop, at(first, '06:00'));
  await showBilling(shop, first.id);
  const waiting = await showWaiting(shop);
  const [reported] = waiting.items;
  screen.say(
    `The endpoint was called ${listener.missed()} times in vain. Now it is up: the next try delivers.`,
  );
  listener.setUp(true);
  await moveClock(shop, reported?.nextTryAt?.slice(0, 23) ?? at(first, '12:00'));
  await showWaiting(shop);
}

async function payMonth(shop: Shop, subscriptionId: string): Promise<void> {
  shop.screen.chapter('A month later: the next charge, and the acquirer pays the first');
  const billing = await openBilling(shop, subscriptionId);
  await moveClock(shop, at(billing, '06:00'));
  await showBilling(shop, billing.id);
  shop.screen.say("What the acquirer has booked, from its own ledger: the billing's id is the reference.");
  await shop.client.call<{ initiator: string }[]>(`/homologation/acquirer/charges?reference=${billing.id}`, {
    as: 'gateway',
  });
}

async function lackFunds(shop: Shop, subscriptionId: string): Promise<void> {
  shop.screen.chapter('A month without funds: tried again after 2, 2 and 4 days');
  shop.screen.say("The customer brings another card. The simulator's is one that lacks funds three times.");
  await changeCard(shop, subscriptionId, await triggerCard('visa-declines-3'));
  let billing = await openBilling(shop, subscriptionId);
  for (let tries = 0; tries < MOST_TRIES && billing.status === 'Opened'; tries += 1) {
    await moveClock(shop, at(billing, '06:00'));
    billing = await showBilling(shop, billing.id);
  }
}

async function loseCard(shop: Shop, subscriptionId: string): Promise<void> {
  shop.screen.chapter('A canceled card: it pays one month, then the issuer has canceled it');
  await changeCard(shop, subscriptionId, await triggerCard('visa-canceled-after-approval'));
  for (let months = 0; months < 2; months += 1) {
    const billing = await openBilling(shop, subscriptionId);
    await moveClock(shop, at(billing, '06:00'));
    await showBilling(shop, billing.id);
  }
  shop.screen.say('Only a lack of funds is tried again. A blocked subscription has nothing open any more:');
  await showSubscription(shop, subscriptionId);
  await showBillings(shop, subscriptionId);
  shop.screen.say('All that was to be told was told:');
  await showWaiting(shop);
  await showDelivered(shop);
}

async function changeCard(shop: Shop, subscriptionId: string, card: TourCard): Promise<void> {
  const vaultId = await storeCard(shop, card);
  await shop.client.call(`/v1/recurrences/subscriptions/${subscriptionId}/vault`, {
    as: 'recurrence',
    body: { vaultId },
  });
}

/** So late on the day of its next charge. */
function at({ nextChargeOn }: Billing, time: string): string {
  if (nextChargeOn === undefined) throw new Error('the billing is not charged any more');
  return `${nextChargeOn}T${time}:00`;
}

function showWaiting({ client, demo }: Shop): Promise<Page<Delivery>> {
  return client.call<Page<Delivery>>(deliveriesPath(demo, 'Waiting'), {
    as: 'integration',
    show: ({ total, items }) => ({
      total,
      items: items.map(({ kind, tries, nextTryAt }) => ({ kind, tries, nextTryAt })),
    }),
  });
}

async function showDelivered({ client, demo }: Shop): Promise<void> {
  await client.call<Page<Delivery>>(deliveriesPath(demo, 'Delivered'), {
    as: 'integration',
    show: ({ total, items }) => ({
      total,
      triedOnce: items.filter(({ tries }) => tries === 1).length,
      triedMoreOften: items.filter(({ tries }) => tries > 1).map(({ kind, tries }) => ({ kind, tries })),
    }),
  });
}

function deliveriesPath({ accountNumber }: Shop['demo'], status: string): string {
  return `/api/webhooks/deliveries?accountNumber=${accountNumber}&status=${status}&limit=100`;
}
