import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../../../../values/instant.ts';
import { readChanges } from './change-answers.ts';

const UNTIL = instant(Date.UTC(2026, 10, 21));
const ASKED = { merchantId: null, cursor: '7', until: UNTIL, limit: 2 };
const ITEM = {
  changeId: '8',
  reference: '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a',
  merchantId: '01700555550000',
  installmentNumber: 2,
  type: 'settled',
  amount: null,
  at: '2026-11-20T10:00:00.5-03:00',
};

function read(body: unknown, { status = 200, asked = ASKED as Parameters<typeof readChanges>[1] } = {}) {
  return readChanges({ kind: 'answer', status, body }, asked);
}

const page = (items: unknown, rest: object = {}) => ({ items, next: 8, hasMore: false, ...rest });

test('a page of changes is read, and the cursor handed back as it came', () => {
  const answer = read(
    page([ITEM, { ...ITEM, changeId: 'b:9', type: 'chargeback' }], { next: 'b:9', hasMore: true }),
  );
  assert.ok(answer.kind === 'changes');
  assert.deepEqual([answer.cursor, answer.hasMore], ['b:9', true]);
  assert.deepEqual(
    answer.changes.map(({ changeId, event, happenedAt }) => [changeId, event, happenedAt]),
    [
      ['8', 'settle', Date.UTC(2026, 10, 20, 13, 0, 0, 500)],
      ['b:9', 'chargeback', Date.UTC(2026, 10, 20, 13, 0, 0, 500)],
    ],
  );
});

test('what Parcela canceled itself is stepped over', () => {
  const canceled = { ...ITEM, type: 'canceled', installmentNumber: null, amount: 100 };
  assert.deepEqual(read(page([canceled])), {
    kind: 'changes',
    changes: [],
    unreadable: [],
    hasNews: false,
    decidedCancels: [],
    cursor: '8',
    hasMore: false,
  });
});

test('an acquirer without changes is no silent one', () => {
  assert.deepEqual(read({ error: 'unknownPath' }, { status: 404 }), { kind: 'notOffered' });
  assert.equal(read({ error: 'notFound' }, { status: 404 }).kind, 'unknown');
});

test('an item that cannot be read holds up none of the others', () => {
  for (const wrong of [
    { changeId: 8 },
    { changeId: 'x'.repeat(65) },
    { reference: null },
    { merchantId: '\u0000' },
    { installmentNumber: null },
    { installmentNumber: 0 },
    { installmentNumber: 100 },
    { installmentNumber: 1.5 },
    { type: 'refunded' },
    { type: 'toString' },
    { at: '2026-11-20' },
    { at: '2026-11-22T00:00:00.001Z' },
    { at: '9999-99-99T00:00:00Z' },
    { at: '0001-01-01T00:00:00Z' },
  ])
    assert.deepEqual(counted([ITEM, { ...ITEM, ...wrong }]), [1, 1], JSON.stringify(wrong));
  for (const item of [null, 'x', [], {}]) assert.deepEqual(counted([item, ITEM]), [1, 1]);
  const answer = read(page([{ ...ITEM, type: 'refunded' }]));
  assert.ok(answer.kind === 'changes');
  assert.equal(answer.unreadable[0]?.reason, 'it has no type that is known');
  assert.match(answer.unreadable[0]?.item ?? '', /"type":"refunded"/);
});

/** How many items of a page are changes, and how many cannot be read. */
function counted(items: readonly unknown[], asked = ASKED as Parameters<typeof readChanges>[1]): number[] {
  const answer = read(page(items), { asked });
  return answer.kind === 'changes' ? [answer.changes.length, answer.unreadable.length] : [];
}

test('what a clock ahead of ours says happened now', () => {
  const answer = read(page([{ ...ITEM, at: '2026-11-21T23:59:59.999Z' }]));
  assert.ok(answer.kind === 'changes');
  assert.equal(answer.changes[0]?.happenedAt, UNTIL);
});

test('a page that is none, is too long or does not move on is unknown', () => {
  for (const body of [
    null,
    [],
    'x',
    page('x'),
    page([ITEM, ITEM, ITEM]),
    page([], { next: null }),
    page([], { next: -1 }),
    page([], { next: 1.5e300 }),
    page([], { hasMore: 'no' }),
    page([], { next: 7, hasMore: true }),
  ])
    assert.equal(read(body).kind, 'unknown', JSON.stringify(body));
  assert.equal(read(page([]), { status: 500 }).kind, 'unknown');
});

test('a change of another merchant than was asked for is not believed', () => {
  const asked = { ...ASKED, merchantId: '01700555550001' };
  assert.deepEqual(counted([ITEM], asked), [0, 1]);
});
