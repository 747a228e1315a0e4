import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runParcela } from '../audit/audit-service.ts';
import { call, logIn } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { openPixShop, type PixShop } from '../pix/pix-service.ts';

let shop: PixShop;
/** For plans and subscriptions. */
let token: string;

before(async () => {
  shop = await openPixShop({ PARCELA_PIX_SETTINGS: 'account=123456;branch=0001;leadDays=3' });
  const { recurrence } = await shop.service.demo();
  token = await logIn(shop.url, recurrence, '/api/auth/token');
});
after(() => shop?.service.close());

const api = (path: string, body?: object, query = '') =>
  call(shop.url, `/v1/recurrences/${path}${query}`, {
    token,
    ...(body === undefined ? {} : { body }),
  });

const PLAN = {
  name: 'Academia',
  description: 'Mensalidade da academia',
  planType: 'Monthly',
  paymentMethod: 'PixAutomatic',
  attempts: 3,
};

async function makePlan(change: object = {}): Promise<string> {
  const made = await api('plans', { ...PLAN, amount: 89.9, ...change });
  assert.equal(made.status, 200, made.text);
  return made.body;
}

const CUSTOMER = { name: 'Ana Souza', documentNumber: '52998224725' };

async function enrol(planId: string, change: object = {}) {
  const body = { planId, orderNumber: 'P-1', customer: CUSTOMER, ...change };
  const made = await api('subscriptions', body, '?expand=authorization');
  assert.equal(made.status, 200, made.text);
  return made.body as { id: string; status: string; authorization: Record<string, string> };
}

async function read(id: string) {
  return (await api(`subscriptions/${id}`)).body;
}

