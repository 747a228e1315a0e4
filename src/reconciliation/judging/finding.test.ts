import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DUE, PAYOUT, INSTALLMENT as SAMPLE } from '../../../test/reconciliation/judged-sample.ts';
import type { Day } from '../../values/instant.ts';
import { findingsOf } from './finding.ts';
import type { JudgedInstallment, MatchedPart } from './judged-installment.ts';

const INSTALLMENT = { ...SAMPLE, installmentCount: 3 };

const found = (parts: readonly Partial<MatchedPart>[], installment: Partial<JudgedInstallment> = {}) =>
  findingsOf(
    { ...INSTALLMENT, ...installment },
    parts.map((part, index) => ({ ...PAYOUT, lineNumber: index + 2, ...part })),
  ).map(({ class: name, amount, explanation }) => [name, amount, explanation]);

test('what was paid as expected shows no difference', () => {
  assert.deepEqual(found([{}]), []);
  assert.deepEqual(found([{ kind: 'sale' }, {}]), []);
});

test('what stands in no file is missed behind its plan and some days of grace', () => {
  assert.deepEqual(found([]), [['notInFile', 9_751, null]]);
  assert.deepEqual(found([{ kind: 'sale' }]), [['notInFile', 9_751, null]]);
  assert.deepEqual(found([], { isCovered: false }), []);
  assert.deepEqual(found([], { awaitsList: true }), [['notInFile', 9_751, 'batchIncomplete']]);
  const gone = { canceled: 10_000, expectedFee: 0, expectedNet: 0, state: 'canceled' } as const;
  assert.deepEqual(found([], gone), []);
  // By the books it was paid before it was canceled.
  assert.deepEqual(found([], { canceled: 10_000, state: 'canceled' }), [['notInFile', 9_751, null]]);
});

test('each class is found alone', () => {
  assert.deepEqual(found([{ gross: 9_900, net: 9_651 }]), [
    ['amountDiffers', 100, null],
    ['feeDiffers', 2, 'rounding'],
  ]);
  assert.deepEqual(found([{ fee: 349, net: 9_651 }]), [['feeDiffers', 100, null]]);
  assert.deepEqual(found([{ bankOn: '2026-12-04' as Day }]), [['dateDiffers', 9_751, null]]);
  assert.deepEqual(found([{}, { lineNumber: 3 }]), [['duplicateInFile', -9_751, null]]);
  const cancel = { kind: 'cancel', gross: -400, fee: 0, net: -400 } as const;
  assert.deepEqual(found([{}, cancel]), [['cancellationUnknown', 400, null]]);
  const chargeback = { ...cancel, kind: 'chargeback', changeState: 'refused' } as const;
  assert.deepEqual(found([{}, chargeback]), [['chargebackUnknown', 400, null]]);
  assert.deepEqual(found([{ kind: 'pledge' }]), [['heldByPledge', 9_751, 'pledge']]);
  // The pledge holder's part as a debit of a payout in another line.
  const debit = { kind: 'pledge', gross: -10_000, fee: -249, net: -9_751 } as const;
  assert.deepEqual(found([{}, debit]), [['heldByPledge', 9_751, 'pledge']]);
  assert.deepEqual(
    found([
      { gross: 6_000, fee: 149, net: 5_851 },
      { kind: 'pledge', gross: 4_000, fee: 100, net: 3_900 },
    ]),
    [['heldByPledge', 3_900, 'pledge']],
  );
});

test('a cent for each installment is rounding', () => {
  assert.deepEqual(found([{ fee: 251, net: 9_749 }]), [['feeDiffers', 2, 'rounding']]);
  assert.deepEqual(found([{ fee: 252, net: 9_748 }]), [['feeDiffers', 3, 'rounding']]);
  assert.deepEqual(found([{ fee: 253, net: 9_747 }]), [['feeDiffers', 4, null]]);
  assert.deepEqual(found([{ gross: 10_002, net: 9_753 }]), [['amountDiffers', -2, 'rounding']]);
});

