import assert from 'node:assert/strict';
import { test } from 'node:test';
import { column, listsCodec, rowCodec, UnreadableRow } from './row-codec.ts';

const BILLING = rowCodec(
  {
    merchantId: column.text(),
    amount: column.money(),
    state: column.oneOf(['opened', 'paid']),
    dueOn: column.day('s.due_on'),
    chargeOn: column.nullable(column.day('coalesce(b.charge_on, b.due_on)')),
    places: column.listOf(column.whole()),
  },
  'b',
);
const ROW = {
  merchant_id: 'LOJA',
  amount: 1_050,
  state: 'paid',
  due_on: '2026-11-21',
  charge_on: null,
  places: [1, 2],
};

test('a row is selected and read by one description', () => {
  assert.equal(
    BILLING.columns,
    'b.merchant_id, b.amount, b.state, s.due_on, coalesce(b.charge_on, b.due_on) as charge_on, b.places',
  );
  assert.match(BILLING.columnsOf('o'), /^o\.merchant_id, o\.amount, o\.state, s\.due_on/);
  assert.deepEqual(BILLING.parse(ROW), {
    merchantId: 'LOJA',
    amount: 1_050,
    state: 'paid',
    dueOn: '2026-11-21',
    chargeOn: null,
    places: [1, 2],
  });
});

test('what this version does not know is not passed on', () => {
  const unreadable = (change: object, message: RegExp) =>
    assert.throws(
      () => BILLING.parse({ ...ROW, ...change }),
      (error: Error) => {
        assert.ok(error instanceof UnreadableRow);
        assert.match(error.message, message);
        return true;
      },
    );
  unreadable({ state: 'refunding' }, /^state cannot be 'refunding'$/);
  unreadable({ merchant_id: null }, /^merchant_id cannot be null$/);
  unreadable({ merchant_id: undefined }, /^merchant_id cannot be absent$/);
  unreadable({ amount: -1 }, /^amount cannot be this number$/);
  unreadable({ amount: '10.50' }, /^amount cannot be this string$/);
  unreadable({ due_on: '21/11/2026' }, /^due_on cannot be/);
  unreadable({ charge_on: 'soon' }, /^charge_on cannot be/);
  unreadable({ places: [1, null] }, /^places cannot be/);
  const parsed = column.parsedBy((value) => (value === 'yes' ? true : undefined));
  assert.throws(() => rowCodec({ answer: parsed }).parse({ answer: '4111111111111111' }), /this string/);
});

const PARTS = listsCodec(
  { number: column.whole(), paidAmount: column.money(), of: column.text('x.owners') },
  'part',
  'i',
);

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

test('a kept sum that is damaged is shown as it stands', () => {
  const sum = rowCodec({ amount: column.keptSum('sum(amount)::bigint') });
  assert.deepEqual(sum.parse({ amount: -1_050 }), { amount: -1_050 });
  assert.throws(() => sum.parse({ amount: '-1050' }), UnreadableRow);
});
