import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import { endsItsToken } from '../hostile/recipes.ts';
import { logIn, pay, paymentRequest, tokenize } from '../kit/merchant.ts';
import { turnOf } from '../kit/patience.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { ENDPOINTS } from '../published.ts';
import { FRAMING_CASES, type FramingCase, SMUGGLED_METHOD, SMUGGLED_PATH } from './framing-cases.ts';
import { spellingsOf } from './path-cases.ts';
import { type Exchange, exchange } from './wire.ts';

let service: TestService;
let host: string;
let gateway: string;
let recurrence: string;
let integration: string;
let demo: Demo;
const asked = new Map<FramingCase, number>();

before(async () => {
  service = await openTestService({
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '1500',
    PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL: '100000',
    PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT: '100000',
  });
  host = new URL(service.gatewayUrl).host;
  demo = await service.demo();
  gateway = await logIn(service.gatewayUrl, demo.gateway);
  recurrence = await logIn(service.gatewayUrl, demo.recurrence);
  integration = await logIn(service.integrationUrl, demo.integration, '/api/authentication/login');
});
after(() => service.close());

/** The simulator answers nothing to this amount: the payment waits until the acquirer's time is over. */
const SILENT_AMOUNT = 1001;
const AT_ONCE = 8;

async function each<T>(things: readonly T[], visit: (thing: T) => Promise<string[]>): Promise<string[]> {
  const waiting = [...things];
  const complaints: string[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let thing = waiting.shift(); thing !== undefined; thing = waiting.shift())
        complaints.push(...(await visit(thing)));
    }),
  );
  return complaints;
}

function headersFor(token: string | null): string {
  const authorization = token === null ? '' : `Authorization: Bearer ${token}\r\n`;
  return `Host: ${host}\r\n${authorization}Content-Type: application/json\r\n`;
}

/**
 * Behind every hostile request stands an honest one of the next caller: it is answered as itself,
 * or not at all.
 */
const nextRequest = () => `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

async function tokenOf(endpoint: Contract): Promise<string> {
  const { api, scope } = endpoint;
  // Its own each time: it is ended.
  if (endsItsToken(endpoint)) return logIn(service.gatewayUrl, demo.gateway);
  if (scope === 'recurrence') return recurrence;
  return api === 'integration' ? integration : gateway;
}

function pathOf({ path }: Contract): string {
  return path.replaceAll(/\{\w+\}/g, '01a1fda5-9d1d-70d6-9279-f5283287e1fa');
}

type Asker = { readonly isKnown: boolean; readonly readsBody: boolean };

/** What is wrong with the answers; null when nothing is. */
function complaintOf({ verdict }: FramingCase, asker: Asker, { answers, rest }: Exchange): string | null {
  const reported = answers.map(({ status }) => status).join(', ') || 'nothing';
  const [first, next] = answers;
  if (rest !== '') return `half an answer: ${rest}`;
  if (answers.some(({ status }) => status < 200 || status >= 500)) return `answered ${reported}`;
  const isOne = answers.length === 1;
  const isRefusal = first?.status === 400 && /^[[{]"?(\{"tag|authenticated)"/.test(first.body);
  switch (verdict) {
    case 'ended':
      return answers.length <= 1 ? null : `should end, answered ${reported}`;
    case 'refused':
      return isOne && isRefusal ? null : `should be refused, answered ${reported} ${first?.body}`;
    case 'brokenBody':
      if (!isOne) return `should end behind one answer, answered ${reported}`;
      return !asker.isKnown || !asker.readsBody || isRefusal
        ? null
        : `should be refused, answered ${reported}`;
    case 'cut':
      return isOne ? null : `should be cut, answered ${reported}`;
    case 'handled':
      if (!asker.isKnown && (first?.status !== 401 || first.body !== '')) return `not 401 but ${reported}`;
      if (first?.headers.get('connection') === 'close')
        return isOne ? null : `closed and answered ${reported}`;
      if (answers.length !== 2) return `should be handled, answered ${reported}`;
      return next?.body === '{"status":"ok"}' ? null : `the next request was answered ${next?.body}`;
  }
}

/** To the first endpoint of each kind goes every shape, to each other one the shapes whose turn it is. */
const TURNS = 12;
const kindOf = ({ scope, body }: Contract) => `${scope === null} ${body === undefined}`;
const FIRSTS = new Set(
  Map.groupBy(ENDPOINTS, kindOf)
    .values()
    .map(([first]) => first),
);

for (const [turn, endpoint] of ENDPOINTS.entries()) {
  const { id, method, scope } = endpoint;
  const shapes = FIRSTS.has(endpoint) ? FRAMING_CASES : turnOf(FRAMING_CASES, turn, TURNS);
  test(`no shape of a request confuses where ${id} ends and the next request begins`, async () => {
    const complaints = await each(shapes, async (framing) => {
      const found: string[] = [];
      for (const token of scope === null ? [null] : [null, await tokenOf(endpoint)]) {
        const asker = { isKnown: scope === null || token !== null, readsBody: endpoint.body !== undefined };
        const honest = { method, path: pathOf(endpoint), host, headers: headersFor(token) };
        const bytes = framing.bytes(honest);
        const pieces = framing.isPatient ? [bytes, nextRequest()] : [bytes + nextRequest()];
        const answered = await exchange(service.gatewayUrl, pieces, {
          isPatient: framing.isPatient === true,
        });
        asked.set(framing, (asked.get(framing) ?? 0) + 1);
        const complaint = complaintOf(framing, asker, answered);
        if (complaint !== null)
          found.push(`${framing.name}${token === null ? '' : ' with a token'}: ${complaint}`);
      }
      return found;
    });
    assert.deepEqual(complaints, []);
  });
}

test('no spelling of a path reaches what asks for a token without one', async () => {
  const guarded = ENDPOINTS.filter(({ scope }) => scope !== null);
  const complaints = await each([...guarded.entries()], async ([turn, endpoint]) => {
    const found: string[] = [];
    const known = await tokenOf(endpoint);
    for (const target of turnOf(spellingsOf(pathOf(endpoint)), turn, TURNS)) {
      for (const token of [null, known]) {
        const { answers, rest } = await exchange(service.gatewayUrl, [
          `${endpoint.method} ${target} HTTP/1.1\r\n${headersFor(token)}Connection: close\r\n\r\n`,
        ]);
        const status = answers[0]?.status ?? 0;
        const isRefused = status === 400 || status === 401;
        const isFine = token === null ? isRefused : status >= 200 && status < 500;
        if (!isFine || answers.length !== 1 || rest !== '' || answers[0]?.headers.has('x-injected'))
          found.push(`${endpoint.method} ${target.slice(0, 100)}: ${status}`);
      }
    }
    return found;
  });
  assert.deepEqual(complaints, []);
});

test('requests sent one behind another without waiting are answered each once and in their order', async () => {
  const paths = ['/nowhere', '/health/ready'];
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const { answers } = await exchange(service.gatewayUrl, [requests.join('') + nextRequest()]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 200, 200],
  );
});

test('of more requests than may wait the first three are answered, and the connection ends', async () => {
  const request = `GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  for (const count of [4, 60, 5_000]) {
    const { answers, rest } = await exchange(service.gatewayUrl, [request.repeat(count)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(rest, '');
    assert.equal(answers.at(-1)?.headers.get('connection'), 'close');
  }
});

