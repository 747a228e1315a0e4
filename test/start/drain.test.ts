import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { call, logIn, pay, paymentRequest, tokenize } from '../kit/merchant.ts';
import { openTestProcess, type TestProcess, until } from '../kit/service.ts';

/** A service that the test may stop, and whatever happens does not outlive it. */
async function withService(settings: Record<string, string>, use: (service: TestProcess) => Promise<void>) {
  const service = await openTestProcess(settings);
  try {
    await use(service);
  } finally {
    if (service.process.exitCode === null) service.process.kill('SIGKILL');
    await service.close();
  }
}

/** A connection over which text is written; `came` is what was answered so far. */
function openConnection(url: string) {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, host, closed, came: () => Buffer.concat(chunks).toString() };
}

function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', () => resolve(true));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}

const exitOf = ({ process }: TestProcess) =>
  new Promise<number | null>((resolve) => process.once('exit', resolve));

test('a process that is to stop says so, serves on for a while over connections that end, and stops on a second signal', () =>
  withService({ PARCELA_DRAIN_SECONDS: '300' }, async (service) => {
    const { gatewayUrl: url } = service;
    const token = await logIn(url, (await service.demo()).gateway);
    assert.equal((await call(url, '/health/ready')).status, 200);
    const ended = exitOf(service);
    service.process.kill('SIGTERM');
    const notReady = await until('readiness says no', async () => {
      const reply = await call(url, '/health/ready');
      return reply.status === 503 && reply;
    });
    assert.deepEqual(notReady.body, { status: 'unavailable', reason: 'stopping' });
    assert.equal((await call(url, '/health/live')).status, 200);
    const { reply } = await pay(url, token, 12_990);
    assert.equal(reply.status, 200, reply.text);
    const lasting = openConnection(url);
    lasting.socket.write(`GET /health/live HTTP/1.1\r\nHost: ${lasting.host}\r\n\r\n`);
    await lasting.closed;
    assert.match(lasting.came(), /^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n/i);
    // The second signal, until it counts: one that follows at once is the echo that npm makes of the first.
    const exit = until('it ends', async () => {
      if (service.process.exitCode === null) service.process.kill('SIGTERM');
      return service.process.exitCode !== null;
    });
    await exit;
    assert.ok([0, 1].includes((await ended) as number));
  }));

test('a process ends by itself when its drain is over', () =>
  withService({ PARCELA_DRAIN_SECONDS: '1' }, async (service) => {
    assert.equal(await service.stop(), 0);
    assert.match(service.said.join('\n'), /Stopping in 1 s/);
    assert.doesNotMatch(service.said.join('\n'), /could not close/);
  }));

test('while the doors close, what was begun is answered and what comes is refused as the contract says', () =>
  withService({ PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '4000' }, async (service) => {
    const { gatewayUrl: url } = service;
    const token = await logIn(url, (await service.demo()).gateway);
    const request = paymentRequest(await tokenize(url, token), 1001);
    const openLate = () => {
      const late = openConnection(url);
      late.socket.write(
        `POST /v1/payments HTTP/1.1\r\nHost: ${late.host}\r\nAuthorization: Bearer ${token}\r\n`,
      );
      return late;
    };
    const latecomers = Array.from({ length: 100 }, openLate);
    const paying = call(url, '/v1/payments', { token, body: request });
    await until('the payment is under way', async () => {
      const [row] = await service.auditor.query(`select count(*)::int as "count" from transactions`);
      return row?.count === 1;
    });
    const ended = exitOf(service);
    service.process.kill('SIGTERM');
    await until('the listener is closed', () => isRefused(url));
    // Those who come at once are served, later ones are refused.
    const refused = await until('a latecomer is refused', async () => {
      const late = latecomers.pop();
      assert.ok(late !== undefined, 'all of them were served');
      late.socket.write('Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}');
      await late.closed;
      assert.match(late.came(), /^HTTP\/1\.1 (400|503) [\s\S]*\r\nconnection: close\r\n/i);
      await new Promise((later) => setTimeout(later, 100));
      return late.came().startsWith('HTTP/1.1 503') && late.came();
    });
    for (const late of latecomers) late.socket.destroy();
    assert.match(refused, /\r\nretry-after: \d+\r\n/i);
    const [, body = ''] = refused.split('\r\n\r\n');
    assert.equal(JSON.parse(body)[0].tag, '__general__', 'an array of tag and description');
    assert.equal((await paying).status, 500, 'the answer of a silent acquirer, not a broken connection');
    assert.equal(await ended, 0);
  }));

test('half a head of a request that never goes on keeps no process from its end', () =>
  withService({ PARCELA_DRAIN_SECONDS: '0' }, async (service) => {
    const half = openConnection(service.gatewayUrl);
    half.socket.write(`POST /v1/payments HTTP/1.1\r\nHost: ${half.host}\r\n`);
    assert.equal((await call(service.gatewayUrl, '/health/live')).status, 200);
    assert.equal(await service.stop(), 0);
    await half.closed;
    assert.doesNotMatch(service.said.join('\n'), /could not close/);
  }));
