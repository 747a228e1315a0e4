import { readFile } from 'node:fs/promises';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import type { Client } from './client.ts';
import type { Listener, Received } from './listener.ts';
import type { Screen } from './screen.ts';
import { type Billing, type Clock, chargesOf, minuteOf, type Page, type Subscription } from './wire.ts';

const TRIGGER_CARDS = new URL('../../simulators/kit/cards/trigger-cards.json', import.meta.url);

/** A merchant on its tour: what it does, step by step, and its notifications so far. */
export type Shop = {
  readonly demo: Demo;
  readonly client: Client;
  readonly screen: Screen;
  readonly listener: Listener;
  readonly reported: Received[];
};

export type TourCard = { readonly number: string; readonly brand: string };

/** A card of the simulator that behaves as its name says. */
export async function triggerCard(name: string): Promise<TourCard> {
  const cards = JSON.parse(await readFile(TRIGGER_CARDS, 'utf8')) as (TourCard & { name: string })[];
  const found = cards.find((card) => card.name === name);
  if (found === undefined) throw new Error(`the simulator has no card ${name}`);
  return found;
}

const LOGIN_PATHS = {
  gateway: '/api/auth/token',
  recurrence: '/api/auth/token',
  integration: '/api/authentication/login',
} as const;

export async function logIn({ client, demo }: Shop): Promise<void> {
  for (const as of ['gateway', 'recurrence', 'integration'] as const) {
    const login = demo[as];
    const { accessToken } = await client.call<{ accessToken: string }>(LOGIN_PATHS[as], {
      as: null,
      body: login,
      secrets: [login.password],
      show: () => ({ accessToken: '…' }),
    });
    client.know(as, accessToken);
  }
}

/** Gives the vaultId of the stored card. */
export async function storeCard({ client }: Shop, { number, brand }: TourCard): Promise<string> {
  const [token] = await client.call<{ numberToken: string }[]>('/v1/cards/tokenization', {
    as: 'gateway',
    body: { cardNumber: number },
  });
  const card = { brand, cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };
  const { vaultId } = await client.call<{ vaultId: string }>('/v1/vaults/cards', {
    as: 'gateway',
    body: { numberToken: token?.numberToken, ...card },
    show: (stored) => ({ vaultId: stored.vaultId }),
  });
  return vaultId;
}

/** Moves the merchant's clock, and shows its endpoint's notifications on the way. */
export async function moveClock(shop: Shop, to: string): Promise<void> {
  await shop.client.call<Clock>('/homologation/clock', { as: 'recurrence', body: { to } });
  showNews(shop);
}

function showNews({ listener, screen, reported }: Shop): void {
  for (const received of listener.news()) {
    reported.push(received);
    screen.reported(lineOfReceived(received));
  }
}

function lineOfReceived(received: Received): string {
  const signed = received.isGenuine ? 'signature good' : 'SIGNATURE WRONG';
  if (received.kind === 'notice') {
    const { installment, attempt, returnCode, description, nextAttemptOn, status } = received.body;
    return `notice: billing ${installment}, attempt ${attempt}, ${returnCode} ${description}, next try ${nextAttemptOn ?? 'none'}, ${status} (${signed})`;
  }
  const { movementId, nsu, codAuth, installmentNumber, moment, type, oldValue, newValue } = received.body;
  const change = oldValue === '' ? newValue : `${oldValue} -> ${newValue}`;
  return `webhook: ${minuteOf(moment)} ${type} ${change}, movement ${movementId}, nsu ${nsu}, auth ${codAuth}, installment ${installmentNumber} (${signed})`;
}

/** All billings of a subscription, the first one first. */
export function billingsPath(subscriptionId: string): string {
  return `/v1/recurrences/billing?subscriptionId=${subscriptionId}&orderBy=installment`;
}

export async function showBillings({ client }: Shop, subscriptionId: string): Promise<readonly Billing[]> {
  const { items } = await client.call<Page<Billing>>(billingsPath(subscriptionId), {
    as: 'recurrence',
    show: (page) =>
      page.items.map(({ installment, expireAt, status }) => ({ installment, expireAt, status })),
  });
  return items;
}

/** The billing as it is now; shows its last charge. */
export function showBilling({ client }: Shop, billingId: string): Promise<Billing> {
  return client.call<Billing>(`/v1/recurrences/billing/${billingId}`, {
    as: 'recurrence',
    show(billing) {
      const last = chargesOf(billing).at(-1);
      const { installment, status, expireAt, nextChargeOn } = billing;
      if (last === undefined) return { installment, status, expireAt, nextChargeOn };
      const { at, attempt, outcome, code, rule } = last;
      return { installment, status, nextChargeOn, last: { at, attempt, outcome, code, rule } };
    },
  });
}

/** The one that lies ahead. */
export async function openBilling({ client }: Shop, subscriptionId: string): Promise<Billing> {
  const page = await client.read<Page<Billing>>(
    `${billingsPath(subscriptionId)}&status=Opened`,
    'recurrence',
  );
  const found = page.items[0];
  if (found === undefined) throw new Error('the subscription has no open billing');
  return client.read<Billing>(`/v1/recurrences/billing/${found.id}`, 'recurrence');
}

export function showSubscription({ client }: Shop, subscriptionId: string): Promise<Subscription> {
  return client.call<Subscription>(`/v1/recurrences/subscriptions/${subscriptionId}`, {
    as: 'recurrence',
    show: ({ status, statusReason, timeline }) => ({ status, statusReason, last: timeline.at(-1) }),
  });
}
