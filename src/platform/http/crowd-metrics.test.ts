import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Overloaded } from '../work/fair-line.ts';
import { observeRefused } from './crowd-metrics.ts';

test('refusals of more merchants than are counted apart name none of them, and all are counted', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const lines: { merchantId?: string; reason?: string; times: number }[] = [];
    const warn = (fields: object) => void lines.push(fields as (typeof lines)[number]);
    const log = { debug() {}, info() {}, warn, error() {}, flushed: async () => {}, close: async () => {} };
    const refused = observeRefused(log, { explains: () => false });
    for (let merchant = 0; merchant < 1_000; merchant += 1)
      refused.note(new Overloaded('the line is full'), { requestId: 'a', merchantId: `M-${merchant}` });
    mock.timers.tick(120_000);
    const others = lines.filter(({ merchantId }) => merchantId === undefined);
    assert.equal(lines.length - others.length, 100);
    assert.ok(others.length > 0 && others.every(({ reason }) => reason === 'others'));
    assert.equal(others[0]?.times, 1);
  } finally {
    mock.timers.reset();
  }
});
