import assert from 'node:assert/strict';
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
