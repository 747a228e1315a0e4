import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readListQuery } from '../../src/payments/list/contract.ts';
import { walkPayments } from '../../src/payments/list/payment-walks.sql.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { type CallingShop, force, issue, shopOf } from '../boletos/boleto-service.ts';
import { createForeignMerchant, FOREIGN_USER } from '../kit/foreign-merchant.ts';
import { call, logIn, pay as payByCard } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  cancel,
  charge,
  inDays,
  openPixShop,
  type PixShop,
  pay,
  read,
  untilStatus,
} from '../pix/pix-service.ts';

const TODAY = { dateRangeStartDate: inDays(-1), dateRangeEndDate: inDays(1) };
/** A day of rows that no bank knows: more than two pages of a stream, many of the same moment. */
const MANY = 2_503;
const DAY = { dateRangeStartDate: '2026-03-15', dateRangeEndDate: '2026-03-15' };

type Query = Readonly<Record<string, string>>;

let shop: PixShop;
let boletos: CallingShop;
let foreignToken: string;

before(async () => {
  shop = await openPixShop();
  boletos = await shopOf(shop.service);
  const { gateway } = await shop.service.demo();
  await createForeignMerchant(shop.service.auditor, gateway.userName);
  foreignToken = await logIn(shop.url, { userName: FOREIGN_USER, password: gateway.password });
});
after(() => shop?.service.close());

const list = (query: Query, token = shop.token, headers = {}) =>
  call(shop.url, `/v1/payments?${new URLSearchParams(query)}`, { token, headers });

async function found(query: Query, token = shop.token): Promise<string[]> {
  const { status, text, body } = await list({ limit: '100', ...query }, token);
  assert.equal(status, 200, text);
  assert.equal(body.total, body.items.length);
  return body.items.map((one: { paymentId: string }) => one.paymentId);
}

/** One of each method under a reference of their own, and what a notification of each brings. */
async function sellOneOfEach(referenceTransaction: string) {
  const { reply } = await payByCard(shop.url, shop.token, 1_000, { referenceTransaction });
  assert.equal(reply.status, 200, reply.text);
  const pix = (await charge(shop, { referenceTransaction })).body;
  const boleto = await issue(boletos, { referenceTransaction });
  assert.equal(boleto.status, 200, boleto.text);
  return {
    card: reply.body.paymentAuthorization as Record<string, string>,
    pix: pix as Record<string, string>,
    boleto: boleto.body as Record<string, string>,
  };
}

test('one list has payments of every method, newest first, and each is read by its id', async () => {
  const referenceTransaction = 'DE-TODOS';
  const { card, pix, boleto } = await sellOneOfEach(referenceTransaction);
  const newestFirst = [boleto.id, pix.paymentId, card.paymentId];
  for (const query of [{ referenceTransaction }, { referenceTransaction, ...TODAY }, TODAY])
    assert.deepEqual(await found(query), newestFirst, JSON.stringify(query));
  const { items } = (await list({ referenceTransaction })).body;
  assert.deepEqual(
    items.map((one: Record<string, unknown>) => [
      one.method,
      one.statusDescription,
      one.value,
      one.referenceTransaction,
    ]),
    [
      ['boleto', 'Aguardando', 14_990, referenceTransaction],
      ['pix', 'Aguardando', 14_990, referenceTransaction],
      ['card', 'Autorizada', 1_000, referenceTransaction],
    ],
  );
  for (const item of items) {
    const one = (await read(shop, item.paymentId)).body;
    const { cancels: _, ...shown } = one;
    assert.deepEqual(shown, item);
  }
  assert.deepEqual(await found({ referenceTransaction }, foreignToken), []);
  assert.deepEqual(await found(TODAY, foreignToken), []);
  for (const { paymentId } of items) {
    const reply = await call(shop.url, `/v1/payments/${paymentId}`, { token: foreignToken });
    assert.equal(reply.status, 404);
  }
});

test('a boleto is not canceled as a payment: the answer says where', async () => {
  const { body } = await issue(boletos);
  const reply = await cancel(shop, body.id);
  assert.equal(reply.status, 409, reply.text);
  assert.match(reply.body[0].description, /\/api\/billissuer\/\{id\}\/cancel/);
});

