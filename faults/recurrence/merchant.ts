import type { Chance } from '../chance.ts';
import type { Gateway } from '../gateways.ts';
import type { Answered } from '../log.ts';
import { callGateway } from '../till.ts';
import type { ChargingShop, ShopCall } from './shop.ts';

const PATH = '/v1/recurrences';
/** A service that stands still answers nobody: whoever asked goes elsewhere. */
const CALL_MILLISECONDS = 6_000;

type Wanted = {
  readonly what: ShopCall['what'];
  readonly id: string;
  readonly path: string;
  readonly body?: object;
};

/** One call as the merchant's server makes it, written down. */
async function callOnce(shop: ChargingShop, gateway: Gateway, wanted: Wanted): Promise<Answered> {
  const { what, id, path, body } = wanted;
  const entry: ShopCall = { what, id, sentAt: Date.now(), answeredAt: 0, status: null };
  shop.calls.push(entry);
  const answered = await callGateway(gateway.url, path, {
    ...{ token: shop.token, method: 'POST', timeoutMilliseconds: CALL_MILLISECONDS },
    ...(body === undefined ? {} : { body }),
  });
  entry.status = answered.status;
  entry.answeredAt = Date.now();
  return answered;
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
async function subscribeNow(shop: ChargingShop, gateway: Gateway, chance: Chance): Promise<void> {
  const { vaultId } = chance.pick(shop.spares);
  const body = { planId: shop.planOfNow, vaultId, orderNumber: `N-${shop.calls.length}` };
  await callOnce(shop, gateway, { what: 'subscribe', id: '', path: `${PATH}/subscriptions`, body });
}

/** What a merchant does while billings are charged; each is drawn with the others. */
export async function doSomething(shop: ChargingShop, gateway: Gateway, chance: Chance): Promise<void> {
  const one = chance.pick(shop.enrolled);
  const ofSubscription = (what: ShopCall['what'], last: string, body: object) => {
    const path = `${PATH}/subscriptions/${one.subscriptionId}/${last}`;
    return callOnce(shop, gateway, { what, id: one.subscriptionId, path, body });
  };
  const kind = chance.whole(1, 10);
  if (kind <= 2) await ofSubscription('cancel', 'status', { status: 'Canceled' });
  else if (kind <= 4) {
    await ofSubscription('cancel', 'status', { status: 'Canceled' });
    await ofSubscription('activate', 'status', { status: 'Actived' });
  } else if (kind <= 5) await activateBlocked(shop, gateway, chance);
  else if (kind <= 6)
    await ofSubscription('changeVault', 'vault', { vaultId: chance.pick(shop.spares).vaultId });
  else if (kind <= 7) await cancelOpened(shop, gateway, chance);
  else if (kind <= 9) await chargeByHand(shop, gateway, chance);
  else await subscribeNow(shop, gateway, chance);
}

type Listed = { readonly items: readonly { readonly id: string; readonly status: string }[] };

async function listed(shop: ChargingShop, gateway: Gateway, path: string): Promise<string[]> {
  const page = (await askShop(shop, gateway, `${PATH}/${path}&limit=100`)) as Listed | null;
  return page?.items.map(({ id }) => id) ?? [];
}

/** A subscription that is blocked, sometimes with the card that is canceled: nothing may be sent then. */
export async function activateBlocked(shop: ChargingShop, gateway: Gateway, chance: Chance): Promise<void> {
  const ids = await listed(shop, gateway, 'subscriptions?status=Blocked');
  if (ids.length === 0) return;
  const id = chance.pick(ids);
  const path = `${PATH}/subscriptions/${id}`;
  if (chance.isIn(0.7)) {
    const body = { vaultId: chance.pick(shop.spares).vaultId };
    await callOnce(shop, gateway, { what: 'changeVault', id, path: `${path}/vault`, body });
  }
  await callOnce(shop, gateway, {
    what: 'activate',
    id,
    path: `${path}/status`,
    body: { status: 'Actived' },
  });
}

async function cancelOpened(shop: ChargingShop, gateway: Gateway, chance: Chance): Promise<void> {
  const ids = await listed(shop, gateway, 'billing?status=Opened');
  if (ids.length === 0) return;
  const id = chance.pick(ids);
  await callOnce(shop, gateway, { what: 'cancelBilling', id, path: `${PATH}/billing/${id}/cancel` });
}

/** One that was denied, now and then twice at the same moment. */
export async function chargeByHand(shop: ChargingShop, gateway: Gateway, chance: Chance): Promise<void> {
  const status = chance.isIn(0.8) ? 'Denied' : 'PaymentInvalid';
  const ids = await listed(shop, gateway, `billing?status=${status}`);
  if (ids.length === 0) return;
  const id = chance.pick(ids);
  const wanted = { what: 'chargeByHand', id, path: `${PATH}/billing/${id}/charge` } as const;
  const times = chance.isIn(0.3) ? 2 : 1;
  await Promise.all(Array.from({ length: times }, () => callOnce(shop, gateway, wanted)));
}
