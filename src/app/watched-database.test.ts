import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { openMetrics } from '../platform/metrics.ts';
import type { Configuration } from './config.ts';
import { openWatchedGate } from './watched-database.ts';

test('a disk that has room for a beat now and then is said once, and once when it stays free', (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const stderr = mock.method(process.stderr, 'write', () => true);
  t.after(() => {
    stderr.mock.restore();
    mock.timers.reset();
  });
  const said: string[] = [];
  const write = (_: object, sentence: string) => void said.push(sentence);
  const log = {
    debug: write,
    info: write,
    warn: write,
    error: write,
    flushed: async () => {},
    close: async () => {},
  };
  const gate = openWatchedGate({ isWorkHeld: false } as Configuration, log, openMetrics());
  for (let times = 0; times < 100; times += 1) {
    gate.hold('unwritable', `the database takes no writes: ${times}`);
    gate.hold('unwritable', `the database takes no writes, for another table: ${times}`);
    mock.timers.tick(2_000);
    gate.open();
    mock.timers.tick(1_000);
  }
  assert.deepEqual(said.splice(0), ['all work is held']);
  gate.hold('restored', 'it is a copy');
  gate.open();
  assert.deepEqual(said.splice(0), ['all work is held', 'work goes on']);
  gate.hold('unwritable', 'the database takes no writes');
  gate.open();
  mock.timers.tick(10_000);
  assert.deepEqual(said, ['all work is held', 'work goes on']);
});
