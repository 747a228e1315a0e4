import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NO_NETWORK_REFERENCE } from '../../providers/acquirers/network-reference.ts';
import { type Day, instant } from '../../values/instant.ts';
import { type ComparedCharge, compareCharge, isAskedFirst } from './compared-charge.ts';
import { type ComparedInstallment, compareInstallment, ledgerDifference } from './truth.ts';
import { NOTHING_COMPARED, withCompared } from './truth-run.ts';

const DAY = '2026-12-02' as Day;
const PAID = { fee: 300, net: 9_700, bankOn: DAY };

/** Paid, and the same in all views. */
const AT_ONE: ComparedInstallment = {
  installmentNumber: 1,
  carried: {
    gross: 10_000,
    canceled: 0,
    expectedFee: 300,
    expectedNet: 9_700,
    expectedOn: DAY,
    paidOn: DAY,
    installmentCount: 1,
    state: 'paid',
    chargedBack: 0,
    chargedBackByFiles: 0,
    feePortion: 249,
    isCovered: true,
    awaitsList: false,
    mayStillTake: false,
    payout: PAID,
    filed: { ...PAID, anticipation: 0 },
  },
  books: { gross: 10_000, canceled: 0, state: 'paid', payout: PAID },
  moves: [
    { from: null, to: 'authorized' },
    { from: 'authorized', to: 'paid' },
  ],
  sale: {
    amount: 10_000,
    canceled: 0,
    ofInstallments: { gross: 10_000, canceled: 0 },
    ofReceivables: { gross: 10_000, canceled: 0, count: 1, firstNumber: 1 },
  },
  applied: PAID,
  reported: PAID,
  parts: [
    {
      kind: 'payout',
      rule: 'reference',
      fileNumber: 1,
      lineNumber: 2,
      gross: 10_000,
      fee: 300,
      net: 9_700,
      anticipationFee: 0,
      bankOn: DAY,
      document: null,
      changeId: 'file-1',
      changeState: 'applied',
    },
  ],
  resolved: [],
};

const found = (change: Partial<ComparedInstallment>) => {
  const { differences, exceptions } = compareInstallment({ ...AT_ONE, ...change });
  return [...differences, ...exceptions].map((one) => [one.class, one.amount]);
};

test('what all views say is at one, and its sums are equal', () => {
  assert.deepEqual(found({}), []);
  const outcome = { compared: AT_ONE, comparison: compareInstallment(AT_ONE) };
  const tally = withCompared(NOTHING_COMPARED, [outcome, outcome]);
  assert.deepEqual(
    [tally.settled, tally.settledByBooks, tally.settledByFeed, tally.settledByFiles, tally.explained],
    [2, 20_000, 20_000, 20_000, 0],
  );
});

test('one wrong number is one difference, of its amount', () => {
  const { carried, books, sale } = AT_ONE;
  const cents = fc.integer({ min: 1, max: 5_000 });
  fc.assert(
    fc.property(cents, (by) => {
      assert.deepEqual(found({ books: { ...books, canceled: by } }), [['booksDiffer', by]]);
      assert.deepEqual(found({ sale: { ...sale, canceled: by } }), [['booksDiffer', by]]);
      assert.deepEqual(found({ applied: { ...PAID, net: 9_700 + by } }), [['feedDiffers', 0 - by]]);
      const payout = { ...PAID, net: 9_700 - by };
      assert.deepEqual(found({ books: { ...books, payout } }), [['feedDiffers', 0 - by]]);
      assert.deepEqual(found({ carried: { ...carried, payout } }), [['feedDiffers', 0 - by]]);
      const filed = { ...carried.filed, fee: 300 + by };
      assert.deepEqual(found({ carried: { ...carried, filed } }), [['filesDiffer', by]]);
      assert.deepEqual(found({ reported: { ...PAID, net: 9_700 - by } }), [['feedDiffers', 0 - by]]);
    }),
  );
});

test('states that no report moved, and days that differ, are found with what stands behind them', () => {
  const { carried, books } = AT_ONE;
  assert.deepEqual(found({ applied: null }), [['booksDiffer', 10_000]]);
  assert.deepEqual(found({ books: { ...books, state: 'blocked' } }), [['booksDiffer', 10_000]]);
  const later = { ...PAID, bankOn: '2026-12-03' as Day };
  assert.deepEqual(found({ reported: later }), [['feedDiffers', 9_700]]);
  assert.deepEqual(found({ applied: later, books: { ...books, payout: later } }), [['feedDiffers', 9_700]]);
  assert.deepEqual(
    found({
      sale: { ...AT_ONE.sale, amount: 30_000, ofReceivables: { ...AT_ONE.sale.ofReceivables, count: 0 } },
    }),
    [['booksDiffer', 20_000]],
    'an installment without a receivable',
  );
  assert.deepEqual(found({ carried: { ...carried, filed: { ...carried.filed, anticipation: 10 } } }), [
    ['filesDiffer', 10],
  ]);
});

