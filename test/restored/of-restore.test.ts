import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeRestore, type LedgerCharge, type RestoredBooks } from '../../chaos/restore/of-restore.ts';

const SALE = {
  ...{ order: 'R-1', amount: 5_000, isHeld: false, paymentId: 'p1', captured: null },
  ...{ isInDoubt: false, released: false },
};
const CHARGE: LedgerCharge = {
  reference: 'R-1',
  paymentId: 'p1',
  amount: 5_000,
  canceledAmount: 0,
  status: 'approved',
};
const ROW = { id: 'p1', state: 'approved', amount: 5_000, canceledAmount: 0 };
const BOOKS: RestoredBooks = {
  sales: [SALE],
  ledger: [CHARGE, { ...CHARGE, reference: 'b1', paymentId: 'p2' }],
  booked: [ROW, { ...ROW, id: 'p2' }],
  undecided: [],
  billings: [{ id: 'b1', state: 'paid' }],
};

test('books that agree have no finding', () => {
  assert.deepEqual(judgeRestore(BOOKS), []);
});

test('each difference that a restore may leave is found', () => {
  const twin = { ...CHARGE, paymentId: 'p3' };
  const cases: readonly (readonly [Partial<RestoredBooks>, RegExp])[] = [
    [
      { ledger: [...BOOKS.ledger, twin], booked: [...BOOKS.booked, { ...ROW, id: 'p3' }] },
      /charged twice: R-1/,
    ],
    [{ booked: BOOKS.booked.slice(1) }, /not in the books: p1/],
    [{ booked: [{ ...ROW, canceledAmount: 1 }, ...BOOKS.booked.slice(1)] }, /differs: /],
    [{ booked: [...BOOKS.booked, { ...ROW, id: 'p4', state: 'charging' }] }, /still unknown: p4/],
    [{ booked: [...BOOKS.booked, { ...ROW, id: 'p4' }] }, /not live at the acquirer: p4/],
    [{ sales: [{ ...SALE, paymentId: null }] }, /answered no payment, and charged: R-1/],
    [{ sales: [SALE, { ...SALE, order: 'R-2' }] }, /answered as paid, and not charged: R-2/],
    [
      {
        sales: [{ ...SALE, gaveBack: 100 }],
        ledger: [{ ...CHARGE, canceledAmount: 200 }],
      },
      /gave back 100 once, and 200 is given back/,
    ],
    [{ sales: [{ ...SALE, released: true }] }, /released, and held or charged: R-1/],
    [{ sales: [{ ...SALE, captured: 4_000 }] }, /captured 4000, and charged 5000/],
    [{ billings: [{ id: 'b1', state: 'opened' }] }, /a billing that is opened has 1 charges/],
  ];
  for (const [change, finding] of cases)
    assert.match(judgeRestore({ ...BOOKS, ...change }).join('\n'), finding);
  const again = { ...CHARGE, reference: 'b1', paymentId: 'p3' };
  const billed = { ledger: [...BOOKS.ledger, again], booked: [...BOOKS.booked, { ...ROW, id: 'p3' }] };
  assert.match(judgeRestore({ ...BOOKS, ...billed }).join('\n'), /a billing charged 2 times: b1/);
});

test('what waits for a person is no finding', () => {
  const lost = { booked: BOOKS.booked.slice(1), undecided: ['p1'], sales: [{ ...SALE, paymentId: null }] };
  assert.deepEqual(judgeRestore({ ...BOOKS, ...lost }), []);
});
