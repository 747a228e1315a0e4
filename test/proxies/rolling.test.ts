import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skipWithout } from '../../tools/test-programs.ts';
import { PROXY_NAMES } from './proxies.ts';
import { restartInTurn } from './rolling.ts';

for (const name of PROXY_NAMES) {
  test(`two processes behind ${name} are restarted in turn and no request fails`, {
    skip: skipWithout(name),
  }, async (context) => {
    const report = await restartInTurn(name, { restarts: 2, perSecond: 20, drainSeconds: 5 });
    context.diagnostic(`${report.payments} payments`);
    assert.deepEqual(report.failures, []);
    assert.equal(report.requests, 2 * report.payments);
    assert.equal(report.approved, report.payments);
  });
}
