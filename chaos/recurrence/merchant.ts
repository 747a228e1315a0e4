import type { Chance } from '../chance.ts';
import { DEADLINE_MILLISECONDS } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import type { Answered } from '../log.ts';
import { callGateway } from '../merchant-client.ts';
import type { ChargingShop, ShopCall } from './chaos-merchant.ts';
import { pause } from './patience.ts';

const PATH = '/v1/recurrences';
/**
 * Longer than the deadline of a request: what is answered at its very end is heard. A service that
 * stands still answers nobody.
 */
const CALL_MILLISECONDS = DEADLINE_MILLISECONDS + 5_000;
/** A jump is asked for again at another service. */
const JUMP_MILLISECONDS = 6_000;
/** A 503 asks for another try: so often it gets one. */
const MOST_REPETITIONS = 4;
const LONGEST_RETRY_AFTER_SECONDS = 2;

type Wanted = Pick<ShopCall, 'what' | 'id' | 'order' | 'amount'> & {
  readonly path: string;
  readonly body?: object;
};

/** One call as the merchant's server makes it, written down. */
async function callOnce(shop: ChargingShop, gateway: Gateway, wanted: Wanted): Promise<Answered> {
  const { path, body, ...named } = wanted;
  const entry: ShopCall = { ...named, sentAt: Date.now(), answeredAt: 0, status: null };
  shop.calls.push(entry);
  const answered = await callGateway(gateway.url, path, {
    ...{ token: shop.token, method: 'POST' },
    timeoutMilliseconds: wanted.what === 'jump' ? JUMP_MILLISECONDS : CALL_MILLISECONDS,
    ...(body === undefined ? {} : { body }),
  });
  entry.status = answered.status;
  entry.answeredAt = Date.now();
  return answered;
}

/** The same, and once more without a key whenever a 503 says so: each is a request of its own. */
async function callAgainWhenAsked(shop: ChargingShop, gateway: Gateway, wanted: Wanted): Promise<Answered> {
  for (let repetitions = 0; ; repetitions += 1) {
    const answered = await callOnce(shop, gateway, wanted);
    const { status, retryAfterSeconds } = answered;
    const isToBeRepeated = status === 503 && retryAfterSeconds !== undefined;
    if (!isToBeRepeated || repetitions === MOST_REPETITIONS) return answered;
    await pause(1_000 * Math.min(retryAfterSeconds, LONGEST_RETRY_AFTER_SECONDS));
  }
}

/** Asks without changing anything; null when it was not answered 200. */
export async function askShop(shop: ChargingShop, gateway: Gateway, path: string): Promise<unknown> {
  const call = { token: shop.token, timeoutMilliseconds: CALL_MILLISECONDS };
  const { status, body } = await callGateway(gateway.url, path, call);
  return status === 200 ? body : null;
}

/** Moves the clock to a time of the wall; gives whether it has arrived. */
export async function jumpTo(shop: ChargingShop, gateway: Gateway, to: string): Promise<boolean> {
  const wanted = { what: 'jump', id: to, path: '/homologation/clock', body: { to } } as const;
  return (await callOnce(shop, gateway, wanted)).status === 200;
}

export type Clock = { readonly now: string; readonly target: string | null };

export async function askClock(shop: ChargingShop, gateway: Gateway): Promise<Clock | null> {
  return (await askShop(shop, gateway, '/homologation/clock')) as Clock | null;
}

/** Enrols somebody who is charged at once. */
export async function subscribeNow(shop: ChargingShop, gateway: Gateway, chance: Chance): Promise<void> {
  const { vaultId } = chance.pick(shop.spares);
  const order = `N-${shop.calls.length}`;
  const body = { planId: shop.planOfNow, vaultId, orderNumber: order };
  await callAgainWhenAsked(shop, gateway, {
    what: 'subscribe',
    id: '',
    order,
    path: `${PATH}/subscriptions`,
    body,
  });
}

export type PlanWord = 'Active' | 'Inactive' | 'Canceled';

/** Moves a plan; the last of them ends everybody's subscription in it. */
export async function movePlan(
  shop: ChargingShop,
  gateway: Gateway,
  planId: string,
  status: PlanWord,
): Promise<number | null> {
  const what = status === 'Canceled' ? 'cancelPlan' : 'movePlan';
  const path = `${PATH}/plans/${planId}/status`;
  return (await callOnce(shop, gateway, { what, id: planId, path, body: { status } })).status;
}

type Doing = (shop: ChargingShop, gateway: Gateway, chance: Chance) => Promise<unknown>;

/** Something of one subscription of those enrolled before the round. */
function ofSubscription(
  shop: ChargingShop,
  gateway: Gateway,
  id: string,
  what: ShopCall['what'],
  body: object,
): Promise<Answered> {
  const last = what === 'changeVault' ? 'vault' : 'status';
  return callOnce(shop, gateway, { what, id, path: `${PATH}/subscriptions/${id}/${last}`, body });
}

