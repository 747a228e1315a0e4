import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { sliceOf, turnOf } from '../kit/patience.ts';
import { SEED } from '../kit/seed.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { ENDPOINTS } from '../published.ts';
import {
  bodyOfSize,
  brokenBodies,
  inChunks,
  mangledBodies,
  RIGHT_TYPES,
  WRONG_ENCODINGS,
  WRONG_TYPES,
} from './body-cases.ts';
import { exchange, type WireAnswer } from './wire.ts';

const MANGLED = Number(process.env.MANGLED ?? sliceOf(150, 3));
/** Each is tried at every fifth endpoint, in the proof at every one: one door reads all bodies. */
const TURNS = 5;
const LARGEST_BODY_BYTES = 65_536;
const UNKNOWN_ID = '01a1fda5-9d1d-70d6-9279-f5283287e1fa';

let service: TestService;
let host: string;
let gateway: string;
let recurrence: string;
let integration: string;

before(async () => {
  service = await openTestService({ PARCELA_LOGIN_FAILURES_PER_ADDRESS: '1000000' });
  host = new URL(service.gatewayUrl).host;
  const demo = await service.demo();
  gateway = await logIn(service.gatewayUrl, demo.gateway);
  recurrence = await logIn(service.gatewayUrl, demo.recurrence);
  integration = await logIn(service.integrationUrl, demo.integration, '/api/authentication/login');
});
after(() => service.close());

/** A new endpoint with a body is covered by standing in the list. */
const withBody = ENDPOINTS.filter(({ body }) => body !== undefined);

function tokenFor({ api, scope }: Contract): string | null {
  if (scope === 'recurrence') return recurrence;
  return scope === null ? null : api === 'integration' ? integration : gateway;
}

function pathOf({ path }: Contract): string {
  return path.replaceAll(/\{\w+\}/g, UNKNOWN_ID);
}

function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One request over a connection of its own; its only answer. */
async function send(
  endpoint: Contract,
  headers: string,
  body: string | Uint8Array,
  token = tokenFor(endpoint),
): Promise<WireAnswer> {
  const authorization = token === null ? '' : `Authorization: Bearer ${token}\r\n`;
  const head = `${endpoint.method} ${pathOf(endpoint)} HTTP/1.1\r\nHost: ${host}\r\n${authorization}Connection: close\r\n${headers}\r\n`;
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  const { answers, rest } = await exchange(service.gatewayUrl, [
    Buffer.concat([Buffer.from(head, 'latin1'), bytes]),
  ]);
  assert.equal(answers.length, 1, `${endpoint.id} answered ${answers.length} times`);
  assert.equal(rest, '');
  return answers[0] as WireAnswer;
}

