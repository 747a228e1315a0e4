import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createForeignMerchant, FOREIGN_USER } from '../kit/foreign-merchant.ts';
import { call, logIn, pay, paymentRequest, tokenize } from '../kit/merchant.ts';
import { patiently } from '../kit/patience.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { exchange } from './wire.ts';

/** Strangers and one merchant take from the others neither connections nor places. */
let service: TestService;
let url: string;
let host: string;
let token: string;
let foreign: string;

/** Of few places, so that a test can take all that somebody may have: 4 for a merchant, 1 for strangers. */
const PLACES = 8;
const SILENT_AMOUNT = 1001;
/** Long enough for what the tests do meanwhile on a slow machine. */
const SILENT_MILLISECONDS = Math.min(patiently(7_500), 55_000);

before(async () => {
  service = await openTestService({
    PARCELA_REQUESTS_AT_ONCE: String(PLACES),
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: String(SILENT_MILLISECONDS),
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: String(2 * SILENT_MILLISECONDS),
    PARCELA_LOGIN_FAILURES_PER_ADDRESS: '1000000',
  });
  url = service.gatewayUrl;
  host = new URL(url).host;
  const { gateway } = await service.demo();
  token = await logIn(url, gateway);
  await createForeignMerchant(service.auditor, gateway.userName);
  foreign = await logIn(url, { ...gateway, userName: FOREIGN_USER });
});
after(() => service.close());

async function metric(name: string, labels: string): Promise<number> {
  const text = await (await fetch(service.metricsUrl)).text();
  const line = text.split('\n').find((found) => found.startsWith(`${name}{${labels}} `));
  return Number(line?.slice(line.lastIndexOf(' ')) ?? 0);
}

const cuts = (reason: string) => metric('parcela_connections_cut_total', `reason="${reason}"`);
async function heldBytes(): Promise<number> {
  const text = await (await fetch(service.metricsUrl)).text();
  return Number(/^parcela_body_bytes (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
}
const taken = () => metric('parcela_places_taken', 'caller="known"');

function headOf(method: string, path: string, lines: string, bearer: string | null = null): string {
  const authorization = bearer === null ? '' : `Authorization: Bearer ${bearer}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${authorization}${lines}\r\n`;
}

function post(path: string, body: string, bearer: string | null, length = body.length): string {
  const lines = `Content-Type: application/json\r\nContent-Length: ${length}\r\n`;
  return headOf('POST', path, lines, bearer) + body;
}

async function payment(amount: number): Promise<string> {
  return post('/v1/payments', JSON.stringify(paymentRequest(await tokenize(url, token), amount)), token);
}

/** Made one after the other: their tokens take places too. */
async function payments(count: number): Promise<string[]> {
  const made: string[] = [];
  while (made.length < count) made.push(await payment(SILENT_AMOUNT));
  return made;
}

function open(bytes: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

/** A login that begins, and whose body comes no further. */
const slowLogin = () => post('/api/auth/token', '{', null, 60_000);

/**
 * Asks again and again over one connection and never reads; when it is cut, over the next. Gives
 * what ends it.
 */
function askAndNeverRead(): () => void {
  // Until the system takes no more of the answers, the service cannot know that they are not read.
  let socket = open('').pause();
  const asking = setInterval(() => {
    if (socket.destroyed) socket = open('').pause();
    socket.write(headOf('GET', '/docs', ''));
  }, 100);
  return () => {
    clearInterval(asking);
    socket.destroy();
  };
}

test('callers that ask and never read are cut, and the others are served all the while', async () => {
  const endings = Array.from({ length: 20 }, askAndNeverRead);
  await until('ten of them were cut', async () => {
    const { reply } = await pay(url, token, 12_990);
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await call(url, '/health/live')).status, 200);
    return (await cuts('unreadAnswer')) >= 10;
  });
  for (const end of endings) end();
});

test('a body that does not come is waited for five seconds while its caller is not known', async () => {
  const before = await cuts('slowBody');
  const slow = Array.from({ length: 20 }, () => exchange(url, [slowLogin()]));
  const { gateway } = await service.demo();
  assert.equal(typeof (await logIn(url, gateway)), 'string', 'a body on its way takes no place');
  const refused = await exchange(url, [post('/v1/payments', '{', 'x'.repeat(43), 60_000)]);
  for (const { answers } of await Promise.all(slow))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400],
    );
  assert.deepEqual(
    refused.answers.map(({ status }) => status),
    [401],
  );
  assert.ok((await cuts('slowBody')) >= before + slow.length + 1);
});