test('rubbish behind a payment is not taken for the answer to the payment', async () => {
  const body = JSON.stringify(paymentRequest(await tokenize(service.gatewayUrl, gateway), 1000));
  const payment = `POST /v1/payments HTTP/1.1\r\n${headersFor(gateway)}Content-Length: ${body.length}\r\n\r\n${body}`;
  const { answers } = await exchange(service.gatewayUrl, [`${payment}\x01rubbish\r\n\r\n${nextRequest()}`]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200],
    'it was charged and says so; then the connection ended',
  );
});

test('callers that leave while their requests wait one behind another use up no place', async () => {
  const behind = `GET /v1/cards/public-key HTTP/1.1\r\n${headersFor(gateway)}\r\n`;
  const bodies = await Promise.all(
    Array.from({ length: 5 }, async () =>
      JSON.stringify(paymentRequest(await tokenize(service.gatewayUrl, gateway), SILENT_AMOUNT)),
    ),
  );
  const sockets = bodies.map((body) => {
    const socket = connect(Number(new URL(service.gatewayUrl).port), '127.0.0.1');
    socket.on('error', () => {});
    const head = `POST /v1/payments HTTP/1.1\r\n${headersFor(gateway)}Content-Length: ${body.length}\r\n\r\n`;
    socket.write(head + body + behind.repeat(2));
    return socket;
  });
  const most = await until('payments are under way', async () => (await placesTaken()) || null);
  for (const socket of sockets) socket.destroy();
  assert.ok(most <= sockets.length, 'what waits behind a payment has no place of its own');
  await until('none is under way', async () => (await placesTaken()) === 0);
});

/** A payment and what waits behind it take one place. */
async function placesTaken(): Promise<number> {
  const text = await (await fetch(service.metricsUrl)).text();
  return Number(/^parcela_places_taken\{caller="known"\} (\d+)$/m.exec(text)?.[1]);
}

test('through all of that nothing failed inside, nothing smuggled was served, and payments go on', async () => {
  const least = FIRSTS.size + Math.floor((ENDPOINTS.length - FIRSTS.size) / TURNS);
  for (const framing of FRAMING_CASES)
    assert.ok((asked.get(framing) ?? 0) >= least, `${framing.name} was sent to ${least} endpoints`);
  const { reply } = await pay(service.gatewayUrl, gateway, 2000);
  assert.equal(reply.status, 200, reply.text);
  const lines = service.log.map(
    (line) => JSON.parse(line) as { level: string; route?: string; method?: string },
  );
  assert.deepEqual(
    lines.filter(({ level }) => level === 'error'),
    [],
  );
  const served = lines.filter(({ route, method }) => route === SMUGGLED_PATH && method === SMUGGLED_METHOD);
  assert.equal(served.length, 0);
});
