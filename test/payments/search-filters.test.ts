import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import { call, pay, paymentRequest, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { openVaultService, storedId, type VaultService } from '../vault/vault-service.ts';

const VISA = '4111111111111111';
const IN_INSTALLMENTS = { transactionType: 'credit', amount: 3_000, productType: 'lojista', installments: 3 };
/** A day on which nothing else was sold. */
const DAY = '2026-03-15';
const OF_DAY = { dateRangeStartDate: DAY, dateRangeEndDate: DAY };

let service: VaultService;

before(async () => {
  service = await openVaultService();
});
after(() => service.close());

const search = (query: Record<string, string>, token = service.token()) =>
  call(service.gatewayUrl, `/v1/payments?${new URLSearchParams(query)}`, { token });

async function idsOf(query: Record<string, string>, token?: string): Promise<string[]> {
  const { status, text, body } = await search(query, token);
  assert.equal(status, 200, text);
  assert.equal(body.total, body.items.length);
  return body.items.map(({ paymentId }: { paymentId: string }) => paymentId);
}

/** Pays, and gives what was answered; a decline has its `paymentId` too. */
async function sell(amount: number, change: Record<string, unknown> = {}) {
  const { reply } = await pay(service.gatewayUrl, service.token(), amount, change);
  return reply.status === 200 ? reply.body.paymentAuthorization : reply.body[0];
}

/** As if it had been sold then. */
async function soldAt(paymentId: string, moment: string): Promise<string> {
  await service.auditor.query('update transactions set sold_at = $2 where transaction_id = $1', [
    paymentId,
    moment,
  ]);
  return paymentId;
}

async function force(paymentId: string, type: string, installmentNumber: number): Promise<void> {
  const reply = await call(service.gatewayUrl, `/homologation/transactions/${paymentId}/events`, {
    token: service.token(),
    body: { type, installmentNumber },
  });
  assert.equal(reply.status, 200, reply.text);
}

/** The acquirer accepts its cancel, and decides a day later. */
const DECIDED_LATER = 2_001;

test('payments of which a part went back are found by their days, and beside method and status alone', async () => {
  const today = saoPauloDay(instant(Date.now()));
  const of = { dateRangeStartDate: today, dateRangeEndDate: today, isPartlyReturned: 'true' };
  const [part, whole, held, rest] = [
    await sell(5_000),
    await sell(5_000),
    await sell(5_000),
    await sell(5_000),
  ];
  await sell(5_000);
  for (const [{ paymentId }, amount, answer] of [
    [part, 1_000, 200],
    [whole, 5_000, 200],
    [held, DECIDED_LATER, 202],
    [rest, 5_000 - DECIDED_LATER, 200],
    [rest, DECIDED_LATER, 202],
  ] as const) {
    const path = `/v1/payments/${paymentId}/cancel`;
    const { status, text } = await call(service.gatewayUrl, path, {
      token: service.token(),
      body: { amount },
    });
    assert.equal(status, answer, text);
  }
  const found = [rest.paymentId, part.paymentId];
  assert.deepEqual(await idsOf(of), found, 'what is only held did not go back');
  const oldestFirst = await idsOf({ ...of, orderBy: 'transactionDate asc', status: 'Autorizada' });
  assert.deepEqual(oldestFirst, found.toReversed());
  assert.deepEqual(await idsOf({ ...of, method: 'pix' }), []);
  const { text } = await search({ ...of, format: 'ndjson' });
  assert.deepEqual(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).paymentId),
    found,
  );
  for (const other of [{ lastFour: '0001' }, { nsu: '1' }, { orderBy: 'value' }]) {
    const refused = await search({ ...of, ...other } as Record<string, string>);
    assert.deepEqual([refused.status, refused.body[0]?.tag], [400, 'isPartlyReturned'], refused.text);
  }
  assert.equal((await search({ ...of, method: 'boleto' })).status, 400);
});

test('a payment is found by what its notification, its receipt and its stored card bring, and by its merchant alone', async () => {
  const vaultId = await storedId(service);
  const body = paymentRequest('', 1_000, { cardInfo: { vaultId } });
  const reply = await call(service.gatewayUrl, '/v1/payments', { token: service.token(), body });
  const { paymentId, nsu, authorizationCode } = reply.body.paymentAuthorization;
  await sell(1_000);
  for (const key of [{ nsu }, { authorizationCode }, { vaultId }, { vaultId: vaultId.toUpperCase() }]) {
    assert.deepEqual(await idsOf(key), [paymentId], JSON.stringify(key));
    assert.deepEqual(await idsOf(key, service.foreignToken()), []);
  }
  assert.deepEqual(await idsOf({ nsu, vaultId, authorizationCode, status: 'Autorizada' }), [paymentId]);
  for (const other of [
    { status: 'Negada' },
    { vaultId: paymentId },
    { authorizationCode: 'NENHUM' },
    { referenceTransaction: 'OUTRA' },
    { billingId: paymentId },
    { lastFour: '9999' },
    { dateRangeEndDate: '2026-01-01' },
    { dateRangeStartDate: '2036-01-01', dateRangeEndDate: '9999-12-31' },
  ])
    assert.deepEqual(await idsOf({ nsu, ...other }), [], JSON.stringify(other));
  assert.deepEqual(await idsOf({ vaultId: 'não é um id' }), []);
});