test('each filter finds what it means for every method', async () => {
  const referenceTransaction = 'POR-FILTRO';
  const { card, pix, boleto } = await sellOneOfEach(referenceTransaction);
  const only = { referenceTransaction };
  const ids = { card: card.paymentId, pix: pix.paymentId, boleto: boleto.id } as Record<string, string>;
  for (const method of ['card', 'pix', 'boleto']) {
    assert.deepEqual(await found({ ...only, method }), [ids[method]], method);
    assert.ok((await found({ ...TODAY, method })).includes(ids[method] as string));
    const others = Object.keys(ids).filter((other) => other !== method);
    const ofDay = await found({ ...TODAY, method });
    for (const other of others) assert.ok(!ofDay.includes(ids[other] as string), `${other} by ${method}`);
  }
  assert.deepEqual(await found({ ...only, status: 'Aguardando' }), [boleto.id, pix.paymentId]);
  const endToEndId = await pay(shop, pix.txid as string);
  await untilStatus(shop, pix.paymentId as string, 'Paga');
  await force(boletos, boleto.id as string, { type: 'paid' });
  await until('the boleto is paid', async () => (await found({ ...only, status: 'Paga' })).length === 2);
  assert.deepEqual(await found({ ...only, status: 'Paga' }), [boleto.id, pix.paymentId]);
  assert.deepEqual(await found({ ...only, status: 'Autorizada' }), [card.paymentId]);
  for (const [query, id] of [
    [{ txid: pix.txid }, pix.paymentId],
    [{ txid: (pix.txid as string).toUpperCase() }, pix.paymentId],
    [{ endToEndId }, pix.paymentId],
    [{ nsu: endToEndId.slice(-20) }, pix.paymentId],
    [{ nsu: boleto.ourNumber }, boleto.id],
    [{ nsu: card.nsu }, card.paymentId],
    [{ nsu: card.nsu, method: 'card' }, card.paymentId],
    [{ authorizationCode: card.authorizationCode, ...only }, card.paymentId],
    [{ lastFour: '0001', ...only }, card.paymentId],
  ] as [Query, string][]) {
    assert.deepEqual(await found(query), [id], JSON.stringify(query));
    assert.deepEqual(await found(query, foreignToken), []);
  }
  assert.deepEqual(await found({ endToEndId, referenceTransaction: 'OUTRA' }), []);
  assert.deepEqual(await found({ ...only, orderBy: 'value' }), [
    card.paymentId,
    ...[pix.paymentId as string, boleto.id as string].sort(),
  ]);
});

test('every Pix that arrived leads to its charge by its end-to-end id and by its nsu', async () => {
  const { body } = await charge(shop, { referenceTransaction: 'DUAS-VEZES' });
  await pay(shop, body.txid);
  await untilStatus(shop, body.paymentId, 'Paga');
  const second = await pay(shop, body.txid, { force: true });
  await until('both arrived', async () => (await read(shop, body.paymentId)).body.payments.length === 2);
  for (const query of [{ endToEndId: second }, { nsu: second.slice(-20) }])
    assert.deepEqual(await found(query), [body.paymentId]);
});

test('what no payment of the wanted method has is named', async () => {
  const tagsOf = async (query: Query) => {
    const { status, body } = await list({ ...TODAY, ...query });
    assert.equal(status, 400);
    return body.map(({ tag }: { tag: string }) => tag);
  };
  assert.deepEqual(await tagsOf({ method: 'pix', lastFour: '0001' }), ['lastFour']);
  assert.deepEqual(await tagsOf({ method: 'boleto', txid: 'a'.repeat(32), status: 'Autorizada' }), [
    'txid',
    'status',
  ]);
  assert.deepEqual(await tagsOf({ method: 'card', status: 'Vencida' }), ['status']);
  assert.deepEqual(await tagsOf({ method: 'cash' }), ['method']);
});

