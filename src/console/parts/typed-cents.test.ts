import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountFault, centsOf } from './page-parts.ts';

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

test('what is no amount is refused in the words of the form', () => {
  assert.equal(amountFault({}), null);
  assert.equal(amountFault({ amount: '12,34' }), null);
  assert.match(amountFault({ amount: 'doze' }) ?? '', /in reais/);
});
