import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchPath, pathOf } from './screen.ts';
import { centsOf } from './typed-cents.ts';

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

test('an amount is read as people in Brazil type it, and what is none is left for the API to refuse', () => {
  const cases: [string, number | string][] = [
    ['12', 1_200],
    ['12,3', 1_230],
    ['12,34', 1_234],
    ['R$ 1.234,56', 123_456],
    ['12.34', 1_234],
    ['1.234', 123_400],
    ['-1', '-1'],
    ['1e3', '1e3'],
    ['12,345', '12,345'],
  ];
  for (const [text, expected] of cases) assert.equal(centsOf(text), expected, text);
});