/** In three tables, of the same moments; every seventh hundredth is a second finer than a millisecond. */
async function fillDay(): Promise<void> {
  const { auditor } = shop.service;
  const id = `('00000000-0000-7000-8000-' || lpad((n * 7919 % 10007)::text, 12, '0'))::uuid`;
  const moment = `timestamptz '2026-03-15T12:00:00Z' + (n / 40) * interval '10.7 microseconds'`;
  const numbers = (rest: number) => `from generate_series(1, ${MANY}) n where n % 3 = ${rest}`;
  await auditor.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at,
       decided_at, response_code)
     select $1, ${id}, $2, 'payment', 'declined', n, 1, 'MUITOS', 'visa', '411111', '1111', '\\x00', 'loja', ${moment}, now(), '51'
     ${numbers(0)}`,
    [shop.merchantId, shop.accountNumber],
  );
  await auditor.query(
    `insert into pix_charges (merchant_id, pix_id, account_number, txid, page_key, state, amount, expires_in_seconds,
       expires_at, reference_transaction, created_by, requested_at, changed_at, bank, pix_emv, refusal_reason)
     select $1, ${id}, $2, 'x' || lpad(n::text, 30, '0'), md5(n::text), case when n % 5 = 0 then 'refused' else 'canceled' end, n,
       3600, ${moment}, 'MUITOS', 'loja', ${moment}, ${moment}, 'default', 'x',
       case when n % 35 = 0 then 'notSent' when n % 5 = 0 then 'termsRefused' end
     ${numbers(1)}`,
    [shop.merchantId, shop.accountNumber],
  );
  await auditor.query(
    `insert into boletos (merchant_id, boleto_id, account_number, our_number, page_key, state, amount, issued_on, due_on,
       payable_until, reference_transaction, instructions, created_by, requested_at, changed_at, refusal_reason)
     select $1, ${id}, $2, lpad((90000000000 + n)::text, 11, '0'), md5(n::text), 'refused', n, '2026-03-15', '2026-03-20',
       '2026-04-20', 'MUITOS', '{}', 'loja', ${moment}, ${moment}, 'termsRefused'
     ${numbers(2)}`,
    [shop.merchantId, shop.accountNumber],
  );
}

/** The amounts of the rows that are shown, as they were sold. */
function soldOfDay(isFound: (n: number) => boolean): number[] {
  const numbers = Array.from({ length: MANY }, (_, at) => at + 1);
  const isShown = (n: number) => n % 3 !== 1 || n % 35 !== 0;
  const place = (n: number) => [Math.floor(n / 40), (n * 7_919) % 10_007] as const;
  return numbers
    .filter((n) => isShown(n) && isFound(n))
    .sort((one, other) => place(one)[0] - place(other)[0] || place(one)[1] - place(other)[1]);
}

test('pages and streams of all methods are one order, whatever narrows them', async () => {
  await fillDay();
  const cases: [Query, (n: number) => boolean][] = [
    [DAY, () => true],
    [{ ...DAY, method: 'pix' }, (n) => n % 3 === 1],
    [{ ...DAY, method: 'boleto' }, (n) => n % 3 === 2],
    [{ ...DAY, status: 'Negada' }, (n) => n % 3 !== 1 || n % 5 === 0],
    [{ ...DAY, status: 'Cancelada' }, (n) => n % 3 === 1 && n % 5 !== 0],
    [{ referenceTransaction: 'MUITOS' }, () => true],
    [{ referenceTransaction: 'MUITOS', method: 'card' }, (n) => n % 3 === 0],
  ];
  for (const [query, isFound] of cases) {
    const rising = soldOfDay(isFound);
    for (const [orderBy, expected] of [
      ['transactionDate', rising],
      ['transactionDate desc', rising.toReversed()],
    ] as const) {
      const { status, text } = await list({ ...query, orderBy, format: 'csv-stream' });
      assert.equal(status, 200, text);
      const [head = '', ...lines] = text.slice(0, -2).split('\r\n');
      const value = head.split(';').indexOf('value');
      assert.deepEqual(
        lines.map((line) => Number(line.split(';')[value])),
        expected,
        JSON.stringify(query),
      );
      const page = await list({ ...query, orderBy, limit: '100', page: '3' });
      assert.equal(page.body.total, expected.length);
      const shown = page.body.items.map((item: { value: number }) => item.value);
      assert.deepEqual(shown, expected.slice(200, 300), JSON.stringify(query));
    }
  }
});

test('a walk misses and repeats nothing while payments arrive', async () => {
  const books = openDatabase(shop.service.database.address, () => {});
  try {
    const wanted = { ...readListQuery({ ...DAY, orderBy: 'transactionDate' }), walk: 'byDay' as const };
    const read: string[] = [];
    for (let after: Parameters<typeof walkPayments>[3] = null; ; ) {
      const page = await walkPayments(books, shop.merchantId, wanted, after, 500);
      const last = page.at(-1);
      if (last === undefined) break;
      read.push(...page.map(({ place }) => place.paymentId));
      after = last.place;
      // Sold before all that was read, and so not on the way.
      await shop.service.auditor.query(
        `update pix_charges set requested_at = '2026-03-15T11:00:00Z'
         where pix_id = (select pix_id from pix_charges where pix_id = any ($1) limit 1)`,
        [read],
      );
    }
    assert.equal(new Set(read).size, read.length);
    assert.equal(read.length, soldOfDay(() => true).length);
  } finally {
    await books.close();
  }
});

test('a CSV has what each method has, and leaves empty what it lacks', async () => {
  const { card, pix, boleto } = await sellOneOfEach('EM-CSV');
  const endToEndId = await pay(shop, pix.txid as string);
  await untilStatus(shop, pix.paymentId as string, 'Paga');
  const { text } = await list({ referenceTransaction: 'EM-CSV' }, shop.token, { accept: 'text/csv' });
  const [head = [], ...lines] = text
    .slice(0, -2)
    .split('\r\n')
    .map((line: string) => line.split(';'));
  const rows = lines.map((line: string[]) => Object.fromEntries(line.map((cell, at) => [head[at], cell])));
  const cells = (name: string) => rows.map((row: Record<string, string>) => row[name]);
  assert.deepEqual(cells('paymentId'), [boleto.id, pix.paymentId, card.paymentId]);
  assert.deepEqual(cells('method'), ['boleto', 'pix', 'card']);
  assert.deepEqual(cells('txid'), ['', pix.txid, '']);
  assert.deepEqual(cells('endToEndId'), ['', endToEndId, '']);
  assert.deepEqual(cells('paidAmount'), ['', '14990', '']);
  assert.deepEqual(cells('brand'), ['', '', 'mastercard']);
  assert.deepEqual(cells('installments'), ['', '', '1']);
});
