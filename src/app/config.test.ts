import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfiguration } from './config.ts';

test('a service that is told nothing bounds what callers take', () => {
  const { connections, requestsAtOnce, requestsPerSecond, loginFailures } = readConfiguration({});
  assert.deepEqual(
    { connections, requestsAtOnce, requestsPerSecond, loginFailures },
    {
      connections: { inAll: 8_000, perAddress: 1_000 },
      requestsAtOnce: 2_000,
      requestsPerSecond: { perCredential: 1_000, perMerchant: 2_000, perAddress: 500 },
      loginFailures: { perUserName: 50, perAddress: 100 },
    },
  );
});
