import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { constants, inflateRawSync } from 'node:zlib';
import { createForeignMerchant, FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import { call, logIn } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { originOf, type Shown, signedIn, type Visitor } from './visitor.ts';

/** More than two pages of a stream. */
const MANY = 2_503;
/** More than a connection holds of what nobody reads: 5 MB. */
const GIANT = 32_000;
const DAYS = { many: '2026-03-15', giant: '2026-03-16', broken: '2026-03-17', old: '2024-01-02' } as const;
/** As HTTP says it, of an answer in pieces. */
const isWhole = (text: string) => text.endsWith('\r\n0\r\n\r\n');

let service: TestService;
let merchantId: string;
let accountNumber: string;
let home: string;
let viewer: Visitor;
before(async () => {
  service = await openTestService();
  const demo = await service.demo();
  ({ merchantId, accountNumber } = demo);
  home = `/console/merchants/${merchantId}`;
  await createForeignMerchant(service.auditor, demo.gateway.userName);
  await sell(merchantId, DAYS.many, MANY);
  await sell(merchantId, DAYS.giant, GIANT);
  await sell(FOREIGN_MERCHANT, DAYS.many, 3);
  viewer = await signedIn(service, 'viewer', merchantId);
});
after(() => service.close());

/** Declined payments of a day: every other one of a card that ends with 4444. */
async function sell(seller: string, day: string, count: number): Promise<void> {
  await service.auditor.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at,
       decided_at, response_code)
     select $1, gen_random_uuid(), '1', 'payment', 'declined', n, 1, lpad(n::text, 50, '='), 'visa', '411111',
       case when n % 2 = 0 then '4444' else '1111' end, '\\x00', 'loja',
       ($2 || 'T12:00:00Z')::timestamptz + n * interval '1 millisecond', now(), '51'
     from generate_series(1, $3::int) n`,
    [seller, day, count],
  );
}

const csvOf = (day: string, filter: Readonly<Record<string, string>> = {}) =>
  `${home}/payments.csv?${new URLSearchParams({ dateRangeStartDate: day, dateRangeEndDate: day, ...filter })}`;

function linesOf({ status, headers, text }: Shown): string[] {
  assert.equal(status, 200, text);
  assert.match(headers.get('content-type') ?? '', /^text\/csv/);
  assert.ok(text.endsWith('\r\n'));
  assert.equal(text.codePointAt(0), 0xfeff, 'spreadsheets know UTF-8 by it');
  return text.slice(1, -2).split('\r\n');
}

/** A browser that takes the first bytes of a file, and no more before it is to go on. */
async function begin({ cookie, origin }: Visitor, path: string) {
  const { hostname, port, host } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on('error', () => {});
  const isOver = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`);
  await new Promise<void>((resolve) =>
    socket.on('data', (bytes) => {
      received.push(Buffer.from(bytes));
      if (received.length === 1) socket.pause();
      resolve();
    }),
  );
  return {
    leave: () => socket.destroy(),
    async goOn(): Promise<string> {
      socket.resume();
      await isOver;
      return Buffer.concat(received).toString('utf8');
    },
  };
}

test('all payments that a page has found are saved as one file, newest first', async () => {
  const query = new URLSearchParams({
    dateRangeStartDate: DAYS.many,
    dateRangeEndDate: DAYS.many,
    lastFour: '4444',
  });
  const page = await viewer.ask(`${home}/payments?${query}&page=3`);
  const href = /href="([^"]+payments\.csv[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  for (const [path, expected] of [
    [href, Array.from({ length: MANY >> 1 }, (_, index) => (index + 1) * 2)],
    [csvOf(DAYS.many), Array.from({ length: MANY }, (_, index) => index + 1)],
  ] as const) {
    const saved = await viewer.ask(path);
    const [head = '', ...rows] = linesOf(saved);
    const columns = head.split(';');
    assert.deepEqual(columns.slice(0, 4), ['Vendido em', 'Referência', 'Cliente', 'Documento']);
    const values = rows.map((row) => row.split(';')[columns.indexOf('Valor')]);
    assert.deepEqual(
      values,
      expected.toReversed().map((cents) => `"${(cents / 100).toFixed(2).replace('.', ',')}"`),
    );
    assert.match(rows[0]?.split(';')[0] ?? '', /^15\/03\/2026 09:\d\d:\d\d$/);
    assert.equal(rows[0]?.split(';')[1], `"'${String(expected.at(-1)).padStart(50, '=')}"`, 'no formula');
    const { headers } = saved;
    assert.equal(
      headers.get('content-disposition'),
      `attachment; filename="parcela-payments-${merchantId}-${DAYS.many}-${DAYS.many}.csv"`,
    );
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('cache-control'), 'no-store');
  }
});

