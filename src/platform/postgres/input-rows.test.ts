import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputRows } from './input-rows.ts';

type Sale = { readonly merchantId: string; readonly amount: number };

const SALES = inputRows<Sale>({
  merchant_id: ['text', (row) => row.merchantId],
  amount: ['bigint', (row) => row.amount],
});

test('names, types and values of a column stand at one place', () => {
  assert.equal(SALES.sql, 'unnest($1::text[], $2::bigint[]) as i (merchant_id, amount)');
  const rows = [
    { merchantId: 'a', amount: 1 },
    { merchantId: 'b', amount: 2 },
  ];
  assert.deepEqual(SALES.values(rows), [
    ['a', 'b'],
    [1, 2],
  ]);
  assert.deepEqual(SALES.values([]), [[], []]);
});

test('rows behind others, or behind single values, have the next parameters', () => {
  const parts = inputRows<number>({ number: ['smallint', (row) => row] }, { as: 'p', after: SALES });
  assert.equal(parts.sql, 'unnest($3::smallint[]) as p (number)');
  const behind = inputRows<number>({ number: ['integer', (row) => row] }, { after: 4 });
  assert.equal(behind.sql, 'unnest($5::integer[]) as i (number)');
  assert.equal(behind.lastParameter, 5);
  const placed = inputRows<number>({ number: ['integer', (row) => row] }, { place: 'position' });
  assert.equal(placed.sql, 'unnest($1::integer[]) with ordinality as i (number, position)');
});