test('whatever key narrows a search, the newest sale comes first: ids of keyed requests say nothing of time', async () => {
  const vaultId = await storedId(service);
  const reference = 'MUITAS-VEZES';
  const sold: string[] = [];
  for (let hour = 0; hour < 6; hour += 1) {
    const body = paymentRequest('', 1_000, { cardInfo: { vaultId }, referenceTransaction: reference });
    const headers = { 'Idempotency-Key': randomUUID() };
    const reply = await call(service.gatewayUrl, '/v1/payments', { token: service.token(), body, headers });
    const { paymentId } = reply.body.paymentAuthorization;
    sold.push(await soldAt(paymentId, `2026-01-20T1${hour}:00:00Z`));
  }
  const newest = sold.toReversed();
  await service.auditor.query(
    `update transactions set nsu = 'UM', authorization_code = 'SO' where transaction_id = any ($1)`,
    [sold],
  );
  const day = { dateRangeStartDate: '2026-01-20', dateRangeEndDate: '2026-01-20' };
  for (const key of [
    { vaultId },
    { referenceTransaction: reference },
    { referenceTransaction: reference, ...day },
    { referenceTransaction: reference, status: 'Autorizada' },
    { nsu: 'UM' },
    { authorizationCode: 'SO', status: 'Autorizada' },
    day,
  ]) {
    assert.deepEqual(await idsOf(key), newest, JSON.stringify(key));
    assert.deepEqual(await idsOf({ ...key, orderBy: 'transactionDate' }), sold, JSON.stringify(key));
  }
  const ofReference = async (page: string) =>
    (await search({ referenceTransaction: reference, limit: '4', page })).body.items.map(
      (item: { paymentId: string }) => item.paymentId,
    );
  assert.deepEqual([await ofReference('1'), await ofReference('2')], [newest.slice(0, 4), newest.slice(4)]);
});

test('an empty identifier or text in a search reads nothing: it is named, and an empty choice is none', async () => {
  await sell(1_000);
  const today = saoPauloDay(instant(Date.now()));
  const days = { dateRangeStartDate: today, dateRangeEndDate: today };
  for (const name of ['vaultId', 'referenceTransaction', 'nsu', 'authorizationCode', 'billingId', 'lastFour'])
    for (const value of ['', '  ']) {
      const { status, body } = await search({ ...days, [name]: value });
      assert.deepEqual([status, body.map(({ tag }: { tag: string }) => tag)], [400, [name]], name);
    }
  assert.equal((await search({ ...days, dateRangeEndDate: '' })).body[0].tag, 'dateRangeEndDate');
  const empty = { status: '', page: '', limit: '', orderBy: '', format: '' };
  assert.deepEqual((await search({ ...days, ...empty })).body, (await search(days)).body);
});

test('the days are those of São Paulo, both included, newest first', async () => {
  const sold: string[] = [];
  for (const moment of [
    '2026-02-10T02:59:59.999Z',
    '2026-02-10T03:00:00Z',
    '2026-02-12T02:59:59.999Z',
    '2026-02-12T03:00:00Z',
  ])
    sold.push(await soldAt((await sell(1_000)).paymentId, moment));
  const [before, first, last, behind] = sold;
  const days = (from: string, to: string) => ({ dateRangeStartDate: from, dateRangeEndDate: to });
  assert.deepEqual(await idsOf(days('2026-02-10', '2026-02-11')), [last, first]);
  assert.deepEqual(await idsOf(days('2026-02-09', '2026-02-09')), [before]);
  assert.deepEqual(await idsOf(days('2026-02-12', '2026-02-12')), [behind]);
  const all = days('2026-02-01', '2026-02-28');
  assert.deepEqual(await idsOf({ ...all, orderBy: 'transactionDate' }), sold);
  assert.deepEqual(await idsOf({ ...all, orderBy: 'paymentId desc' }), sold.toReversed());
  assert.deepEqual(await idsOf(all, service.foreignToken()), []);
  const { body } = await search({ ...all, limit: '1', page: '2' });
  assert.deepEqual([body.total, body.items[0].paymentId], [4, last]);
});

