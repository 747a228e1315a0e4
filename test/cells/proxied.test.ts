import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { request } from 'undici';
import { skipWithout } from '../../tools/test-programs.ts';
import { boletoRequest } from '../boletos/boleto-service.ts';
import { paymentRequest, TEST_CARD } from '../kit/merchant.ts';
import { openSimulator, type Simulator, until } from '../kit/service.ts';
import { type RunningProxy, startCellProxy } from '../proxies/proxies.ts';
import { clientOf } from '../proxies/rolling.ts';
import { ACCOUNT, type Cell, type Login, openCell } from './open-cell.ts';

const skip = skipWithout('haproxy');

let folder: string;
let acquirer: Simulator;
let bank: Simulator;
let a1: Cell;
let b1: Cell;
let proxy: RunningProxy;
type Paid = { readonly paymentAuthorization: { readonly paymentId: string } };

/** Made while there were no cells. */
let early: { readonly login: Login; readonly token: string; readonly boleto: string };

before(async () => {
  if (skip !== false) return;
  folder = await mkdtemp(join(tmpdir(), 'parcela-cells-'));
  [acquirer, bank] = await Promise.all([
    openSimulator(join(folder, 'acquirer')),
    openSimulator(join(folder, 'bank'), [], 'bank'),
  ]);
  const shared = { PARCELA_ACQUIRER_URL: acquirer.url, PARCELA_BANK_URL: bank.url };
  // The first was there before it was a cell.
  a1 = await openCell('01700555550001', '11.444.777/0001-61', shared);
  b1 = await openCell('01700555550002', '12.345.678/0001-95', { ...shared, PARCELA_CELL: 'b1' });
  proxy = await startCellProxy(folder, { a1: a1.port, b1: b1.port });
  const login = await a1.newLogin('gateway', null);
  const token = await tokenOf(login);
  early = {
    login,
    token,
    boleto: await newBoleto(await tokenOf(await a1.newLogin('integration', null), true)),
  };
  await a1.restart({ PARCELA_CELL: 'a1' });
  await until('the proxy sends to it again', () => isServed(token));
});
after(async () => {
  if (skip !== false) return;
  await proxy?.stop();
  await Promise.all([a1?.close(), b1?.close()]);
  await Promise.all([acquirer?.stop(), bank?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

async function tokenOf(login: Login, isIntegration = false): Promise<string> {
  const path = isIntegration ? '/api/authentication/login' : '/api/auth/token';
  const { status, text } = await clientOf(proxy)(path, login);
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { accessToken: string }).accessToken;
}

/** The proxy ends the connections that lead to a cell which has gone. */
async function isServed(token: string): Promise<boolean> {
  const asked = clientOf(proxy, token)('/v1/cards/tokenization', { cardNumber: TEST_CARD });
  return (await asked.catch(() => null))?.status === 200;
}

async function pay(token: string): Promise<string> {
  const send = clientOf(proxy, token);
  const stored = await send('/v1/cards/tokenization', { cardNumber: TEST_CARD });
  assert.equal(stored.status, 200, stored.text);
  const [{ numberToken }] = JSON.parse(stored.text) as [{ numberToken: string }];
  const paid = await send('/v1/payments', paymentRequest(numberToken, 12_990));
  assert.equal(paid.status, 200, paid.text);
  return (JSON.parse(paid.text) as Paid).paymentAuthorization.paymentId;
}

/** The address under which a payer finds it. */
async function newBoleto(token: string): Promise<string> {
  const path = `/api/billissuer/new?accountNumber=${ACCOUNT}`;
  const issued = await clientOf(proxy, token)(path, boletoRequest());
  assert.equal(issued.status, 200, issued.text);
  return (JSON.parse(issued.text) as { url: string }).url;
}

async function get(url: string, token: string | null = null) {
  const { origin, pathname } = new URL(url);
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  const answer = await request(origin + pathname, { dispatcher: proxy.agent, headers });
  return { status: answer.statusCode, text: await answer.body.text() };
}

test('a user name leads to its cell, and the token that it gets leads back there', { skip }, async () => {
  for (const [name, cell, other] of [
    ['a1', a1, b1],
    ['b1', b1, a1],
  ] as const) {
    const login = await cell.newLogin('gateway', name);
    assert.match(login.userName, new RegExp(`^${name}\\.${cell.merchantId}-`));
    const token = await tokenOf(login);
    assert.match(token, new RegExp(`^${name}\\.[\\w-]{43}$`));
    const before = [await cell.count('transactions'), await other.count('transactions')];
    const paymentId = await pay(token);
    const now = [await cell.count('transactions'), await other.count('transactions')];
    assert.deepEqual(now, [Number(before[0]) + 1, before[1]]);
    assert.equal((await get(`${proxy.url}/v1/payments/${paymentId}`, token)).status, 200);
  }
});

test('what was made before there were cells is good in the first', { skip }, async () => {
  const before = await a1.count('transactions');
  await pay(early.token);
  const token = await tokenOf(early.login);
  assert.match(token, /^a1\./);
  await pay(token);
  assert.equal(await a1.count('transactions'), before + 2);
  assert.equal((await get(early.boleto)).status, 200);
});

test('a token is nothing in another cell, whatever stands in front of it', { skip }, async () => {
  const token = await tokenOf(await a1.newLogin('gateway', 'a1'));
  for (const changed of [token.replace('a1.', 'b1.'), token.replace('a1.', 'c7.'), token.slice(3)]) {
    const { status } = await clientOf(proxy, changed)('/v1/cards/tokenization', { cardNumber: TEST_CARD });
    assert.equal(status, 401, changed.slice(0, 3));
  }
  const unknown = { userName: 'c7.ninguem', password: 'Tq8vXk3mWz6nRb4yHc9dJf2gPs5aEuGh' };
  assert.equal((await clientOf(proxy)('/api/auth/token', unknown)).status, 401);
  assert.equal((await clientOf(proxy)('/api/auth/token', { userName: 7 })).status, 400);
});

test('a payer finds a boleto of either cell under one address, and its PDF', { skip }, async () => {
  for (const [name, cell, other] of [
    ['a1', a1, 'b1'],
    ['b1', b1, 'a1'],
  ] as const) {
    const url = await newBoleto(await tokenOf(await cell.newLogin('integration', name), true));
    assert.match(url, new RegExp(`^${proxy.url}/boletos/${name}\\.[0-9a-f]{32}$`));
    const page = await get(url);
    assert.equal(page.status, 200);
    const link = /<a href="([^"]+)"/.exec(page.text)?.[1] ?? '';
    assert.equal((await get(new URL(link, url).href)).status, 200, link);
    assert.equal((await get(url.replace(`${name}.`, `${other}.`))).status, 404);
  }
});

test('no number of a data key is in two databases', { skip }, async () => {
  const numbersOf = async ({ keys }: Cell) =>
    (await keys.auditor.query('select data_key_id from data_keys')).map(({ data_key_id: id }) => Number(id));
  for (const [PARCELA_CELL, { keys }] of [
    ['a1', a1],
    ['b1', b1],
  ] as const) {
    const rotated = await keys.parcela(['key', 'rotate', '--kind', 'card'], { PARCELA_CELL });
    assert.equal(rotated.code, 0, rotated.said);
  }
  const [first, second] = [await numbersOf(a1), await numbersOf(b1)];
  assert.ok(first.length > 5 && second.length > 5);
  assert.deepEqual(
    first.filter((number) => second.includes(number)),
    [],
  );
});

test('while one cell is away the other one serves', { skip }, async () => {
  const [first, second] = [
    await tokenOf(await a1.newLogin('gateway', 'a1')),
    await tokenOf(await b1.newLogin('gateway', 'b1')),
  ];
  await b1.service().kill();
  await until('the proxy has noticed', async () => !(await isServed(second)));
  await pay(first);
  await b1.restart({});
  await until('it is back', () => isServed(second));
});