test('an anticipation comes earlier, and a cancel in either way of telling it', () => {
  const early = {
    kind: 'anticipation',
    bankOn: '2026-11-10' as Day,
    anticipationFee: 80,
    net: 9_671,
  } as const;
  assert.deepEqual(found([early]), []);
  const canceled = { canceled: 400, expectedFee: 239, expectedNet: 9_361 };
  assert.deepEqual(found([{ gross: 9_600, fee: 239, net: 9_361 }], canceled), []);
  const cancel = { kind: 'cancel', gross: -400, fee: 0, net: -400 } as const;
  assert.deepEqual(found([{}, cancel], canceled), []);
  assert.deepEqual(found([{ gross: 9_600, fee: 239, net: 9_361 }, cancel], canceled), []);
});

const EARLY = '2026-11-20' as Day;
const LATER = '2026-12-20' as Day;
const given = (amount: number, bankOn: Day | null): Partial<MatchedPart> => {
  return { kind: 'cancel', gross: -amount, fee: 0, net: -amount, bankOn };
};

test('what was given back before the payout is off it, and what was given back behind it is not', () => {
  const books = { canceled: 5_000, expectedFee: 174, expectedNet: 6_826 };
  const payout = { gross: 7_000, fee: 174, net: 6_826 };
  const [before, behind] = [given(3_000, EARLY), given(2_000, LATER)];
  assert.deepEqual(found([payout, before, behind], books), []);
  assert.deepEqual(found([payout], books), []);
  assert.deepEqual(found([{}, before, behind], books), []);
  // Taken off the payout, and debited again.
  const rest = { gross: 5_000, fee: 124, net: 4_876 };
  assert.deepEqual(found([rest, before, behind], books), [['amountDiffers', 2_000, null]]);
});

test('what was given back before, and paid, may still be taken for some days, and is too much then', () => {
  const books = { canceled: 3_000, expectedFee: 174, expectedNet: 6_826 };
  assert.deepEqual(found([{}], { ...books, mayStillTake: true }), []);
  assert.deepEqual(found([{}], books), [['amountDiffers', -3_000, null]]);
  assert.deepEqual(found([{}, given(1_000, LATER)], books), [['amountDiffers', -3_000, null]]);
  assert.deepEqual(found([{}, given(3_000, LATER)], books), []);
});

test('a chargeback is none of what was canceled, however large, nor a cancel of what was charged back', () => {
  const chargeback = { kind: 'chargeback', gross: -4_000, fee: 0, net: -4_000, bankOn: LATER } as const;
  assert.deepEqual(found([{}, chargeback], { canceled: 4_000 }), [['chargebackUnknown', 4_000, null]]);
  const charged = { canceled: 4_000, chargedBack: 4_000 };
  assert.deepEqual(found([{}, chargeback], charged), []);
  assert.deepEqual(found([{}, given(4_000, LATER)], charged), [['cancellationUnknown', 4_000, null]]);
  // A chargeback report without an amount may explain all that the file says.
  assert.deepEqual(found([{}, chargeback], { canceled: 4_000, chargedBack: null }), []);
});

test('a debit twice in a file became one change: the second is not known', () => {
  const chargeback = { kind: 'chargeback', gross: -4_000, fee: 0, net: -4_000, bankOn: LATER } as const;
  const one = { ...chargeback, changeId: 'file-1', changeState: 'applied' } as const;
  const books = { canceled: 4_000, chargedBack: 4_000, chargedBackByFiles: 4_000 };
  assert.deepEqual(found([{}, one], books), []);
  assert.deepEqual(found([{}, one, one], books), [['chargebackUnknown', 4_000, null]]);
  const twice = { ...one, changeId: 'file-2' };
  assert.deepEqual(found([{}, one, twice]), []);
});

