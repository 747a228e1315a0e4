import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { callbackEndpoint, deliveryId, deliveryNumberOf } from './delivery.ts';

test('the id of a delivery is a UUID of version 7 that begins with its time and names its number', () => {
  const numbers = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  const times = fc.date({ min: new Date('2026-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(times, numbers, (time, deliveryNumber) => {
      const id = deliveryId({ createdAt: time.getTime(), deliveryNumber });
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16), time.getTime());
      assert.equal(deliveryNumberOf(id), deliveryNumber);
      assert.equal(deliveryNumberOf(id.toUpperCase()), deliveryNumber);
    }),
  );
});

test('an id that no delivery has names no number', () => {
  for (const id of ['', 'x', '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44', '0199c1f2-6a2b-7000-bfff-ffffffffffff'])
    assert.equal(deliveryNumberOf(id), null, id);
});

test('callbacks to one server stand together, whatever their path', () => {
  assert.equal(callbackEndpoint('https://loja.example/a?b'), 'origin:https://loja.example');
  assert.equal(callbackEndpoint('https://loja.example:8443/a'), 'origin:https://loja.example:8443');
});
