import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listsCodec } from './lists-codec.ts';
import { money, text, UnreadableRow, whole } from './row-codec.ts';

const PARTS = listsCodec({ number: whole(), paidAmount: money(), of: text('x.owners') }, 'part', 'i');

test('lists are selected under names of their own', () => {
  assert.equal(PARTS.columns, 'i.part_number, i.part_paid_amount, x.owners as part_of');
});

test('the n-th of each list is one item, and of nothing there is none', () => {
  const row = { part_number: [1, 2], part_paid_amount: [100, 50], part_of: ['ana', 'rui'] };
  assert.deepEqual(PARTS.parse(row), [
    { number: 1, paidAmount: 100, of: 'ana' },
    { number: 2, paidAmount: 50, of: 'rui' },
  ]);
  assert.deepEqual(PARTS.parse({ part_number: null, part_paid_amount: null, part_of: null }), []);
});

test('an item that is none of its kind is unreadable', () => {
  const row = { part_number: [1], part_paid_amount: [-1], part_of: ['ana'] };
  assert.throws(() => PARTS.parse(row), UnreadableRow);
});
