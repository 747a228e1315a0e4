import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { runParcela } from '../audit/audit-service.ts';
import { call } from '../kit/merchant.ts';
import { openTestService, until } from '../kit/service.ts';
import { cancel, ledger, order, type PixShop } from '../pix/pix-service.ts';
import {
  type AutomaticShop,
  automaticShopOf,
  CUSTOMER,
  PLAN,
  WITH_AUTOMATIC_PIX,
} from './automatic-pix-service.ts';

let of: AutomaticShop;
let shop: PixShop;

before(async () => {
  of = await automaticShopOf(await openTestService(WITH_AUTOMATIC_PIX));
  ({ shop } = of);
});
beforeEach(() => of.endActive());
after(() => of?.service.close());

test('a QR code pays the first billing and authorizes; every later one is sent ahead and paid on its day', async () => {
  const { id, status, authorization } = await of.enrol(await of.makePlan());
  assert.equal(status, 'Pending');
  assert.match(authorization.pixEmv ?? '', /^000201/);
  const picture = await fetch(authorization.qrCodeUrl ?? '');
  assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
  await order(shop, 'payments', { code: authorization.pixEmv });
  const active = await of.untilStatus(id, 'Active');
  assert.equal(active.authorization.status, 'Authorized');
  assert.equal(active.vaultId, undefined);
  const first = await until('the first billing is paid', async () => {
    const found = await of.billingsOf(id);
    return found.some((one) => one.status === 'Paid') ? found : null;
  });
  assert.equal(first.length, 2, JSON.stringify(first));
  const { paymentId } = first.find((one) => one.status === 'Paid') as Record<string, string>;
  const payment = await call(shop.url, `/v1/payments/${paymentId}`, { token: shop.token });
  assert.deepEqual(
    [payment.status, payment.body.method, payment.body.statusDescription],
    [200, 'pix', 'Paga'],
  );
  const givenBack = await cancel(shop, paymentId as string, { amount: 1_000 });
  assert.equal(givenBack.status, 200, givenBack.text);
  assert.deepEqual(
    (await ledger(shop, 'pix', shop.customerOfBank)).map((pix) => [pix.amount, pix.givenBack]),
    [[8_990, 1_000]],
  );
  await of.jump(70);
  const later = await of.billingsOf(id);
  assert.equal(later.filter((one) => one.status === 'Paid').length, 3, JSON.stringify(later));
});

test('a plan is held by a subscription that its payer has not authorized, and ends it', async () => {
  const planId = await of.makePlan();
  const { id, status } = await of.enrol(planId);
  assert.equal(status, 'Pending');
  const { merchantId } = shop;
  const refused = await of.api(`plans/${planId}`, { merchantId, ...PLAN, amount: 89.9, attempts: 2 });
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.text, /ativas, bloqueadas ou pendentes/);
  const ended = await of.api(`plans/${planId}/status`, { status: 'Canceled' });
  assert.equal(ended.status, 200, ended.text);
  await of.untilStatus(id, 'Canceled');
});

test('an account without funds is tried again on the days of the scheme, and may pay then', async () => {
  const { id } = await of.authorized(20.51);
  await of.jump(12);
  const [first] = (await of.billingsOf(id)).filter((one) => one.installment === 1);
  assert.equal(first?.status, 'Paid', JSON.stringify(await of.timelineOf(first)));
  const charged = (await of.timelineOf(first)).filter(({ type }) => type === 'Charged');
  assert.deepEqual(
    charged.map(({ outcome }) => outcome),
    ['InsufficientFunds', 'Approved'],
  );
});

test('without funds at every try the billing is denied after three more, and the subscription ends', async () => {
  const { id } = await of.authorized(20.52);
  await of.jump(20);
  const found = await of.untilStatus(id, 'Canceled');
  assert.equal(found.statusReason, 'Declined');
  const [first] = await of.billingsOf(id);
  assert.equal(first?.status, 'Denied');
  const charged = (await of.timelineOf(first)).filter(({ type }) => type === 'Charged');
  assert.equal(charged.length, 4, JSON.stringify(charged));
  await until('the bank ends the authorization', async () =>
    (await of.read(id)).authorization.status === 'Ended' ? true : null,
  );
});

test('a payer who refuses ends it, and nothing is owed', async () => {
  const made = await of.enrol(await of.makePlan(), { pixAutomatic: { journey: 2 } });
  await of.decide({ code: made.authorization.pixEmv, act: 'reject' });
  const found = await of.untilStatus(made.id, 'Rejected');
  assert.equal(found.statusReason, 'RejectedByPayer');
  assert.deepEqual(
    (await of.billingsOf(made.id)).map(({ status }) => status),
    ['Canceled'],
  );
});