test('by status exactly those are found that show it, whatever happened to their installments', async () => {
  const sellThere = async (amount: number, change = {}) =>
    soldAt((await sell(amount, change)).paymentId, `${DAY}T12:00:00Z`);
  const inParts = () => sellThere(3_000, { payment: IN_INSTALLMENTS });
  await sellThere(1_000);
  await sellThere(1_051);
  await sellThere(1_000, {
    cardInfo: { ...paymentRequest('', 1).cardInfo, numberToken: await visa(), brand: 'visa' },
  });
  const [paid, partly, blocked, unblocked, voided] = [
    await inParts(),
    await inParts(),
    await inParts(),
    await inParts(),
    await sellThere(1_000),
  ];
  for (const part of [1, 2, 3]) await force(paid as string, 'settle', part);
  await force(partly as string, 'settle', 1);
  await force(blocked as string, 'settle', 1);
  await force(blocked as string, 'block', 2);
  await force(unblocked as string, 'block', 3);
  await force(unblocked as string, 'unblock', 3);
  // Given back at once: that day is too long ago for it.
  const { paymentId: canceled } = await sell(3_000, { payment: IN_INSTALLMENTS });
  const cancel = await call(service.gatewayUrl, `/v1/payments/${canceled}/cancel`, {
    token: service.token(),
    body: {},
  });
  assert.equal(cancel.status, 200, cancel.text);
  await soldAt(canceled, `${DAY}T12:00:00Z`);
  await service.auditor.query(`update transactions set state = 'voided' where transaction_id = $1`, [voided]);
  const all = await search({ ...OF_DAY, limit: '100' });
  const items = all.body.items as { paymentId: string; statusDescription: string }[];
  const shown = Map.groupBy(items, ({ statusDescription }) => statusDescription);
  assert.deepEqual([...shown.keys()].sort(), [
    'Autorizada',
    'Bloqueada',
    'Cancelada',
    'Desfeita',
    'Negada',
    'Paga',
  ]);
  for (const status of [...shown.keys(), 'Processando']) {
    const wanted = (shown.get(status) ?? []).map(({ paymentId }) => paymentId);
    assert.deepEqual(await idsOf({ ...OF_DAY, status }), wanted, status);
    const sorted = await idsOf({ ...OF_DAY, status, orderBy: 'value' });
    assert.deepEqual(sorted.sort(), wanted.toSorted(), status);
  }
  assert.equal((await idsOf({ ...OF_DAY, lastFour: '1111' })).length, 1);
  assert.equal((await idsOf({ ...OF_DAY, lastFour: '1111', status: 'Negada' })).length, 0);
});

const visa = () => tokenize(service.gatewayUrl, service.token(), VISA);

test('a payment that is being processed is found by its status', async () => {
  const today = saoPauloDay(instant(Date.now()));
  const paying = sell(1_001, { referenceTransaction: 'PEDIDO-EM-CURSO' });
  const found = await until('it is found', async () => {
    const days = { dateRangeStartDate: today, dateRangeEndDate: today };
    return (await search({ status: 'Processando', ...days })).body.items[0];
  });
  assert.equal(found.referenceTransaction, 'PEDIDO-EM-CURSO');
  await paying;
});

test('everything that is wrong with a search is named at once', async () => {
  const tagsOf = async (query: Record<string, string>) => {
    const { status, body } = await search(query);
    assert.equal(status, 400);
    return body.map(({ tag }: { tag: string }) => tag).sort();
  };
  assert.deepEqual(await tagsOf({ status: 'Autorizada' }), ['dateRangeEndDate', 'dateRangeStartDate']);
  assert.deepEqual(await tagsOf({ dateRangeStartDate: DAY }), ['dateRangeEndDate']);
  assert.deepEqual(
    await tagsOf({ dateRangeStartDate: '15/03/2026', lastFour: '12a', status: 'Ok', limit: '0' }),
    ['dateRangeEndDate', 'dateRangeStartDate', 'lastFour', 'limit', 'status'],
  );
  const days = (from: string, to: string) => ({ dateRangeStartDate: from, dateRangeEndDate: to });
  assert.deepEqual(await tagsOf({ ...days('2026-03-02', '2026-03-01'), page: '0' }), [
    'dateRangeEndDate',
    'page',
  ]);
  assert.deepEqual(await tagsOf(days('2026-01-01', '2026-04-04')), ['dateRangeEndDate']);
  assert.equal((await search(days('2026-01-01', '2026-04-03'))).status, 200);
  assert.equal((await search({ nsu: '1', ...days('2020-01-01', '2026-04-04') })).status, 200);
  assert.deepEqual(await tagsOf({ nsu: '1', ...days('2026-03-02', '2026-03-01') }), ['dateRangeEndDate']);
  const { body } = await search({ DateRangeStartDate: DAY });
  assert.deepEqual(
    [body[0].tag, body[0].description],
    [
      'dateRangeEndDate',
      'Informe o período, ou um entre referenceTransaction, nsu, authorizationCode, vaultId, billingId, txid e endToEndId.',
    ],
  );
});