test('a class of matching is counted as that, and not again between the views', () => {
  const [part] = AT_ONE.parts;
  assert.ok(part !== undefined);
  const parts = [{ ...part, fee: 400, net: 9_600 }];
  const carried = { ...AT_ONE.carried, filed: { ...PAID, fee: 400, net: 9_600, anticipation: 0 } };
  assert.deepEqual(found({ parts, carried }), [['feeDiffers', 100]]);
  assert.deepEqual(found({ parts, carried, resolved: ['feeDiffers'] }), [['feedDiffers', 100]]);
});

test('what a ledger may say of an approved sale', () => {
  const sale = { amount: 10_000, canceled: 0, isApproved: true };
  const approved = {
    kind: 'approved',
    authorizationCode: 'A',
    nsu: '1',
    networkReference: NO_NETWORK_REFERENCE,
    tid: null,
  } as const;
  assert.equal(ledgerDifference(sale, { ...approved, amount: 10_000 }), null);
  assert.equal(ledgerDifference(sale, { ...approved, amount: null }), null);
  assert.equal(ledgerDifference(sale, { ...approved, amount: 9_000 })?.amount, -1_000);
  assert.equal(ledgerDifference(sale, { kind: 'notFound' })?.amount, -10_000);
  assert.equal(ledgerDifference({ ...sale, canceled: 10_000 }, { kind: 'voided' }), null);
  const over = { ...sale, isApproved: false };
  assert.equal(ledgerDifference(over, { kind: 'notFound' }), null);
  assert.equal(ledgerDifference(over, { kind: 'voided' }), null);
  assert.equal(ledgerDifference(over, { ...approved, amount: 10_000 })?.amount, 10_000);
});

test('movements follow each other, and the last one leads to the state', () => {
  const [sold, paid] = AT_ONE.moves;
  assert.ok(sold !== undefined && paid !== undefined);
  const differs = [['movementsDiffer', 10_000]];
  assert.deepEqual(found({ moves: [] }), differs, 'none is recorded');
  assert.deepEqual(found({ moves: [paid] }), differs, 'the first is missing');
  assert.deepEqual(found({ moves: [sold] }), differs, 'the last is missing');
  assert.deepEqual(found({ moves: [sold, paid, paid] }), differs, 'one is there twice');
  const blocked = [
    { from: 'paid', to: 'blocked' },
    { from: 'blocked', to: 'paid' },
  ] as const;
  assert.deepEqual(found({ moves: [sold, paid, ...blocked] }), []);
});

const CHARGE: ComparedCharge = {
  ...{
    transactionId: 't',
    acquirer: 'default',
    soldAt: instant(0),
    state: 'approved',
    wasNeverSent: false,
    amount: 10_000,
  },
  ...{ canceled: 0, installmentCount: 2, installments: { count: 2, gross: 10_000 }, moved: 2, carried: 2 },
  isNoted: false,
};

test('a charge that is over here and was live there is asked for until it is at one', () => {
  const over: ComparedCharge = {
    ...{ ...CHARGE, state: 'voided', installments: { count: 0, gross: 0 }, moved: 0, carried: 0 },
  };
  assert.equal(isAskedFirst(over), false);
  assert.equal(isAskedFirst({ ...over, isNoted: true }), true);
  assert.equal(isAskedFirst({ ...over, moved: 1 }), true, 'what differs here may be live there');
});

test('a charge has what its state says under it, and nothing else', () => {
  const differs = (change: Partial<ComparedCharge>) =>
    compareCharge({ ...CHARGE, ...change })?.amount ?? null;
  assert.equal(differs({}), null);
  assert.equal(differs({ carried: 0 }), -10_000, 'nothing was carried of it');
  assert.equal(differs({ carried: 0, moved: 1 }), 10_000, 'nor recorded');
  assert.equal(differs({ carried: 0, installments: { count: 1, gross: 5_000 } }), -5_000);
  const nothing = { installments: { count: 0, gross: 0 }, moved: 0, carried: 0 };
  for (const state of ['charging', 'unresolved', 'preauthorized', 'declined', 'voided'] as const) {
    assert.equal(differs({ state, ...nothing }), null);
    assert.equal(differs({ state }), 10_000, state);
    assert.equal(differs({ state, ...nothing, moved: 1 }), 0, 'a movement of what was not approved');
  }
});