test('a payer who does nothing lets it expire, and it is never activated', async () => {
  const { id } = await of.enrol(await of.makePlan());
  await of.jump(5);
  // The clock waited for no billing that nobody may charge yet.
  assert.ok(!of.service.log.some((line) => line.includes('went past something')));
  assert.equal((await of.untilStatus(id, 'Expired')).statusReason, 'NotAuthorized');
  await until('its billing is canceled', async () =>
    (await of.billingsOf(id)).every(({ status }) => status === 'Canceled') ? true : null,
  );
  assert.equal((await of.api(`subscriptions/${id}/status`, { status: 'Active' })).status, 409);
});

test('a payer may end it at any time: the subscription is canceled, and so is what was sent', async () => {
  const { id, authorization } = await of.authorized(89.9);
  await of.jump(5);
  await of.decide({ idRec: authorization.recurrenceId, act: 'cancel' });
  await of.jump(3);
  const found = await of.untilStatus(id, 'Canceled');
  assert.equal(found.statusReason, 'ByPayer');
  assert.ok((await of.billingsOf(id)).every(({ status }) => status === 'Canceled'));
});

test('a billing that is canceled before its payer agrees is followed by the next one, sent ahead of its day', async () => {
  const planId = await of.makePlan({ planType: 'Weekly', attempts: 0 });
  const { id, authorization } = await of.enrol(planId, { pixAutomatic: { journey: 2 } });
  const [first] = await of.billingsOf(id);
  const canceled = await of.api(`billing/${first?.id}/cancel`, {});
  assert.equal(canceled.status, 200, canceled.text);
  await of.decide({ code: authorization.pixEmv, act: 'accept' });
  await of.untilStatus(id, 'Active');
  await of.jump(18);
  const { expireAt } = await of.untilBilling(id, 2, 'Paid');
  const cobrs = await ledger(shop, 'recurring', shop.customerOfBank);
  const ours = cobrs.filter(({ idRec }) => idRec === authorization.recurrenceId);
  const dueDays = ours.map(({ calendario }) => (calendario as Record<string, string>).dataDeVencimento);
  assert.equal(dueDays[0], String(expireAt).slice(0, 10));
});