async function order(path: string, body: object) {
  const reply = await fetch(new URL(`/simulator/${path}`, shop.bankUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  assert.ok(reply.ok, text);
  return JSON.parse(text);
}

const untilStatus = (id: string, status: string) =>
  until(`${id} is ${status}`, async () => {
    const found = await read(id);
    return found.status === status ? found : null;
  });

/** By their days: status, and what the charges came to. */
async function billingsOf(id: string) {
  const { body } = await api('billing', undefined, `?subscriptionId=${id}&limit=50&orderBy=expireAt`);
  return body.items as Record<string, unknown>[];
}

async function jump(days: number) {
  const body = { advanceDays: days };
  const moved = await call(shop.url, '/homologation/clock', { token: shop.token, body });
  assert.equal(moved.status, 200, moved.text);
}

test('a QR code pays the first billing and authorizes; every later one is sent ahead and paid on its day', async () => {
  const { id, status, authorization } = await enrol(await makePlan());
  assert.equal(status, 'Pending');
  assert.match(authorization.pixEmv ?? '', /^000201/);
  await order('payments', { code: authorization.pixEmv });
  const active = await untilStatus(id, 'Active');
  assert.equal(active.authorization.status, 'Authorized');
  assert.equal(active.vaultId, undefined);
  const first = await until('the first billing is paid', async () => {
    const found = await billingsOf(id);
    return found.some((one) => one.status === 'Paid') ? found : null;
  });
  assert.equal(first.length, 2, JSON.stringify(first));
  const { paymentId } = first.find((one) => one.status === 'Paid') as Record<string, string>;
  const payment = await call(shop.url, `/v1/payments/${paymentId}`, { token: shop.token });
  assert.deepEqual(
    [payment.status, payment.body.method, payment.body.statusDescription],
    [200, 'pix', 'Paga'],
  );
  await jump(70);
  const later = await billingsOf(id);
  assert.equal(later.filter((one) => one.status === 'Paid').length, 3, JSON.stringify(later));
});

/** Journey 2, authorized, with an amount that decides what the payer's account makes of each try. */
async function authorized(amount: number, change: object = {}) {
  const made = await enrol(await makePlan({ amount, ...change }), { pixAutomatic: { journey: 2 } });
  await order('authorizations', { code: made.authorization.pixEmv, act: 'accept' });
  return (await untilStatus(made.id, 'Active')) as { id: string; authorization: { recurrenceId: string } };
}

const timelineOf = async (billing: Record<string, unknown> | undefined) =>
  (await api(`billing/${billing?.id}`)).body.timeline as Record<string, unknown>[];

test('an account without funds is tried again on the days of the scheme, and may pay then', async () => {
  const { id } = await authorized(20.51);
  await jump(12);
  const [first] = (await billingsOf(id)).filter((one) => one.installment === 1);
  assert.equal(first?.status, 'Paid', JSON.stringify(await timelineOf(first)));
  const charged = (await timelineOf(first)).filter(({ type }) => type === 'Charged');
  assert.deepEqual(
    charged.map(({ outcome }) => outcome),
    ['InsufficientFunds', 'Approved'],
  );
});

test('without funds at every try the billing is denied after three more, and the subscription ends', async () => {
  const { id } = await authorized(20.52);
  await jump(20);
  const found = await untilStatus(id, 'Canceled');
  assert.equal(found.statusReason, 'Declined');
  const [first] = await billingsOf(id);
  assert.equal(first?.status, 'Denied');
  const charged = (await timelineOf(first)).filter(({ type }) => type === 'Charged');
  assert.equal(charged.length, 4, JSON.stringify(charged));
  await until('the bank ends the authorization', async () =>
    (await read(id)).authorization.status === 'Ended' ? true : null,
  );
});

test('a payer who refuses ends it, and nothing is owed', async () => {
  const made = await enrol(await makePlan(), { pixAutomatic: { journey: 2 } });
  await order('authorizations', { code: made.authorization.pixEmv, act: 'reject' });
  const found = await untilStatus(made.id, 'Rejected');
  assert.equal(found.statusReason, 'RejectedByPayer');
  assert.deepEqual(
    (await billingsOf(made.id)).map(({ status }) => status),
    ['Canceled'],
  );
});

test('a payer who does nothing lets it expire, and it is never activated', async () => {
  const { id } = await enrol(await makePlan());
  await jump(5);
  assert.equal((await untilStatus(id, 'Expired')).statusReason, 'NotAuthorized');
  await until('its billing is canceled', async () =>
    (await billingsOf(id)).every(({ status }) => status === 'Canceled') ? true : null,
  );
  assert.equal((await api(`subscriptions/${id}/status`, { status: 'Active' })).status, 409);
});

test('a payer may end it at any time: the subscription is canceled, and so is what was sent', async () => {
  const { id, authorization } = await authorized(89.9);
  await jump(5);
  await order('authorizations', { idRec: authorization.recurrenceId, act: 'cancel' });
  await jump(3);
  const found = await untilStatus(id, 'Canceled');
  assert.equal(found.statusReason, 'ByPayer');
  assert.ok((await billingsOf(id)).every(({ status }) => status === 'Canceled'));
});

test('a merchant who cancels ends the authorization at the bank', async () => {
  const { id, authorization } = await authorized(89.9);
  assert.equal((await api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
  await until('the authorization is over', async () =>
    (await read(id)).authorization.status === 'Ended' ? true : null,
  );
  const again = await fetch(new URL('/simulator/authorizations', shop.bankUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ idRec: authorization.recurrenceId, act: 'cancel' }),
  });
  assert.equal(again.status, 409, 'it is canceled at the bank already');
});

test('what Pix Automático cannot have is refused by name', async () => {
  const tagsOf = async (reply: Promise<{ status: number; body: { tag: string }[] }>) => {
    const { status, body } = await reply;
    return [status, body.map(({ tag }) => tag).sort()];
  };
  const plan = (change: object) => tagsOf(api('plans', { ...PLAN, amount: 10, ...change }));
  assert.deepEqual(await plan({ planType: 'Bimonthly' }), [400, ['planType']]);
  assert.deepEqual(await plan({ attempts: 4 }), [400, ['attempts']]);
  assert.deepEqual(await plan({ planType: 'Weekly', paymentMethod: 'CreditCard' }), [400, ['planType']]);
  const planId = await makePlan();
  const subscription = (change: object) =>
    tagsOf(api('subscriptions', { planId, orderNumber: 'P-2', ...change }));
  assert.deepEqual(await subscription({}), [400, ['customer.documentNumber', 'customer.name']]);
  assert.deepEqual(await subscription({ customer: CUSTOMER, vaultId: planId }), [400, ['vaultId']]);
  const byCard = await makePlan({ paymentMethod: 'CreditCard' });
  assert.deepEqual(await subscription({ planId: byCard }), [400, ['vaultId']]);
});

test('a payer is erased: the customer, and the account that was named', async () => {
  const documentNumber = '11144477735';
  const planId = await makePlan({ name: 'Clube', amount: 19.9 });
  const { id } = await enrol(planId, { customer: { name: 'Bia Lima', documentNumber } });
  const { auditor, database, folder } = shop.service;
  // As a bank that has not answered yet leaves it.
  await auditor.query('update pix_authorizations set payer_account = $2 where subscription_id = $1', [
    id,
    JSON.stringify({ ispb: '12345678', branch: '0001', account: '998877' }),
  ]);
  assert.equal((await api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
  const words = ['privacy', 'erase', '--document', documentNumber, '--reason', 'pedido'];
  const { exitCode, printed, errors } = await runParcela(database, folder, words);
  assert.equal(exitCode, 0, printed + errors);
  const [row] = await auditor.query(
    `select s.customer, a.payer_account from subscriptions s
     join pix_authorizations a using (merchant_id, subscription_id) where s.subscription_id = $1`,
    [id],
  );
  assert.deepEqual({ ...row }, { customer: null, payer_account: null });
});
