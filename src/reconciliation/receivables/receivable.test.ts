import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readFeeTable } from '../../transactions/fees/fee-table.ts';
import { portionHalfEven } from '../../values/apportion.ts';
import { cents, splitIntoInstallments } from '../../values/cents.ts';
import { type Day, instant } from '../../values/instant.ts';
import {
  type FollowedBefore,
  type FollowedInstallment,
  type FollowedSale,
  followSale,
  ROUNDING_CENTS,
  receiptOf,
} from './receivable.ts';

/** A Monday. */
const SOLD_AT = instant(Date.UTC(2026, 10, 23, 15));
const NOT_REPORTED = { fee: null, net: null, bankOn: null } as const;

function feesOf(text: string) {
  const table = readFeeTable(text);
  assert.ok(typeof table !== 'string');
  return table;
}

function saleOf(
  amount: number,
  count: number,
  change: (number: number) => Partial<FollowedInstallment> = () => ({}),
): FollowedSale {
  const parts = splitIntoInstallments(cents(amount), count);
  return {
    sale: { amount: cents(amount), installmentCount: count, brand: 'visa', split: null },
    soldAt: SOLD_AT,
    countedFrom: SOLD_AT,
    givenBack: [],
    installments: parts.map((part, index) => ({
      installmentNumber: index + 1,
      amount: part,
      canceled: cents(0),
      state: 'authorized',
      reported: NOT_REPORTED,
      paidAt: null,
      before: null,
      ...change(index + 1),
    })),
  };
}

const amounts = fc.integer({ min: 99, max: 9_999_999_999 });
const counts = fc.integer({ min: 1, max: 99 });
const portions = fc.integer({ min: 0, max: 9_999 });
const table = (portion: number) => feesOf(`any:1-99=${(portion / 100).toFixed(2)}`);

test('the expected fees of a sale are its fee to the cent, and an acquirer that rounds each installment is within a cent', () => {
  fc.assert(
    fc.property(amounts, counts, portions, (amount, count, portion) => {
      const sale = saleOf(amount, count);
      const followed = followSale(sale, table(portion));
      const fee = followed.reduce((sum, { expected }) => sum + expected.fee, 0);
      assert.equal(fee, portionHalfEven(cents(amount), portion));
      for (const [index, { expected }] of followed.entries()) {
        const gross = sale.installments[index]?.amount ?? cents(0);
        assert.equal(expected.fee + expected.net, gross);
        const theirs = Math.round((gross * portion) / 10_000);
        assert.ok(Math.abs(theirs - expected.fee) <= ROUNDING_CENTS, `${theirs} and ${expected.fee}`);
      }
    }),
    { numRuns: 200 },
  );
});

test('of what is left after a cancel the fee is rounded by itself, and nothing is expected of nothing', () => {
  fc.assert(
    fc.property(amounts, portions, fc.double({ min: 0, max: 1, noNaN: true }), (amount, portion, part) => {
      const canceled = cents(Math.floor(amount * part));
      const [followed] = followSale(
        saleOf(amount, 1, () => ({ canceled })),
        table(portion),
      );
      const left = amount - canceled;
      assert.equal((followed?.expected.fee ?? 0) + (followed?.expected.net ?? 0), left);
      if (canceled > 0) assert.equal(followed?.expected.fee, portionHalfEven(cents(left), portion));
    }),
    { numRuns: 200 },
  );
});

test('days are counted from the sale by the plan of the fees, and end on a business day', () => {
  const days = followSale(saleOf(30_000, 3), feesOf('visa:2-12=3@31/30')).map(({ expected }) => expected.on);
  // In 2026 the 24th of December is a Thursday; in 2027 the 23rd of January is a Saturday, and the 22nd of
  // February a Monday.
  assert.deepEqual(days, ['2026-12-24', '2027-01-25', '2027-02-22']);
  assert.deepEqual(
    followSale(saleOf(100, 1), feesOf('')).map(({ expected }) => expected.on),
    ['2026-12-23'],
  );
});

const bornAt = (portion: number): FollowedBefore => ({
  canceled: cents(0),
  state: 'authorized',
  feePortion: portion,
  expected: { fee: cents(portion), net: cents(10_000 - portion), on: '2026-12-23' as Day },
  paidOn: null,
  reported: NOT_REPORTED,
});

test('a receivable keeps fee and day that it was born with, and what is as it was is not written', () => {
  assert.deepEqual(
    followSale(
      saleOf(10_000, 1, () => ({ before: bornAt(250) })),
      feesOf('any:1-99=5@60'),
    ),
    [],
  );
  const [changed] = followSale(
    saleOf(10_000, 1, () => ({ before: bornAt(250), canceled: cents(4_000) })),
    feesOf('any:1-99=5@60'),
  );
  assert.deepEqual(changed?.expected, { fee: 150, net: 5_850, on: '2026-12-23' });
  assert.equal(changed?.feePortion, 250);
});

