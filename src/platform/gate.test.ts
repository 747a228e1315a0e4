import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HoldReason, openGate } from './gate.ts';

test('what is held is reported once, with its reason, and so is its end', () => {
  const reported: (HoldReason | null)[] = [];
  const gate = openGate(false, (reason) => reported.push(reason));
  assert.equal(gate.reason(), null);
  gate.hold('restored', 'a copy');
  gate.hold('restored', 'a copy');
  assert.equal(gate.reason(), 'restored');
  gate.open();
  gate.open();
  assert.equal(gate.reason(), null);
  assert.deepEqual(reported, ['restored', null]);
});

test('its signal ends what runs, and the next opening has another', () => {
  const gate = openGate(false, () => {});
  const before = gate.signal();
  let woken = 0;
  gate.hold('unfit', 'fsync is off');
  gate.onceOpen(() => {
    woken += 1;
  });
  assert.ok(before.aborted && gate.signal().aborted);
  gate.open();
  assert.equal(gate.signal().aborted, false);
  gate.hold('unfit', 'fsync is off');
  gate.open();
  assert.equal(woken, 1);
});

test('what is held by hand stays held, whatever is found out', () => {
  const gate = openGate(true, () => assert.fail('nothing is told'));
  gate.hold('restored', 'a copy');
  gate.open();
  assert.equal(gate.reason(), 'byHand');
  assert.ok(gate.signal().aborted);
});
