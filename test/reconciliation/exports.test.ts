import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { businessDayFrom } from '../../src/values/business-day.ts';
import type { Day } from '../../src/values/instant.ts';
import { arrive } from '../kit/clock.ts';
import { until } from '../kit/service.ts';
import { daysAfter, openReconciledService, type ReconciledService, type Sold } from './reconciled-service.ts';

const BY_SALE = '/api/transaction/concil/export-by-operation-date';
const BY_PAYMENT = '/api/transaction/concil/export-by-payment-date';

let service: ReconciledService;
let sold: Sold;
let soldOn: string;

before(async () => {
  service = await openReconciledService({ PARCELA_FEES: 'any:1-99=2.5' });
  soldOn = await service.today();
  sold = await service.sell(10_001, 3);
  await service.sell(5_000, 1);
});
after(() => service.close());

const period = (startDate: string, endDate = startDate) => ({
  accountNumber: service.accountNumber,
  startDate,
  endDate,
});

async function exported(path: string, startDate: string, endDate = startDate): Promise<string[][]> {
  const reply = await service.ask(path, period(startDate, endDate));
  assert.equal(reply.status, 200, reply.text);
  const text = Buffer.from(reply.body.fileBase64, 'base64').toString('utf8');
  assert.ok(text.endsWith('\r\n'));
  return text
    .slice(0, -2)
    .split('\r\n')
    .map((line) => line.split(';'));
}

function stream(path: string, query: Record<string, string>, headers: Record<string, string> = {}) {
  const url = `${service.integrationUrl}${path}?${new URLSearchParams(query)}`;
  return fetch(url, { headers: { authorization: `Bearer ${service.integrationToken}`, ...headers } });
}

test('what was sold on a day comes as CSV in base64, with the columns of the search and decimal commas', async () => {
  const [head = [], ...rows] = await exported(BY_SALE, soldOn);
  const [first] = await service.searchByCode(sold);
  assert.deepEqual(head, Object.keys(first ?? {}));
  assert.equal(rows.length, 4);
  const cell = (row: readonly string[] | undefined, name: string) => row?.[head.indexOf(name)];
  assert.deepEqual(
    rows.map((row) => [cell(row, 'installmentNumber'), cell(row, 'installmentValue')]),
    [
      ['1', '"33,3500"'],
      ['2', '"33,3300"'],
      ['3', '"33,3300"'],
      ['1', '"50,0000"'],
    ],
  );
  assert.equal(cell(rows[0], 'transactionReference'), sold.reference);
  assert.deepEqual(await exported(BY_SALE, daysAfter(soldOn, 1)), [head]);
});