/** What a merchant does while billings are charged, and how often beside the others. */
const THINGS: readonly (readonly [number, Doing])[] = [
  [
    2,
    (shop, gateway, chance) => {
      const { subscriptionId: id } = chance.pick(shop.enrolled);
      return ofSubscription(shop, gateway, id, 'cancel', { status: 'Canceled' });
    },
  ],
  [
    2,
    async (shop, gateway, chance) => {
      const { subscriptionId: id } = chance.pick(shop.enrolled);
      await ofSubscription(shop, gateway, id, 'cancel', { status: 'Canceled' });
      await ofSubscription(shop, gateway, id, 'activate', { status: 'Actived' });
    },
  ],
  [1, activateBlocked],
  [
    1,
    (shop, gateway, chance) => {
      const { subscriptionId: id } = chance.pick(shop.enrolled);
      const { vaultId } = chance.pick(shop.spares);
      return ofSubscription(shop, gateway, id, 'changeVault', { vaultId });
    },
  ],
  [1, cancelOpened],
  [2, chargeManually],
  [2, subscribeNow],
  [1, (shop, gateway, chance) => movePlan(shop, gateway, chance.pick(shop.enrolled).planId, 'Canceled')],
  [1.5, changeCharge],
];
const WEIGHTS = THINGS.reduce((sum, [weight]) => sum + weight, 0);

/** Each is drawn with the others. */
export async function doSomething(shop: ChargingShop, gateway: Gateway, chance: Chance): Promise<void> {
  let left = chance.next() * WEIGHTS;
  for (const [weight, doIt] of THINGS) {
    left -= weight;
    if (left < 0) return void (await doIt(shop, gateway, chance));
  }
}

type Listed = { readonly items: readonly { readonly id: string; readonly status: string }[] };

export async function listed(shop: ChargingShop, gateway: Gateway, path: string): Promise<string[]> {
  const page = (await askShop(shop, gateway, `${PATH}/${path}&limit=100`)) as Listed | null;
  return page?.items.map(({ id }) => id) ?? [];
}

/** A subscription that is blocked, sometimes with the card that is canceled: nothing may be sent then. */
export async function activateBlocked(shop: ChargingShop, gateway: Gateway, chance: Chance): Promise<void> {
  const ids = await listed(shop, gateway, 'subscriptions?status=Blocked');
  if (ids.length === 0) return;
  const id = chance.pick(ids);
  if (chance.isIn(0.7)) {
    const { vaultId } = chance.pick(shop.spares);
    await ofSubscription(shop, gateway, id, 'changeVault', { vaultId });
  }
  await ofSubscription(shop, gateway, id, 'activate', { status: 'Actived' });
}

async function cancelOpened(shop: ChargingShop, gateway: Gateway, chance: Chance): Promise<void> {
  const ids = await listed(shop, gateway, 'billing?status=Opened');
  if (ids.length === 0) return;
  const id = chance.pick(ids);
  await callOnce(shop, gateway, { what: 'cancelBilling', id, path: `${PATH}/billing/${id}/cancel` });
}

/** One that was denied, now and then twice at the same moment. */
export async function chargeManually(shop: ChargingShop, gateway: Gateway, chance: Chance): Promise<void> {
  const status = chance.isIn(0.8) ? 'Denied' : 'PaymentInvalid';
  const ids = await listed(shop, gateway, `billing?status=${status}`);
  if (ids.length === 0) return;
  const id = chance.pick(ids);
  const times = chance.isIn(0.3) ? 2 : 1;
  await Promise.all(Array.from({ length: times }, () => chargeOneByHand(shop, gateway, id)));
}

export async function chargeOneByHand(
  shop: ChargingShop,
  gateway: Gateway,
  id: string,
): Promise<number | null> {
  const wanted = { what: 'chargeManually', id, path: `${PATH}/billing/${id}/charge` } as const;
  return (await callAgainWhenAsked(shop, gateway, wanted)).status;
}

type Paid = { readonly items: readonly { readonly paymentId: string; readonly value: number }[] };

/**
 * Something that only time and other people do to a charge: mostly its holder takes it back, all of
 * it or a part.
 */
async function changeCharge(shop: ChargingShop, gateway: Gateway, chance: Chance): Promise<void> {
  const ids = await listed(shop, gateway, 'billing?status=Paid');
  if (ids.length === 0) return;
  const id = chance.pick(ids);
  const path = `/v1/payments?referenceTransaction=${id}`;
  const { items = [] } = ((await askShop(shop, gateway, path)) as Paid | null) ?? {};
  const [charge] = items;
  if (charge === undefined) return;
  const type = chance.isIn(0.6) ? 'chargeback' : chance.pick(['settle', 'block', 'unblock'] as const);
  const isPart = type === 'chargeback' && charge.value > 1 && chance.isIn(0.5);
  const amount = isPart ? chance.whole(1, charge.value - 1) : undefined;
  await callOnce(shop, gateway, {
    ...{ what: type === 'chargeback' ? type : 'event', id, ...(amount === undefined ? {} : { amount }) },
    path: `/homologation/transactions/${charge.paymentId}/events`,
    body: { type, installmentNumber: 1, ...(amount === undefined ? {} : { amount }) },
  });
}