test('a payment whose body comes behind the answer that it did not come is not carried out', async () => {
  const LATE_AMOUNT = 4_321;
  const request = await payment(LATE_AMOUNT);
  const socket = open(request.slice(0, -1));
  const came: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => came.push(chunk));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await until('it is refused', async () => Buffer.concat(came).toString('latin1').startsWith('HTTP/1.1 400'));
  socket.write(request.slice(-1));
  socket.end();
  await closed;
  assert.equal((await pay(url, token, 2_000)).reply.status, 200);
  const rows = await service.auditor.query('select 1 from transactions where amount = $1', [LATE_AMOUNT]);
  assert.equal(rows.length, 0);
});

test('a slow request that waits behind a payment has its time when its turn comes, and does not cut the payment', async () => {
  const { answers } = await exchange(url, [(await payment(SILENT_AMOUNT)) + slowLogin()]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [500, 400],
    'the payment that the acquirer did not answer, and the login whose body did not come',
  );
});

test('a payment is answered however many requests were sent behind it, and none of these is begun beside it', async () => {
  const before = await cuts('pipelining');
  const behind = headOf('GET', '/v1/cards/public-key', '', token);
  const { answers, rest } = await exchange(url, [(await payment(1_000)) + behind.repeat(100)]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal(rest, '');
  assert.equal(await cuts('pipelining'), before + 1);
});

test('one merchant has half of the places: what it sends beyond is refused and not begun, and nobody else waits', async () => {
  const requests = await payments(12);
  const sockets = requests.map(open);
  const chunks = sockets.map((socket) => {
    const came: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => came.push(chunk));
    return came;
  });
  const answers = () => chunks.map((came) => Buffer.concat(came).toString('latin1'));
  const refusals = () => answers().filter((answer) => answer.startsWith('HTTP/1.1 503'));
  await until('eight are refused', async () => refusals().length === 8);
  assert.equal(await taken(), PLACES / 2);
  for (const refusal of refusals()) assert.match(refusal, /\r\nretry-after: \d+\r\n/i);
  const { gateway } = await service.demo();
  const [refused, live, ready, paid, login] = await Promise.all([
    call(url, '/v1/cards/public-key', { token }),
    call(url, '/health/live'),
    call(url, '/health/ready'),
    pay(url, foreign, 2_000),
    call(url, '/api/auth/token', { body: gateway }),
  ]);
  assert.deepEqual(
    [refused, live, ready, paid.reply, login].map(({ status }) => status),
    [503, 200, 200, 200, 200],
  );
  assert.equal(await taken(), PLACES / 2, 'all of that while the places were taken');
  await until('the others are answered', async () => answers().every((answer) => answer !== ''));
  assert.equal(refusals().length, 8);
  for (const socket of sockets) socket.destroy();
  const [row] = await service.auditor.query(
    `select count(*)::int as "count" from transactions where amount = $1 and merchant_id <> 'OUTRA'`,
    [SILENT_AMOUNT],
  );
  assert.equal(row?.count, 4 + 1, 'with the one of the test before');
  await until('the places are free', async () => (await taken()) === 0);
  assert.equal((await pay(url, token, 2_000)).reply.status, 200);
});

test('bodies of one address take so much memory in all, and merchants and what comes later find theirs', async () => {
  const refusedBodies = () => metric('parcela_bodies_refused_total', 'reason="share"');
  const largest = 64 * 1024;
  const begun = post('/api/auth/token', 'x'.repeat(largest - 1), null, largest);
  // Half of the eighth of 64 MiB is what one address of strangers gets.
  const answers = Promise.all(Array.from({ length: 100 }, () => exchange(url, [begun])));
  await until('some are refused', async () => (await refusedBodies()) > 0);
  assert.equal((await pay(url, token, 2_000)).reply.status, 200);
  const statuses = (await answers).map(({ answers: [answer] }) => answer?.status);
  assert.ok(statuses.includes(503), String(statuses));
  assert.ok(
    statuses.every((status) => status === 503 || status === 400),
    'refused at once, or because the rest did not come',
  );
  await until('their memory is free', async () => (await heldBytes()) === 0);
  const { gateway } = await service.demo();
  assert.equal(typeof (await logIn(url, gateway)), 'string');
});

test('callers that leave give their places back when their work is done', async () => {
  const sockets = (await payments(4)).map(open);
  await until('all of them are under way', async () => (await taken()) === 4);
  for (const socket of sockets) socket.destroy();
  await until('the places are free', async () => (await taken()) === 0);
  assert.equal((await pay(url, token, 2_000)).reply.status, 200);
});

test('through all of that nothing failed inside', () => {
  const errors = service.log.filter((line) => (JSON.parse(line) as { level: string }).level === 'error');
  assert.deepEqual(errors, []);
});
