import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import { openProductionService } from '../antifraud/production-service.ts';
import { arrive, CLOCK, DAY, jump, readClock, wallTime } from '../kit/clock.ts';
import { keyFileIn } from '../kit/keys.ts';
import { call, logIn, pay, paymentRequest, tokenize } from '../kit/merchant.ts';
import {
  databaseSettings,
  type OpenedService,
  openService,
  openTestService,
  type TestService,
  until,
} from '../kit/service.ts';

/** What a test may take in real time while a clock that is to stand still is compared. */
const SLACK = 120_000;

let service: TestService;
let url: string;
let token: string;

before(async () => {
  service = await openTestService();
  url = service.gatewayUrl;
  token = await logIn(url, (await service.demo()).gateway);
});
after(() => service?.close());

/** The end of this month: good today, and no more in forty days. */
const [, year = '', month = ''] = /^20(\d\d)-(\d\d)/.exec(saoPauloDay(instant(Date.now()))) ?? [];
const THIS_MONTH = { expirationMonth: month, expirationYear: year };

/** Stores a card that is good until the end of this month. */
async function storeCard(): Promise<string> {
  const body = {
    numberToken: await tokenize(url, token),
    brand: 'mastercard',
    cardholderName: 'ANA SOUZA',
    ...THIS_MONTH,
  };
  const reply = await call(url, '/v1/vaults/cards', { token, body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.vaultId as string;
}

/** A time so many milliseconds after a time of the clock. */
const toAfter = (text: string, milliseconds: number): string =>
  new Date(wallTime(text) + milliseconds).toISOString().slice(0, -1);

/** Another process on the same database and keys, with a simulator of its own. */
const besideSettings = () => ({
  ...databaseSettings(service.database),
  PARCELA_KEY_FILE: keyFileIn(service.folder),
});

/** How far the demo merchant's clock runs ahead, in milliseconds. */
async function shiftOf(): Promise<number> {
  const rows = await service.auditor.query('select shift_milliseconds::float8 as shift from merchant_clocks');
  return (rows[0]?.shift as number | undefined) ?? 0;
}

test('a clock that was never moved shows the real time, and no jump', async () => {
  const { now, target, ran } = await readClock(url, token);
  const behind = Date.now() - 3 * 3_600_000 - wallTime(now);
  assert.ok(Math.abs(behind) < SLACK, now);
  assert.equal(target, null);
  assert.deepEqual(ran, {
    changes: 0,
    pix: 0,
    preauthorizations: 0,
    boletos: 0,
    billings: 0,
    notices: 0,
    deliveries: 0,
  });
});

test('what is no jump is refused with the field that is wrong, and moves nothing', async () => {
  const cases: [body: unknown, tags: string[]][] = [
    [{}, ['__general__']],
    [{ advanceDays: 1, to: '2027-03-01T09:00:00' }, ['__general__']],
    [{ advanceDays: 0 }, ['advanceDays']],
    [{ advanceDays: 731 }, ['advanceDays']],
    [{ advanceDays: 1.5 }, ['advanceDays']],
    [{ advanceDays: '1' }, ['advanceDays']],
    [{ to: '2027-03-01' }, ['to']],
    [{ to: '2027-02-30T09:00:00' }, ['to']],
    [{ to: '2027-03-01T09:00:00-03:00' }, ['to']],
    [{ to: '2027-03-01T24:00:00' }, ['to']],
    [{ to: '2020-03-01T09:00:00' }, ['to']],
    [{ to: '2099-03-01T09:00:00' }, ['to']],
  ];
  for (const [body, tags] of cases) {
    const reply = await jump(url, token, body);
    assert.equal(reply.status, 400, `${JSON.stringify(body)}: ${reply.text}`);
    assert.deepEqual(
      (reply.body as { tag: string }[]).map(({ tag }) => tag),
      tags,
      JSON.stringify(body),
    );
  }
  assert.equal(await shiftOf(), 0);
});

test('after a jump of forty days sales, cancels and stored cards have the new date, and the token still holds', async () => {
  const before = await pay(url, token, 12_990);
  const stored = await storeCard();
  assert.equal((await call(url, `/v1/vaults/cards/${stored}`, { token })).body.status, 'Active');

  const { now } = await arrive(url, token, { advanceDays: 40 });
  const ahead = wallTime(now) - (Date.now() - 3 * 3_600_000);
  assert.ok(Math.abs(ahead - 40 * DAY) < SLACK, now);

  const { reply } = await pay(url, token, 12_990);
  assert.equal(reply.status, 200, reply.text);
  const { paymentId, releaseAt } = reply.body.paymentAuthorization;
  const soldBefore = Date.parse(before.reply.body.paymentAuthorization.releaseAt);
  assert.ok(Math.abs(Date.parse(releaseAt) - soldBefore - 40 * DAY) < SLACK, releaseAt);
  const read = await call(url, `/v1/payments/${paymentId}`, { token });
  assert.ok(Math.abs(Date.parse(read.body.transactionMoment) - Date.parse(releaseAt)) < SLACK, read.text);

  const canceled = await call(url, `/v1/payments/${paymentId}/cancel`, { token, body: {} });
  assert.equal(canceled.status, 200, canceled.text);
  assert.ok(Math.abs(Date.parse(canceled.body.releaseAt) - Date.parse(releaseAt)) < SLACK);
  const moments = await service.auditor.query(
    'select distinct moment from movements where transaction_id = $1',
    [paymentId],
  );
  for (const { moment } of moments) assert.ok(Math.abs(Number(moment) - Date.parse(releaseAt)) < SLACK);

  assert.equal((await call(url, `/v1/vaults/cards/${stored}`, { token })).body.status, 'Expired');
  const { cardInfo } = paymentRequest(await tokenize(url, token), 12_990);
  const expired = await pay(url, token, 12_990, { cardInfo: { ...cardInfo, ...THIS_MONTH } });
  assert.equal(expired.reply.status, 400, expired.reply.text);
  assert.deepEqual(
    expired.reply.body.map(({ tag }: { tag: string }) => tag),
    ['cardInfo.expirationYear'],
    expired.reply.text,
  );
});

test('the window in which a payment can be canceled passes with the clock', async () => {
  const { reply } = await pay(url, token, 5_000);
  const { paymentId } = reply.body.paymentAuthorization;
  await arrive(url, token, { advanceDays: 181 });
  const canceled = await call(url, `/v1/payments/${paymentId}/cancel`, { token, body: {} });
  assert.equal(canceled.status, 409, canceled.text);
  assert.match(canceled.text, /prazo/);
});

test('a year has passed, and nobody was logged out: tokens, card tokens and codes go by real time', async () => {
  const integration = await logIn(
    service.integrationUrl,
    (await service.demo()).integration,
    '/api/authentication/login',
  );
  const numberToken = await tokenize(url, token);
  const session = await call(url, '/v1/antifraud/sessions', { method: 'POST', token });
  const request = paymentRequest(numberToken, 7_700, { sellerInfo: session.body });
  await arrive(url, token, { advanceDays: 365 });
  // Any token of the merchant reads and moves the clock.
  await arrive(url, integration, { to: toAfter((await readClock(url, integration)).now, 60_000) });
  const headers = { 'idempotency-key': 'a-year-later' };
  const paid = await call(url, '/v1/payments', { token, body: request, headers });
  assert.equal(paid.status, 200, paid.text);
  const again = await call(url, '/v1/payments', { token, body: request, headers });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  await logIn(url, (await service.demo()).gateway);
});

test('the clock goes to a time and stands there, but never back, and never beyond two years', async () => {
  const { now: from } = await readClock(url, token);
  const to = toAfter(from, 3 * DAY);
  const { now, ran } = await arrive(url, token, { to });
  assert.ok(wallTime(now) >= wallTime(to) && wallTime(now) - wallTime(to) < SLACK, now);
  assert.deepEqual(ran, {
    changes: 0,
    pix: 0,
    preauthorizations: 0,
    boletos: 0,
    billings: 0,
    notices: 0,
    deliveries: 0,
  });
  const back = await jump(url, token, { to });
  assert.equal(back.status, 400);
  assert.equal(back.body[0].tag, 'to');
  const tooFar = await jump(url, token, { advanceDays: 300 });
  assert.equal(tooFar.status, 400);
  assert.equal(tooFar.body[0].tag, 'advanceDays');
  const beyond = await jump(url, token, { to: toAfter(now, 300 * DAY) });
  assert.equal(beyond.body[0].tag, 'to');
});

test('what one process has moved the other goes by, and after a restart too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-beside-'));
  const other = await openService({ folder, settings: besideSettings() });
  let again: OpenedService | null = null;
  try {
    const otherNow = async () => wallTime((await readClock(other.gatewayUrl, token)).now);
    const { now } = await arrive(url, token, { to: toAfter((await readClock(url, token)).now, 2 * DAY) });
    // Reading the clock reads the row; a payment goes by what the process has in memory.
    const sold = await until('a payment of the other process has the new time', async () => {
      const { reply } = await pay(other.gatewayUrl, token, 4_400);
      assert.equal(reply.status, 200, reply.text);
      const { releaseAt } = reply.body.paymentAuthorization;
      const saoPaulo = Date.parse(releaseAt) - 3 * 3_600_000;
      return saoPaulo >= wallTime(now) && releaseAt;
    });
    assert.ok(sold);
    assert.ok((await otherNow()) >= wallTime(now));
    await other.stop();
    again = await openService({ folder, settings: besideSettings() });
    const { reply } = await pay(again.gatewayUrl, token, 4_500);
    const { releaseAt } = reply.body.paymentAuthorization;
    assert.ok(Date.parse(releaseAt) - 3 * 3_600_000 >= wallTime(now), releaseAt);
  } finally {
    await other.stop();
    await again?.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

test('production has no test clock, and its time is the real one', async () => {
  const production = await openProductionService({});
  try {
    const { gatewayUrl } = production.service;
    const headers = { authorization: `Bearer ${production.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ advanceDays: 1 });
    assert.equal((await fetch(gatewayUrl + CLOCK, { headers })).status, 404);
    assert.equal((await fetch(gatewayUrl + CLOCK, { method: 'POST', headers, body })).status, 404);
    // Whatever stands in the table: production never looks there.
    await production.keys.auditor.query(
      `insert into merchant_clocks (merchant_id, shift_milliseconds) select merchant_id, 86400000 from merchants`,
    );
    const { reply } = await pay(gatewayUrl, production.token, 6_600, {
      sellerInfo: { codeAntiFraud: await production.newCode() },
    });
    assert.equal(reply.status, 200, reply.text);
    const { releaseAt } = reply.body.paymentAuthorization;
    assert.ok(Math.abs(Date.parse(releaseAt) - Date.now()) < SLACK, releaseAt);
  } finally {
    await production.close();
  }
});
