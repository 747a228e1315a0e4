import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { stopSignals } from './stop-signals.ts';

test('a signal that follows within half a second is the echo of the one before, a later one is an order of its own', async () => {
  const source = new EventEmitter();
  let now = 0;
  const signals = stopSignals(source, () => now);
  const first = signals.next();
  source.emit('SIGINT');
  assert.equal(await first, 'SIGINT');
  const received: string[] = [];
  const second = signals.next().then((signal) => received.push(signal));
  now = 499;
  source.emit('SIGINT');
  await new Promise((turn) => setImmediate(turn));
  assert.deepEqual(received, []);
  now = 500;
  source.emit('SIGTERM');
  await second;
  assert.deepEqual(received, ['SIGTERM']);
});

test('everybody who waits wakes at one signal', async () => {
  const source = new EventEmitter();
  const signals = stopSignals(source);
  const waiting = Promise.all([signals.next(), signals.next()]);
  source.emit('SIGHUP');
  assert.deepEqual(await waiting, ['SIGHUP', 'SIGHUP']);
});