test('streams bring the same rows, as JSON a line or as CSV', async () => {
  const shown = await service.searchByCode(sold);
  const lines = await stream(BY_SALE, { ...period(soldOn), format: 'ndjson' });
  assert.equal(lines.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  const rows = (await lines.text()).trimEnd().split('\n');
  assert.equal(rows.length, 4);
  assert.deepEqual(
    rows.slice(0, 3).map((row) => JSON.parse(row)),
    shown,
  );
  assert.match(rows[0] ?? '', /"installmentValue":33\.3500,/);
  const whole = (await exported(BY_SALE, soldOn)).map((row) => row.join(';')).join('\r\n');
  const csv = await stream(BY_SALE, { ...period(soldOn), format: 'csv-stream' });
  assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
  assert.equal(await csv.text(), `${whole}\r\n`);
  const preferred = await stream(BY_SALE, period(soldOn), { accept: 'text/csv' });
  assert.equal(await preferred.text(), `${whole}\r\n`);
});

test('HEAD of a stream reads nothing, and gives its place back', async () => {
  const url = `${service.integrationUrl}${BY_SALE}?${new URLSearchParams({ ...period(soldOn), format: 'ndjson' })}`;
  for (let asked = 0; asked < 20; asked += 1) {
    const headers = { authorization: `Bearer ${service.integrationToken}` };
    const reply = await fetch(url, { method: 'HEAD', headers });
    assert.equal(reply.status, 200);
    assert.equal(await reply.text(), '');
  }
});

test('a period backwards, of more than 93 days, or of another account is refused', async () => {
  const refused = async (query: Record<string, string>) => {
    const reply = await service.ask(BY_PAYMENT, query);
    return [reply.status, reply.body[0]?.tag];
  };
  assert.deepEqual(await refused(period(soldOn, daysAfter(soldOn, -1))), [400, 'endDate']);
  assert.deepEqual(await refused(period(soldOn, daysAfter(soldOn, 93))), [400, 'endDate']);
  const streamed = (days: number) => ({ ...period(soldOn, daysAfter(soldOn, days)), format: 'ndjson' });
  assert.equal((await service.ask(BY_PAYMENT, streamed(3_659))).status, 200);
  assert.deepEqual(await refused(streamed(3_660)), [400, 'endDate']);
  assert.deepEqual(await refused({ ...period(soldOn), startDate: '2026-02-30' }), [400, 'startDate']);
  assert.deepEqual(await refused({ ...period(soldOn), format: 'xml' }), [400, 'format']);
  assert.equal((await refused({ ...period(soldOn), accountNumber: '4711' }))[0], 404);
  assert.equal((await service.ask(BY_PAYMENT, period(soldOn, daysAfter(soldOn, 92)))).status, 200);
});

test('more rows than fit into one piece are refused by the name of the stream, which brings them all', async () => {
  // As many sales would take minutes: they are planted behind the follower.
  await service.auditor.query(
    `insert into receivables (merchant_id, transaction_id, installment_number, installment_count, account_number, nsu,
       authorization_code, brand, card_first_six, card_last_four, sold_at, sold_on, sale_amount, gross, canceled, installment_state,
       fee_portion, expected_fee, expected_net, expected_on)
     select $1, gen_random_uuid(), 1, 1, $2, n::text, '=HYPERLINK(n)', 'visa', '411111', '1111',
       '2026-01-10T12:00:00Z'::timestamptz + n * interval '10.7 microseconds', '2026-01-10', 100, 100, 0, 'authorized', 0, 0,
       100, '2026-02-09'
     from generate_series(1, 25000) n`,
    [service.merchantId, service.accountNumber],
  );
  const reply = await service.ask(BY_SALE, period('2026-01-10'));
  assert.equal(reply.status, 400);
  assert.equal(reply.body[0].tag, 'format');
  assert.match(reply.body[0].description, /csv-stream/);
  for (const [path, day] of [
    [BY_SALE, '2026-01-10'],
    [BY_PAYMENT, '2026-02-09'],
  ] as const) {
    const text = await (await stream(path, { ...period(day), format: 'csv-stream' })).text();
    const lines = text.trimEnd().split('\r\n');
    assert.equal(lines.length, 25_001);
    const numbers = new Set(lines.slice(1).map((line) => line.split(';')[6]));
    assert.equal(numbers.size, 25_000, 'each once');
    // No cell is a formula to a spreadsheet.
    assert.match(lines[1] ?? '', /;"'=HYPERLINK\(n\)";/);
  }
});

test('readers that do not read hold no connection and keep nobody from searching, and have their share of places', async () => {
  const { hostname, port } = new URL(service.integrationUrl);
  const path = `${BY_SALE}?${new URLSearchParams({ ...period('2026-01-10'), format: 'ndjson' })}`;
  const open = () => {
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${service.integrationToken}\r\n\r\n`,
    );
    return socket;
  };
  const active = async () => {
    const metrics = await (await fetch(service.metricsUrl)).text();
    return Number(/^http_server_active_requests (\d+)/m.exec(metrics)?.[1] ?? Number.NaN);
  };
  const sockets = Array.from({ length: 4 }, open);
  await until('all four are being answered', async () => (await active()) >= 4);
  assert.equal((await service.searchByCode(sold)).length, 3);
  const refused = await stream(BY_SALE, { ...period('2026-01-10'), format: 'ndjson' });
  assert.equal(refused.status, 503);
  assert.ok(refused.headers.get('retry-after'));
  for (const socket of sockets) socket.destroy();
  await until('their places are free', async () => {
    const reply = await stream(BY_SALE, { ...period(soldOn), format: 'ndjson' });
    return reply.status === 200 && (await reply.text()) !== '';
  });
});

test('a stop breaks streams off without waiting for their readers, and a part never looks whole', async () => {
  const beside = await service.startBeside();
  const { hostname, port } = new URL(beside.integrationUrl);
  const path = `${BY_SALE}?${new URLSearchParams({ ...period('2026-01-10'), format: 'ndjson' })}`;
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on('error', () => {});
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${service.integrationToken}\r\n\r\n`,
  );
  const isOver = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve) =>
    socket.on('data', (bytes) => {
      received.push(Buffer.from(bytes));
      socket.pause();
      resolve();
    }),
  );
  assert.deepEqual(await beside.stop(), []);
  socket.removeAllListeners('data');
  socket.on('data', (bytes) => received.push(Buffer.from(bytes)));
  socket.resume();
  await isOver;
  const text = Buffer.concat(received).toString('utf8');
  assert.match(text, /^HTTP\/1\.1 200 /);
  assert.doesNotMatch(text, /\r\n0\r\n\r\n$/);
});

test('what came is exported by the day on which it came, and what is expected by its forecast', async () => {
  await arrive(service.gatewayUrl, service.token, { advanceDays: 31 });
  const paidOn = businessDayFrom(daysAfter(soldOn, 30) as Day);
  const [head = [], ...rows] = await exported(BY_PAYMENT, paidOn);
  const column = (name: string) => rows.map((row) => row[head.indexOf(name)]);
  assert.deepEqual(column('installmentNumber'), ['1', '1']);
  assert.deepEqual(column('receivedStatus'), ['Recebido', 'Recebido']);
  assert.deepEqual(column('receivedDateEffective'), [paidOn, paidOn]);
});