const length = (size: number) => `Content-Length: ${size}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';

for (const [place, endpoint] of withBody.entries()) {
  const share = <T>(all: readonly T[]) => turnOf(all, place, TURNS);
  const example = JSON.stringify(endpoint.bodyExample ?? {});
  const path = pathOf(endpoint);
  const { id, method } = endpoint;

  test(`${id} refuses every body that is no JSON in UTF-8`, async () => {
    for (const { name, bytes } of share(brokenBodies(example, random(SEED)))) {
      const reply = await call(service.gatewayUrl, path, { method, token: tokenFor(endpoint), raw: bytes });
      assert.equal(reply.status, 400, `a body ${name} (SEED=${SEED}): ${reply.text}`);
      if (endpoint.scope === null) continue;
      const unknown = await call(service.gatewayUrl, path, { method, raw: bytes });
      assert.equal(unknown.status, 401, `a body ${name}, without a token`);
      assert.equal(unknown.text, '');
    }
  });

  test(`${id} fails at no body, however it was mangled`, async (context) => {
    context.diagnostic(`SEED=${SEED} MANGLED=${MANGLED}`);
    for (const { name, bytes } of mangledBodies(example, MANGLED, random(SEED))) {
      const reply = await call(service.gatewayUrl, path, { method, token: tokenFor(endpoint), raw: bytes });
      const reported = `a body ${name} (SEED=${SEED}): ${reply.status}\n${Buffer.from(bytes).toString('latin1')}`;
      assert.ok(reply.status >= 200 && reply.status < 500, reported);
    }
  });

  test(`${id} takes JSON in UTF-8 by its type, and nothing else`, async () => {
    const headers = (type: string) => `Content-Type: ${type}\r\n${length(2)}`;
    for (const type of share(WRONG_TYPES)) {
      assert.equal((await send(endpoint, headers(type), '{}')).status, 415, JSON.stringify(type));
      const unknown = await send(endpoint, headers(type), '{}', null);
      assert.equal(unknown.status, endpoint.scope === null ? 415 : 401, JSON.stringify(type));
    }
    assert.equal((await send(endpoint, length(2), '{}')).status, 415, 'without a type');
    for (const type of share(RIGHT_TYPES)) {
      const { status } = await send(endpoint, headers(type), '{}');
      assert.ok(status !== 415 && status < 500, `${type}: ${status}`);
    }
    const zipped = gzipSync(example);
    for (const encoding of share(WRONG_ENCODINGS)) {
      const packed = `${JSON_TYPE}Content-Encoding: ${encoding}\r\n${length(zipped.length)}`;
      assert.equal((await send(endpoint, packed, zipped)).status, 415, `content-encoding ${encoding}`);
    }
  });

  test(`${id} reads 64 KiB, in one piece or in chunks, and not a byte more`, async () => {
    const whole = bodyOfSize(LARGEST_BODY_BYTES);
    const tooLong = bodyOfSize(LARGEST_BODY_BYTES + 1);
    assert.equal(Buffer.byteLength(tooLong), LARGEST_BODY_BYTES + 1);
    const { status } = await send(endpoint, JSON_TYPE + length(whole.length), whole);
    assert.ok(status !== 413 && status < 500, `64 KiB: ${status}`);
    assert.equal((await send(endpoint, JSON_TYPE + length(tooLong.length), tooLong)).status, 413);
    for (const size of share([70_000, 16_384, 1_000, 500, 100])) {
      const chunked = `${JSON_TYPE}Transfer-Encoding: chunked\r\n`;
      const taken = await send(endpoint, chunked, inChunks(whole, size));
      assert.equal(taken.status, status, `64 KiB in chunks of ${size}`);
      assert.equal(
        (await send(endpoint, chunked, inChunks(tooLong, size))).status,
        413,
        `in chunks of ${size}`,
      );
    }
    const announced = await send(endpoint, JSON_TYPE + length(Number.MAX_SAFE_INTEGER), 'x');
    assert.equal(announced.status, 413, 'what is announced as too long is not waited for');
  });
}

test('callers who never come to an end are sent away, and nobody waits for them', async () => {
  const drip = { pause: 100 };
  const bytes = (text: string) => [...text];
  const head = (path: string, token: string | null) =>
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${JSON_TYPE}${token === null ? '' : `Authorization: Bearer ${token}\r\n`}`;
  const slow = await Promise.all([
    exchange(service.gatewayUrl, []),
    exchange(service.gatewayUrl, bytes('G'.repeat(500)), drip),
    exchange(service.gatewayUrl, bytes(head('/v1/payments', gateway).padEnd(800, 'X: x\r\n')), drip),
    ...turnOf(withBody, 0, TURNS).map((endpoint) =>
      exchange(
        service.gatewayUrl,
        [
          `${head(pathOf(endpoint), tokenFor(endpoint))}${length(1_000)}\r\n`,
          ...bytes('{"x":"'.padEnd(800, 'y')),
        ],
        drip,
      ),
    ),
    exchange(
      service.gatewayUrl,
      [
        `${head('/v1/payments', gateway)}Transfer-Encoding: chunked\r\n\r\n`,
        ...bytes('1\r\ny\r\n'.repeat(130)),
      ],
      drip,
    ),
    exchange(
      service.gatewayUrl,
      [`${head('/v1/payments', null)}${length(1_000)}\r\n`, ...bytes('y'.repeat(800))],
      drip,
    ),
  ]);
  for (const [index, { answers }] of slow.entries()) {
    const statuses = answers.map(({ status }) => status);
    assert.ok(
      statuses.length <= 1 && statuses.every((status) => status >= 400 && status < 500),
      `${index}: ${statuses}`,
    );
  }
  assert.equal(slow.at(-1)?.answers[0]?.status, 401, 'who is unknown is told at once, and then sent away');
});

test('bodies that end before their length are refused, and nothing is done', async () => {
  for (const endpoint of withBody) {
    const token = tokenFor(endpoint);
    const authorization = token === null ? '' : `Authorization: Bearer ${token}\r\n`;
    const head = `${endpoint.method} ${pathOf(endpoint)} HTTP/1.1\r\nHost: ${host}\r\n${JSON_TYPE}${authorization}`;
    const body = JSON.stringify(endpoint.bodyExample ?? {});
    for (const framing of [length(body.length + 1), 'Transfer-Encoding: chunked\r\n']) {
      const sent = framing.startsWith('T') ? inChunks(body, 64).slice(0, -5) : body;
      const { answers } = await exchange(service.gatewayUrl, [`${head}${framing}\r\n${sent}`], {
        isEnded: true,
      });
      assert.ok(
        answers.length <= 1 && answers.every(({ status }) => status === 400),
        `${endpoint.id} ${framing}`,
      );
    }
  }
});

test('through all of that nothing failed inside, and payments go on', async () => {
  // What was read whole among it may have been a script of declines.
  await call(service.gatewayUrl, '/homologation/acquirer/script', {
    method: 'PUT',
    token: gateway,
    body: { steps: [] },
  });
  const { reply } = await pay(service.gatewayUrl, gateway, 2000);
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(
    service.log.filter((line) => (JSON.parse(line) as { level: string }).level === 'error'),
    [],
  );
});