test('what the books took because of a file that was replaced is named, until a file takes it again', () => {
  const books = { canceled: 4_000, chargedBack: 4_000, chargedBackByFiles: 4_000 };
  const chargeback = { kind: 'chargeback', gross: -4_000, fee: 0, net: -4_000, bankOn: LATER } as const;
  assert.deepEqual(found([{}], books), [['chargebackUnknown', -4_000, null]]);
  assert.deepEqual(found([{}, { ...chargeback, changeState: 'applied' }], books), []);
});

test('what a line keeps is a fee, whatever it is called', () => {
  assert.deepEqual(found([{ net: 9_500 }]), [['feeDiffers', 251, null]]);
  assert.deepEqual(found([{ anticipationFee: 100, net: 9_651 }]), [['feeDiffers', 100, null]]);
  const early = { kind: 'anticipation', bankOn: EARLY, anticipationFee: 100 } as const;
  assert.deepEqual(found([{ ...early, net: 9_651 }]), []);
  assert.deepEqual(found([{ ...early, net: 9_600 }]), [['feeDiffers', 51, null]]);
  assert.deepEqual(
    found([
      { fee: 150, gross: 6_000, net: 5_850 },
      { gross: 4_000, fee: 99, net: 3_800 },
    ]),
    [['feeDiffers', 101, null]],
  );
});

test('paid twice is too much by what came again, whatever each line is short of', () => {
  assert.deepEqual(found([{ gross: 9_900, fee: 247, net: 9_653 }, {}]), [['duplicateInFile', -9_653, null]]);
  assert.deepEqual(found([{}, { bankOn: LATER, net: 9_000 }]), [['duplicateInFile', -9_000, null]]);
});

test('a chargeback on its way through the states is no difference; one that was reversed is', () => {
  const chargeback = { kind: 'chargeback', gross: -10_000, fee: 0, net: -10_000 } as const;
  assert.deepEqual(found([{}, { ...chargeback, changeState: 'waiting' }]), [
    ['chargebackUnknown', 10_000, 'onItsWay'],
  ]);
  const applied = { ...chargeback, changeState: 'applied' } as const;
  const books = { canceled: 10_000, state: 'canceled' } as const;
  assert.deepEqual(found([{}, applied], { ...books, chargedBack: 10_000 }), []);
  // The receivable's copy of the books is slightly behind.
  assert.deepEqual(found([{}, applied]), []);
  const reversal = { ...chargeback, kind: 'chargebackReversal', gross: 10_000, net: 10_000 } as const;
  assert.deepEqual(found([{}, applied, reversal], { ...books, chargedBack: 10_000 }), [
    ['chargebackUnknown', -10_000, null],
  ]);
});

const PARTS = fc.array(
  fc.record({
    kind: fc.constantFrom<MatchedPart['kind'][]>(
      'sale',
      'payout',
      'anticipation',
      'cancel',
      'chargeback',
      'pledge',
    ),
    gross: fc.integer({ min: -20_000, max: 20_000 }),
    fee: fc.option(fc.integer({ min: 0, max: 500 })),
    fileNumber: fc.integer({ min: 1, max: 3 }),
    bankOn: fc.constantFrom(DUE, '2026-12-04' as Day, null),
  }),
  { maxLength: 5 },
);

test('at most one finding of a class, and the same whenever it is asked', () => {
  fc.assert(
    fc.property(PARTS, fc.integer({ min: 0, max: 10_000 }), (parts, canceled) => {
      const all = parts.map((part, lineNumber) => ({ ...PAYOUT, ...part, net: null, lineNumber }));
      const findings = findingsOf({ ...INSTALLMENT, canceled }, all);
      assert.equal(new Set(findings.map((each) => each.class)).size, findings.length);
      assert.deepEqual(findingsOf({ ...INSTALLMENT, canceled }, all), findings);
      assert.ok(findings.every(({ amount }) => Number.isSafeInteger(amount)));
    }),
  );
});
