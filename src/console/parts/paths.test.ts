import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchPath, pathOf } from './paths.ts';

test('a path is read by its pattern, and written as an address that reads the same', () => {
  const pattern = '/merchants/{merchantId}/payments/{paymentId}';
  const values = { merchantId: 'LOJA/1?', paymentId: 'ü' };
  const path = pathOf(pattern, values);
  assert.equal(path, '/console/merchants/LOJA%2F1%3F/payments/%C3%BC');
  assert.deepEqual(matchPath(pattern, path.slice('/console'.length)), values);
  for (const other of [
    '/merchants/a',
    '/merchants/a/payments/',
    '/merchants/a/payments/%ff',
    '/x/a/payments/b',
  ])
    assert.equal(matchPath(pattern, other), null, other);
});