test('a merchant who cancels ends the authorization at the bank', async () => {
  const { id, authorization } = await of.authorized(89.9);
  assert.equal((await of.api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
  await until('the authorization is over', async () =>
    (await of.read(id)).authorization.status === 'Ended' ? true : null,
  );
  const again = await order(shop, 'authorizations', { idRec: authorization.recurrenceId, act: 'cancel' });
  assert.equal(again.status, 409, 'it is canceled at the bank already');
});

test('an authorization that is ended on the side of the receiver is not told as ended by its payer', async () => {
  const { id, authorization } = await of.authorized(89.9);
  const by = 'USUARIO_RECEBEDOR';
  await of.decide({ idRec: authorization.recurrenceId, act: 'cancel', by });
  await of.jump(2);
  assert.equal((await of.untilStatus(id, 'Canceled')).statusReason, 'ByMerchant');
});

test('a payer is asked by his own bank, and agrees there; his account is not kept', async () => {
  const account = { ispb: '99999016', branch: '0001', number: '998877' };
  const planId = await of.makePlan();
  const { id } = await of.enrol(planId, { pixAutomatic: { journey: 1, account } });
  const recs = await ledger(shop, 'authorizations', shop.customerOfBank);
  const asked = recs.at(-1)?.solicitacao as { idSolicRec: string; destinatario: object }[];
  assert.deepEqual(asked[0]?.destinatario, {
    ...{ cpf: CUSTOMER.documentNumber, conta: '998877', agencia: '0001', ispbParticipante: '99999016' },
  });
  await of.decide({ idSolicRec: asked[0]?.idSolicRec, act: 'accept' });
  await of.untilStatus(id, 'Active');
  const [row] = await of.service.auditor.query(
    'select payer_account from pix_authorizations where subscription_id = $1',
    [id],
  );
  assert.equal(row?.payer_account, null);
});

test('where the amount is not fixed a charge above the ceiling of its payer fails with its code, and one below is paid', async () => {
  const planId = await of.makePlan({ planType: 'Weekly', attempts: 0 });
  const enrolled = async (ceiling: string) => {
    const made = await of.enrol(planId, { pixAutomatic: { journey: 2, minimumAmount: 5_000 } });
    await of.decide({ code: made.authorization.pixEmv, act: 'accept', ceiling });
    await of.untilStatus(made.id, 'Active');
    return made.id;
  };
  const [below, above] = [await enrolled('60.00'), await enrolled('100.00')];
  await of.jump(16);
  const [failed] = await of.billingsOf(below);
  assert.equal(failed?.status, 'Denied', JSON.stringify(failed));
  const charged = (await of.timelineOf(failed)).filter(({ type }) => type === 'Charged');
  assert.deepEqual(
    charged.map(({ code }) => code),
    ['AM02'],
  );
  const paid = (await of.billingsOf(above)).filter(({ status }) => status === 'Paid');
  assert.equal(paid.length, 2, 'one a week');
});

test('what Pix Automático cannot have is refused by name', async () => {
  const tagsOf = async (reply: Promise<{ status: number; body: { tag: string }[] }>) => {
    const { status, body } = await reply;
    return [status, body.map(({ tag }) => tag).sort()];
  };
  const plan = (change: object) => tagsOf(of.api('plans', { ...PLAN, amount: 10, ...change }));
  assert.deepEqual(await plan({ planType: 'Bimonthly' }), [400, ['planType']]);
  assert.deepEqual(await plan({ attempts: 4 }), [400, ['attempts']]);
  assert.deepEqual(await plan({ planType: 'Weekly', paymentMethod: 'CreditCard' }), [400, ['planType']]);
  const planId = await of.makePlan();
  const subscription = (change: object) =>
    tagsOf(of.api('subscriptions', { planId, orderNumber: 'P-2', ...change }));
  assert.deepEqual(await subscription({}), [400, ['customer.documentNumber', 'customer.name']]);
  assert.deepEqual(await subscription({ customer: CUSTOMER, vaultId: planId }), [400, ['vaultId']]);
  assert.deepEqual(await subscription({ customer: CUSTOMER, pixAutomatic: { journey: 1 } }), [
    400,
    ['pixAutomatic.account'],
  ]);
  const byCard = await of.makePlan({ paymentMethod: 'CreditCard' });
  assert.deepEqual(await subscription({ planId: byCard }), [400, ['vaultId']]);
});

test('a payer is erased: the customer, and the account that was named', async () => {
  const documentNumber = '11144477735';
  const planId = await of.makePlan({ name: 'Clube', amount: 19.9 });
  const { id } = await of.enrol(planId, { customer: { name: 'Bia Lima', documentNumber } });
  const { auditor, database, folder } = of.service;
  // As a bank that has not answered yet leaves it.
  await auditor.query('update pix_authorizations set payer_account = $2 where subscription_id = $1', [
    id,
    JSON.stringify({ ispb: '12345678', branch: '0001', account: '998877' }),
  ]);
  assert.equal((await of.api(`subscriptions/${id}/status`, { status: 'Canceled' })).status, 200);
  const words = ['privacy', 'erase', '--document', documentNumber, '--reason', 'pedido'];
  // What its cancel still asks of the bank is waited for, as the command says.
  await until('the payer is erased', async () => {
    const { exitCode } = await runParcela(database, folder, words);
    return exitCode === 0;
  });
  const [row] = await auditor.query(
    `select s.customer, a.payer_account from subscriptions s
     join pix_authorizations a using (merchant_id, subscription_id) where s.subscription_id = $1`,
    [id],
  );
  assert.deepEqual({ ...row }, { customer: null, payer_account: null });
});

test('a Weekly plan whose bank wants a week ahead is refused where it becomes one, and not where it is one', async () => {
  const { database, folder, demo } = of.service;
  const { merchantId } = await demo();
  const tokenFile = join(folder, 'slow-token');
  await writeFile(tokenFile, 'parcela:secret', { mode: 0o600 });
  const weekly = { planType: 'Weekly' };
  const [before, monthly] = [await of.makePlan(weekly), await of.makePlan()];
  const settled = async (words: readonly string[]) => {
    const { exitCode, errors } = await runParcela(database, folder, words);
    assert.equal(exitCode, 0, errors);
  };
  const put = (planId: string, change: object) =>
    call(of.shop.url, `/v1/recurrences/plans/${planId}`, {
      token: of.token,
      body: { merchantId, ...PLAN, amount: 89.9, name: 'Outro nome', ...change },
    });
  await settled([
    ...[
      'provider',
      'add',
      '--kind',
      'pix',
      '--name',
      'slow',
      '--url',
      'http://127.0.0.1:9/',
      '--token-file',
      tokenFile,
    ],
    ...['--setting', 'key=pix@slow.example', '--setting', 'account=1', '--setting', 'leadDays=9'],
  ]);
  await settled(['provider', 'route', '--kind', 'pix', '--merchant', merchantId, '--rule', 'slow']);
  try {
    const refused = await until('the rule holds', async () => {
      const made = await of.api('plans', { ...PLAN, amount: 89.9, ...weekly });
      return made.status === 400 ? made : null;
    });
    assert.equal(refused.body[0].tag, 'planType', refused.text);
    assert.deepEqual([(await put(before, weekly)).status, (await put(monthly, weekly)).status], [200, 400]);
    assert.equal((await put(randomUUID(), weekly)).status, 404);
    const path = join(folder, 'weekly.jsonl');
    await writeFile(path, JSON.stringify({ type: 'plan', id: randomUUID(), ...PLAN, amount: 1, ...weekly }));
    const { errors } = await runParcela(database, folder, ['import', path, '--merchant', merchantId]);
    assert.match(errors, /line 1: planType/);
  } finally {
    await settled(['provider', 'route', '--kind', 'pix', '--merchant', merchantId, '--none']);
  }
});
