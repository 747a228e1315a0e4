import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../../../../values/instant.ts';
import { readCharges } from './charge-pages.ts';

const ASKED = { merchantId: null, since: instant(1), cursor: null, limit: 2 };
const ITEM = {
  merchantId: 'LOJA',
  reference: 'R-1',
  merchantReference: null,
  status: 'approved',
  amount: 900,
  authorizedAmount: 1_000,
  canceledAmount: 100,
  installments: 2,
  captureLater: true,
  initiator: 'merchant',
  ...{ brand: 'visa', firstSix: '411111', lastFour: '1111' },
  soldAt: '2026-11-21T13:00:00.123Z',
  authorizedAt: '2026-11-21T10:00:00-03:00',
  changedAt: '2026-11-21T13:00:01Z',
  ...{ authorizationCode: 'A1', nsu: '7', networkTransactionId: null, tid: 'T 1' },
  cancellations: [
    {
      cancellationReference: 'C-1',
      amount: 100,
      outcome: 'canceled',
      requestedAt: '2026-11-21T13:00:01Z',
    },
  ],
  captures: [{ captureReference: 'K-1', amount: 900, capturedAt: '2026-11-21T13:00:01Z' }],
};

const answerOf = (body: unknown, status = 200) => ({ kind: 'answer', status, body }) as const;
const pageOf = (items: readonly unknown[]) => answerOf({ items, next: 2, hasMore: false });

test('a page of charges is read as it is', () => {
  const read = readCharges(pageOf([ITEM, { ...ITEM, status: 'undone', authorizationCode: null }]), ASKED);
  assert.equal(read.kind, 'charges');
  const [one, other] = read.charges;
  assert.deepEqual(
    [read.cursor, read.hasMore, one?.state, other?.state, one?.amount, one?.isCapturedLater],
    ['2', false, 'approved', 'voided', 900, true],
  );
  const link = 'aB3dE5fG7hI9jK1lM3nO5p';
  for (const [transactionLinkId, read] of [
    [link, { linkId: link }],
    [`${link}q`, { linkId: null, unfitLinkLength: 23 }],
    [7, { linkId: null }],
  ] as const) {
    const named = readCharges(pageOf([{ ...ITEM, networkTransactionId: 'N1', transactionLinkId }]), ASKED);
    assert.equal(named.kind, 'charges');
    assert.deepEqual(named.charges[0]?.networkReference, { transactionId: 'N1', ...read });
  }
  assert.equal(one?.authorizedAt, Date.parse('2026-11-21T13:00:00Z'));
  assert.deepEqual([one?.cancellations[0]?.amount, one?.captures[0]?.captureReference], [100, 'K-1']);
});

test('one charge that cannot be read makes its page unknown, by the name of the field', () => {
  const faults: readonly (readonly [object, RegExp])[] = [
    [{ merchantId: '' }, /no merchantId that/],
    [{ reference: 'a b' }, /no reference that/],
    [{ status: 'settled' }, /no status that/],
    [{ amount: 0 }, /no amount that/],
    [{ installments: 100 }, /no installments that/],
    [{ brand: 'cabal' }, /no brand that/],
    [{ lastFour: '41111' }, /no lastFour that/],
    [{ changedAt: 'yesterday' }, /no changedAt that/],
    [{ nsu: null }, /no nsu that/],
    [{ cancellations: [{ amount: 1 }] }, /no cancellations that/],
    [{ captures: {} }, /no captures that/],
    [{ captures: [] }, /no captures that/],
  ];
  for (const [change, reason] of faults) {
    const read = readCharges(pageOf([{ ...ITEM, ...change }]), ASKED);
    assert.match(read.kind === 'unknown' ? read.reason : read.kind, reason);
  }
});

test('what is no page is unknown, and a bridge without the path has no list', () => {
  for (const body of [
    null,
    { items: [], next: 1 },
    { items: [ITEM, ITEM, ITEM], next: 3, hasMore: false },
    { items: {}, next: 3, hasMore: false },
  ])
    assert.equal(readCharges(answerOf(body), ASKED).kind, 'unknown');
  const still = { items: [], next: 'x', hasMore: true };
  assert.equal(readCharges(answerOf(still), { ...ASKED, cursor: 'x' }).kind, 'unknown');
  assert.equal(readCharges(answerOf({ error: 'unknownPath' }, 404), ASKED).kind, 'notOffered');
  assert.equal(readCharges(answerOf({ error: 'notFound' }, 404), ASKED).kind, 'unknown');
  assert.equal(readCharges({ kind: 'notSent', reason: 'full' }, ASKED).kind, 'unknown');
});
