import assert from 'node:assert/strict';
import { call, logIn, type Reply } from '../kit/merchant.ts';
import type { TestService } from '../kit/service.ts';
import { until } from '../kit/service.ts';
import { order, type PixShop, pixShopOf } from '../pix/pix-service.ts';

export const CUSTOMER = { name: 'Ana Souza', documentNumber: '52998224725' };

export const PLAN = {
  name: 'Academia',
  description: 'Mensalidade da academia',
  planType: 'Monthly',
  paymentMethod: 'PixAutomatic',
  attempts: 3,
};

type Fields = Record<string, unknown>;
export type Enrolled = {
  readonly id: string;
  readonly status: string;
  readonly authorization: Record<string, string>;
};

/** A shop whose bank has Pix Automático switched on, and its plans and subscriptions. */
export type AutomaticShop<S extends TestService = TestService> = Awaited<
  ReturnType<typeof automaticShopOf<S>>
>;

export const WITH_AUTOMATIC_PIX = { PARCELA_PIX_SETTINGS: 'account=123456;branch=0001;leadDays=3' };

type Api = (path: string, body?: object, query?: string) => Promise<Reply>;

export async function automaticShopOf<S extends TestService>(service: S, bankUrl?: string) {
  const shop = await pixShopOf(service, bankUrl);
  const { recurrence } = await service.demo();
  const token = await logIn(shop.url, recurrence, '/api/auth/token');
  const api: Api = (path, body, query = '') =>
    call(shop.url, `/v1/recurrences/${path}${query}`, {
      token,
      ...(body === undefined ? {} : { body }),
    });
  const readers = readersOf(api);

  async function makePlan(change: object = {}): Promise<string> {
    const made = await api('plans', { ...PLAN, amount: 89.9, ...change });
    assert.equal(made.status, 200, made.text);
    return made.body;
  }

  const enrolled: string[] = [];
  async function enrol(planId: string, change: object = {}): Promise<Enrolled> {
    const body = { planId, orderNumber: 'P-1', customer: CUSTOMER, ...change };
    const made = await api('subscriptions', body, '?expand=authorization');
    assert.equal(made.status, 200, made.text);
    enrolled.push(made.body.id);
    return made.body;
  }

  /** What the payer does. */
  async function decide(body: object) {
    const decided = await order(shop, 'authorizations', body);
    assert.equal(decided.status, 200, JSON.stringify(decided.body));
    return decided.body;
  }

  const jumpAt = (url: string, days: number) => jump(shop, url, days);
  return {
    ...{ shop, service, token, api, makePlan, enrol, decide, ...readers, jumpAt },
    /** Journey 2, authorized, with an amount that decides what the payer's account makes of each try. */
    async authorized(amount: number, change: object = {}): Promise<Enrolled> {
      const made = await enrol(await makePlan({ amount, ...change }), { pixAutomatic: { journey: 2 } });
      // Where the bank had no time to answer its code comes later.
      const { authorization } = await readers.untilAuthorization(made.id, 'Pending');
      await decide({ code: authorization.pixEmv, act: 'accept' });
      return readers.untilStatus(made.id, 'Active');
    },
    jump: (days: number) => jumpAt(shop.url, days),
    /** What goes on would be charged by every later jump, again and again. */
    async endActive(): Promise<void> {
      for (const id of enrolled.splice(0)) {
        if ((await readers.read(id)).status !== 'Active') continue;
        assert.equal((await api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
        await readers.untilAuthorization(id, 'Ended');
      }
    },
  };
}

function readersOf(api: Api) {
  const read = async (id: string) => (await api(`subscriptions/${id}`)).body;

  /** By their days: status, and what the charges came to. */
  async function billingsOf(id: string): Promise<Fields[]> {
    const { body } = await api('billing', undefined, `?subscriptionId=${id}&limit=50&orderBy=expireAt`);
    return body.items;
  }

  return {
    read,
    billingsOf,
    untilStatus: (id: string, status: string) =>
      until(`${id} is ${status}`, async () => {
        const found = await read(id);
        return found.status === status ? found : null;
      }),
    untilAuthorization: (id: string, status: string) =>
      until(`the authorization of ${id} is ${status}`, async () => {
        const found = await read(id);
        return found.authorization.status === status ? found : null;
      }),
    untilBilling: (id: string, installment: number, status: string) =>
      until(`billing ${installment} of ${id} is ${status}`, async () => {
        const found = (await billingsOf(id)).find((one) => one.installment === installment);
        return found?.status === status ? found : null;
      }),
    async timelineOf(billing: Fields | undefined): Promise<Fields[]> {
      return (await api(`billing/${billing?.id}`)).body.timeline;
    },
  };
}

/** On a busy machine a jump goes on behind its answer. */
async function jump({ token }: Pick<PixShop, 'token'>, url: string, days: number): Promise<void> {
  const moved = await call(url, '/homologation/clock', { token, body: { advanceDays: days } });
  assert.ok([200, 202].includes(moved.status), moved.text);
  await until('the jump is over', async () => {
    const clock = await call(url, '/homologation/clock', { token });
    return clock.body.target === null ? true : null;
  });
}
