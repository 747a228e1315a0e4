import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionReserve } from './connection-reserve.ts';

test('an address that floods the reserve only takes from itself', () => {
  const reserve = new ConnectionReserve<string>();
  assert.equal(reserve.keep('watcher', '10.0.0.1'), null);
  const gone: string[] = [];
  for (let number = 0; number < 100; number += 1) {
    const one = reserve.keep(`flood ${number}`, '192.0.2.1');
    if (one === null) continue;
    gone.push(one);
    reserve.leave(one);
  }
  assert.equal(reserve.size, 16);
  assert.equal(gone.length, 85);
  assert.equal(gone[0], 'flood 0');
  assert.ok(!gone.includes('watcher'));
});
