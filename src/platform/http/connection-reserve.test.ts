import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionReserve, ConnectionsByAddress } from './caller-connections.ts';

test('an address that floods the reserve only takes from itself', () => {
  const reserve = new ConnectionReserve<string>();
  assert.equal(reserve.keep('watcher', '10.0.0.1'), null);
  const gone: string[] = [];
  for (let number = 0; number < 100; number += 1) {
    const one = reserve.keep(`flood ${number}`, '192.0.2.1');
    if (one === null) continue;
    gone.push(one);
    reserve.leave(one, '192.0.2.1');
  }
  assert.equal(reserve.size, 16);
  assert.equal(gone.length, 85);
  assert.equal(gone[0], 'flood 0');
  assert.ok(!gone.includes('watcher'));
});

test('room is made by the oldest of the address that has the most, and by no one who is served', () => {
  const strangers = new ConnectionsByAddress<string>();
  for (const [one, address] of [
    ['a1', 'a'],
    ['b1', 'b'],
    ['b2', 'b'],
    ['b3', 'b'],
    ['a2', 'a'],
  ] as const)
    strangers.add(one, address);
  assert.equal(
    strangers.oldestOfMost(() => true),
    'b1',
  );
  assert.equal(
    strangers.oldestOfMost((one) => one !== 'b1'),
    'b2',
  );
  strangers.leave('b1', 'b');
  strangers.leave('b2', 'b');
  assert.equal(
    strangers.oldestOfMost(() => true),
    'a1',
  );
  assert.equal(
    strangers.oldestOfMost((one) => one.startsWith('b')),
    'b3',
  );
  assert.equal(
    strangers.oldestOfMost(() => false),
    null,
  );
  for (const [one, address] of [
    ['a1', 'a'],
    ['a2', 'a'],
    ['b3', 'b'],
    ['b3', 'b'],
  ] as const)
    strangers.leave(one, address);
  assert.equal(
    strangers.oldestOfMost(() => true),
    null,
  );
});
