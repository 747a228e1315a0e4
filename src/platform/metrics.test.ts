import assert from 'node:assert/strict';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { openMetrics, serveMetrics } from './metrics.ts';

test('metrics that need a token are read by nobody while there is none, and by its bearer alone', async (t) => {
  let authorization: string | undefined;
  const server = await serveMetrics(openMetrics(), {
    host: '127.0.0.1',
    port: 0,
    needsToken: true,
    authorization: () => authorization,
  });
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const status = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
    await response.text();
    return response.status;
  };
  assert.equal(await status(), 401);
  for (const shown of ['Bearer undefined', 'Bearer '])
    assert.equal(await status({ authorization: shown }), 401);
  authorization = 'Bearer right-token';
  assert.equal(await status(), 401);
  assert.equal(await status({ authorization: 'Bearer wrong-token' }), 401);
  assert.equal(await status({ authorization: 'Bearer right-token' }), 200);
});

test('metrics of this machine alone are read by its own names, by no other that leads here', async (t) => {
  const server = await serveMetrics(openMetrics(), {
    host: '127.0.0.1',
    port: 0,
    needsToken: false,
    authorization: () => undefined,
  });
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const status = (host: string) => {
    const answered = Promise.withResolvers<number | undefined>();
    get({ host: '127.0.0.1', port, path: '/metrics', headers: { host } }, (response) => {
      response.resume();
      answered.resolve(response.statusCode);
    }).on('error', answered.reject);
    return answered.promise;
  };
  for (const own of [`127.0.0.1:${port}`, '127.0.0.1', `localhost:${port}`, 'LOCALHOST', `[::1]:${port}`])
    assert.equal(await status(own), 200, own);
  for (const other of ['shop.example', `shop.example:${port}`, 'localhost.shop.example', '192.0.2.1', 'a b'])
    assert.equal(await status(other), 421, other);
});