test('what a search refuses is a page that says so, and no file', async () => {
  const query = { dateRangeStartDate: '2016-01-01', dateRangeEndDate: '2026-12-31' };
  const refused = await viewer.ask(`${home}/payments.csv?${new URLSearchParams(query)}`);
  assert.match(refused.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(refused.text, /role="alert".*mais de 3\.660 dias/s);
  assert.equal(refused.headers.get('content-disposition'), null);
});

/** The cells of the sheet, row by row, as Excel reads them. */
async function sheetOf(path: string): Promise<string[][]> {
  const { status, headers, bytes } = await viewer.ask(path);
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /spreadsheetml\.sheet$/);
  assert.match(headers.get('content-disposition') ?? '', /\.xlsx"$/);
  const start = 30 + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
  const sheet = inflateRawSync(bytes.subarray(start), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  return [...sheet.matchAll(/<row [^>]*>(.*?)<\/row>/g)].map(([, row = '']) =>
    [...row.matchAll(/<c r="[A-Z]+\d+"( s="1" t="inlineStr")?[^>]*>(.*?)<\/c>/g)].map(([, , cell = '']) =>
      cell.replaceAll(/<[^>]+>/g, ''),
    ),
  );
}

test('the same rows come as a workbook of Excel, with amounts and moments as numbers and no formula', async () => {
  const path = csvOf(DAYS.many, { lastFour: '4444' }).replace('payments.csv', 'payments.xlsx');
  const [heads = [], ...rows] = await sheetOf(path);
  assert.equal(rows.length, MANY >> 1);
  assert.deepEqual(heads.slice(0, 2), ['Vendido em', 'Referência']);
  const [soldAt = '', reference = '', ...rest] = rows.at(-1) ?? [];
  assert.equal(Math.floor(Number(soldAt)), 46_096, '2026-03-15');
  assert.equal(reference, '2'.padStart(50, '='), 'a text');
  assert.ok(rest.includes('0.02'), rest.join());
  const [entry] = await service.auditor.query(
    "select resource, detail from audit_entries where action = 'console.export' order by entry_number desc limit 1",
  );
  assert.equal(entry?.resource, `merchants/${merchantId}/payments.xlsx`);
  assert.match(JSON.stringify(entry?.detail), /parcela-payments-.*\.xlsx/);
  assert.equal((await sheetOf(csvOf(DAYS.giant).replace('.csv', '.xlsx'))).length, GIANT + 1);
});

test('a file has years, read part by part in the order of the sales; a page of a list has 93 days', async () => {
  await sell(merchantId, DAYS.old, 3);
  const query = { dateRangeStartDate: '2017-01-01', dateRangeEndDate: '2026-03-15', lastFour: '1111' };
  const path = `payments.csv?${new URLSearchParams(query)}`;
  const [head = '', ...rows] = linesOf(await viewer.ask(`${home}/${path}`));
  assert.equal(rows.length, ((MANY + 1) >> 1) + 2);
  const at = head.split(';').indexOf('Vendido em');
  const days = rows.map((row) => row.split(';')[at]?.slice(0, 10));
  assert.deepEqual([days[0], ...days.slice(-2)], ['15/03/2026', '02/01/2024', '02/01/2024']);
  const page = await viewer.ask(`${home}/payments?${new URLSearchParams(query)}`);
  assert.match(page.text, /role="alert".*mais de 93 dias/s);
  assert.ok(page.text.includes(path.replaceAll('&', '&amp;')), 'the file is offered there too');
});

test('a file is of those alone who may see the merchant, and has nothing of another', async () => {
  const foreign = await signedIn(service, 'admin', FOREIGN_MERCHANT);
  assert.equal((await foreign.ask(csvOf(DAYS.many))).status, 404);
  const own = csvOf(DAYS.many).replace(home, `/console/merchants/${FOREIGN_MERCHANT}`);
  assert.equal(linesOf(await foreign.ask(own)).length, 4);
  const operator = await signedIn(service, 'support', null);
  assert.equal(linesOf(await operator.ask(csvOf(DAYS.many))).length, MANY + 1);
  const nobody = await operator.ask(csvOf(DAYS.many), { cookie: null });
  assert.match(nobody.headers.get('location') ?? '', /^\/console\/sign-in\?/);
});

test('who saved which file is audited', async () => {
  const entries = await service.auditor.query(
    `select actor, resource, detail from audit_entries where action = 'console.export' and resource like $1
     order by entry_number limit 1`,
    [`merchants/${merchantId}/%`],
  );
  assert.match(String(entries[0]?.actor), /^user:viewer-/);
  assert.equal(entries[0]?.resource, `merchants/${merchantId}/payments.csv`);
  assert.match(JSON.stringify(entries[0]?.detail), /parcela-payments-.*2026-03-15/);
});

test('an entry of a file has the filters that were read, and nobody and no card in them', async () => {
  const last = async () => {
    const [entry] = await service.auditor.query(
      "select detail from audit_entries where action = 'console.export' order by entry_number desc limit 1",
    );
    return JSON.parse(String(entry?.detail));
  };
  const reference = 'cpf 529.982.247-25 zeca@cliente.example';
  const more = {
    file: 'harmless.txt',
    reason: 'approved by admin',
    note: 'x',
    referenceTransaction: reference,
  };
  linesOf(await viewer.ask(csvOf(DAYS.many, more)));
  assert.deepEqual(await last(), {
    dateRangeStartDate: DAYS.many,
    dateRangeEndDate: DAYS.many,
    referenceTransaction: 'cpf ***.***.***-** ***@***',
    file: `parcela-payments-${merchantId}-${DAYS.many}-${DAYS.many}.csv`,
  });
});

test('HEAD says what a file would be, saves nothing, is not audited as if it had, and holds no place', async () => {
  const entries = async () =>
    (await service.auditor.query("select from audit_entries where action = 'console.export'")).length;
  const before = await entries();
  for (let asked = 0; asked < 5; asked += 1) {
    const { status, headers, text } = await viewer.ask(csvOf(DAYS.many), { method: 'HEAD' });
    assert.deepEqual([status, text], [200, '']);
    assert.match(headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="parcela-payments-/);
  }
  assert.equal(await entries(), before);
  linesOf(await viewer.ask(csvOf(DAYS.many)));
  assert.equal(await entries(), before + 1);
});

test('a file that cannot be made to its end is cut, and does not look whole', async () => {
  await sell(merchantId, DAYS.broken, MANY);
  // The oldest comes last: its amount is none that a program could hold.
  await service.auditor.query('alter table transactions drop constraint transactions_amount_check');
  await service.auditor.query(
    `update transactions set amount = 9007199254740993 where merchant_id = $1 and amount = 1
       and sold_at >= $2 and sold_at < $3`,
    [merchantId, '2026-03-17T12:00:00Z', '2026-03-17T13:00:00Z'],
  );
  const text = await (await begin(viewer, csvOf(DAYS.broken))).goOn();
  assert.equal(text.slice(0, 12), 'HTTP/1.1 200');
  assert.ok(text.split('\r\n').length > 1_000, 'what could be made was sent');
  assert.ok(!isWhole(text));
  assert.ok(isWhole(await (await begin(viewer, csvOf(DAYS.many))).goOn()));
});

test('downloads that are not read hold no place of a page, and have their share of places', async () => {
  const open = await Promise.all(Array.from({ length: 4 }, () => begin(viewer, csvOf(DAYS.giant))));
  assert.equal((await viewer.ask(`${home}/payments`)).status, 200);
  const fifth = await viewer.ask(csvOf(DAYS.many));
  assert.equal(fifth.status, 503);
  assert.match(fifth.headers.get('content-type') ?? '', /^text\/html/);
  const { gateway } = await service.demo();
  const token = await logIn(service.gatewayUrl, gateway);
  const day = { dateRangeStartDate: DAYS.many, dateRangeEndDate: DAYS.many, format: 'csv-stream' };
  const byApi = await call(service.gatewayUrl, `/v1/payments?${new URLSearchParams(day)}`, { token });
  assert.equal(byApi.status, 503, 'a merchant has one share, whoever asks');
  const foreign = await signedIn(service, 'viewer', FOREIGN_MERCHANT);
  const own = csvOf(DAYS.many).replace(home, `/console/merchants/${FOREIGN_MERCHANT}`);
  assert.equal(linesOf(await foreign.ask(own)).length, 4);
  for (const download of open) download.leave();
  await until('their places are free', async () => (await viewer.ask(csvOf(DAYS.many))).status === 200);
  // Each leaves before it could be answered.
  const { hostname, port, host } = new URL(originOf(service));
  for (let asked = 0; asked < 12; asked += 1) {
    const socket = connect(Number(port), hostname);
    const request = `GET ${csvOf(DAYS.giant)} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${viewer.cookie}\r\n\r\n`;
    await new Promise<void>((resolve) => socket.write(request, () => resolve()));
    socket.destroy();
  }
  await until('their places are free', async () => (await viewer.ask(csvOf(DAYS.many))).status === 200);
});

test('two downloads at once are whole, each by itself', async () => {
  const beside = await signedIn(service, 'finance', merchantId);
  const both = await Promise.all([viewer, beside].map((one) => begin(one, csvOf(DAYS.giant))));
  for (const text of await Promise.all(both.map((one) => one.goOn()))) {
    assert.ok(isWhole(text));
    assert.equal(text.match(/;Negada;/g)?.length, GIANT);
  }
});

test('a user who signed out reads no further, and what was read does not look whole', async () => {
  const leaving = await signedIn(service, 'finance', merchantId);
  const download = await begin(leaving, csvOf(DAYS.giant));
  const page = await leaving.ask(`${home}/payments`);
  const mark = /name="mark" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const { cookie } = leaving;
  assert.equal((await leaving.ask('/console/sign-out', { form: { mark }, cookie })).status, 303);
  const text = await download.goOn();
  assert.equal(text.slice(0, 12), 'HTTP/1.1 200');
  assert.ok(!isWhole(text));
});

test('reconciliation of more rows than fit into one piece is saved as one file', async () => {
  const rows = 12_000;
  await service.auditor.query(
    `insert into receivables (merchant_id, transaction_id, installment_number, installment_count, account_number, nsu,
       authorization_code, brand, card_first_six, card_last_four, sold_at, sold_on, sale_amount, gross, canceled,
       installment_state, fee_portion, expected_fee, expected_net, expected_on)
     select $1, gen_random_uuid(), 1, 1, $2, n::text, 'A', 'visa', '411111', '1111',
       '2026-01-10T12:00:00Z'::timestamptz + n * interval '1 millisecond', '2026-01-10', 100, 100, 0, 'authorized', 0, 0,
       100, '2026-02-09'
     from generate_series(1, $3::int) n`,
    [merchantId, accountNumber, rows],
  );
  for (const [by, day, name] of [
    ['sale', '2026-01-10', 'sold'],
    ['payment', '2026-02-09', 'received'],
  ] as const) {
    const path = `${home}/reconciliation.csv?${new URLSearchParams({ by, from: day, to: day })}`;
    // The latest sales are being prepared for a moment.
    const saved = await until('what was sold is prepared', async () => {
      const shown = await viewer.ask(path);
      return shown.headers.get('content-type')?.startsWith('text/csv') === true && shown;
    });
    assert.equal(linesOf(saved).length, rows + 1);
    assert.match(
      saved.headers.get('content-disposition') ?? '',
      new RegExp(`"parcela-${name}-${accountNumber}-${day}-${day}\\.csv"$`),
    );
  }
});