test('what is given back before the payout is not expected of it, and what is given back behind it is', () => {
  const paidAt = instant(SOLD_AT + 30 * 86_400_000);
  const at = (days: number) => instant(SOLD_AT + days * 86_400_000);
  const canceled = cents(3_000);
  const follow = (canceledAt: number, before: FollowedBefore | null = null) => {
    const sale = saleOf(10_000, 1, () => ({ canceled, state: 'paid', paidAt, before }));
    const givenBack = [{ at: at(canceledAt), installmentNumber: null, amount: cents(3_000) }];
    return followSale({ ...sale, givenBack }, table(1_000))[0]?.expected.net;
  };
  assert.equal(follow(10), 6_300);
  assert.equal(follow(40), 9_000);
  const paid = { ...bornAt(1_000), paidOn: '2026-12-23' as Day };
  assert.equal(follow(40, paid), 9_000);
});

test('cancels come off the last installments: the first is paid whole when they fit into those behind it', () => {
  const paidAt = instant(SOLD_AT + 30 * 86_400_000);
  const sale = saleOf(10_000, 2, (number) =>
    number === 1
      ? { canceled: cents(1_000), state: 'paid', paidAt }
      : { canceled: cents(5_000), state: 'canceled' },
  );
  const early = { installmentNumber: null, at: instant(SOLD_AT + 1_000), amount: cents(5_000) };
  const late = { installmentNumber: null, at: instant(paidAt + 1_000), amount: cents(1_000) };
  const nets = followSale({ ...sale, givenBack: [late, early] }, feesOf('')).map(
    ({ expected }) => expected.net,
  );
  assert.deepEqual(nets, [5_000, 0]);
});

test('what a chargeback took before the payout is not expected of it, nor moves what cancels took behind it', () => {
  const paidAt = instant(SOLD_AT + 30 * 86_400_000);
  const sale = saleOf(10_000, 2, (number) =>
    number === 1
      ? { canceled: cents(3_000), state: 'paid', paidAt }
      : { canceled: cents(5_000), state: 'canceled' },
  );
  const dispute = { installmentNumber: 2, at: instant(SOLD_AT + 1_000), amount: null };
  const before = { installmentNumber: null, at: instant(SOLD_AT + 2_000), amount: cents(1_000) };
  const after = { installmentNumber: 1, at: instant(paidAt + 1_000), amount: cents(2_000) };
  const nets = followSale({ ...sale, givenBack: [after, before, dispute] }, feesOf('')).map(
    ({ expected }) => expected.net,
  );
  assert.deepEqual(nets, [4_000, 0]);
});

test('what a chargeback took beyond its installment before a payout is not expected of the others', () => {
  const paidAt = instant(SOLD_AT + 30 * 86_400_000);
  const sale = saleOf(10_000, 2, (number) =>
    number === 1
      ? { canceled: cents(1_000), state: 'paid', paidAt }
      : { canceled: cents(5_000), state: 'canceled' },
  );
  const cancel = { installmentNumber: null, at: instant(SOLD_AT + 1_000), amount: cents(1_000) };
  const dispute = { installmentNumber: 2, at: instant(SOLD_AT + 2_000), amount: cents(5_000) };
  const nets = followSale({ ...sale, givenBack: [cancel, dispute] }, feesOf('')).map(
    ({ expected }) => expected.net,
  );
  assert.deepEqual(nets, [4_000, 0]);
});

test('what the files say counts before what the changes said', () => {
  const reported = { fee: cents(250), net: cents(9_750), bankOn: '2026-12-23' as Day };
  const filed = { fee: cents(260), net: cents(9_640), anticipation: cents(100), bankOn: '2026-12-01' as Day };
  const unfiled = { fee: null, net: null, anticipation: null, bankOn: null };
  const paidOn = '2026-12-22' as Day;
  assert.deepEqual(receiptOf({ filed, reported, paidOn }), {
    fee: 260,
    net: 9_640,
    anticipation: 100,
    on: '2026-12-01',
  });
  assert.deepEqual(receiptOf({ filed: unfiled, reported, paidOn })?.on, '2026-12-23');
  assert.deepEqual(receiptOf({ filed: unfiled, reported: NOT_REPORTED, paidOn }), {
    fee: null,
    net: null,
    anticipation: null,
    on: '2026-12-22',
  });
  assert.equal(receiptOf({ filed: unfiled, reported: NOT_REPORTED, paidOn: null }), null);
});
