import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Day } from '../../values/instant.ts';
import type { MatchedPart } from '../exceptions/finding.ts';
import { dayShare, dayTotals, lineShare } from './day-report.ts';

const DUE = '2026-12-03' as Day;
const LATER = '2026-12-04' as Day;
const INSTALLMENT = {
  gross: 10_000,
  canceled: 0,
  expectedFee: 249,
  expectedNet: 9_751,
  expectedOn: DUE,
  installmentCount: 1,
  state: 'authorized',
  isCovered: true,
} as const;
const PAYOUT: MatchedPart = {
  kind: 'payout',
  rule: 'reference',
  fileNumber: 1,
  lineNumber: 2,
  gross: 10_000,
  fee: 249,
  net: 9_751,
  anticipationFee: null,
  bankOn: DUE,
  document: null,
  changeState: null,
};

const causes = (day: Day, parts: readonly Partial<MatchedPart>[], change: object = {}) =>
  dayShare(
    day,
    { ...INSTALLMENT, ...change },
    parts.map((part) => ({ ...PAYOUT, ...part })),
  ).causes;

test('what came as expected leaves nothing to name', () => {
  assert.deepEqual(causes(DUE, [{}]), []);
  assert.deepEqual(causes(LATER, [{}]), []);
});

test('what is missing has the name of why', () => {
  assert.deepEqual(causes(DUE, []), [['notInFile', 9_751]]);
  assert.deepEqual(causes(DUE, [], { isCovered: false }), [['notYetFiled', 9_751]]);
  assert.deepEqual(causes(DUE, [{ kind: 'pledge' }]), [['heldByPledge', 9_751]]);
  assert.deepEqual(causes(DUE, [{ fee: 349, net: 9_651 }]), [['feeDiffers', 100]]);
  assert.deepEqual(causes(DUE, [{ fee: 250, net: 9_750 }]), [['rounding', 1]]);
  assert.deepEqual(causes(DUE, [{ gross: 9_900, net: 9_651 }]), [['amountDiffers', 100]]);
  assert.deepEqual(causes(DUE, [{}, { lineNumber: 3 }]), [
    ['duplicateInFile', -10_000],
    ['feeDiffers', 249],
  ]);
});

test('what came on another day is named on both days', () => {
  assert.deepEqual(causes(DUE, [{ bankOn: LATER }]), [['otherDay', 9_751]]);
  assert.deepEqual(causes(LATER, [{ bankOn: LATER }]), [['otherDay', -9_751]]);
  const early = { kind: 'anticipation', bankOn: LATER, anticipationFee: 100, net: 9_651 } as const;
  assert.deepEqual(causes(LATER, [early]), [['anticipated', -9_651]]);
  assert.deepEqual(causes(DUE, [early]), [
    ['anticipated', 9_651],
    ['anticipationFee', 100],
  ]);
});

test('a cancel moves money at the bank where it did not make the payout smaller', () => {
  const cancel = { kind: 'cancel', gross: -400, fee: 0, net: -400, bankOn: LATER } as const;
  assert.deepEqual(causes(LATER, [{}, cancel]), [['canceled', 400]]);
  const smaller = { gross: 9_600, fee: 239, net: 9_361 };
  assert.deepEqual(
    causes(LATER, [smaller, cancel], { canceled: 400, expectedFee: 239, expectedNet: 9_361 }),
    [],
  );
});

const DAYS = [DUE, LATER, null] as const;
const PARTS = fc.array(
  fc.record({
    kind: fc.constantFrom<MatchedPart['kind'][]>(
      'sale',
      'payout',
      'anticipation',
      'cancel',
      'cancelReversal',
      'chargeback',
      'pledge',
    ),
    gross: fc.integer({ min: -20_000, max: 20_000 }),
    fee: fc.option(fc.integer({ min: 0, max: 500 })),
    net: fc.option(fc.integer({ min: -20_000, max: 20_000 })),
    anticipationFee: fc.option(fc.integer({ min: 0, max: 500 })),
    bankOn: fc.constantFrom(...DAYS),
  }),
  { maxLength: 6 },
);

test('every cent of expected less received has a name, whatever the lines say', () => {
  fc.assert(
    fc.property(PARTS, fc.boolean(), fc.integer({ min: 0, max: 10_000 }), (parts, isCovered, canceled) => {
      for (const day of [DUE, LATER]) {
        const totals = dayTotals();
        totals.add(
          dayShare(
            day,
            { ...INSTALLMENT, isCovered, canceled },
            parts.map((part) => ({ ...PAYOUT, ...part })),
          ),
        );
        totals.add(lineShare('notInParcela', 777, 12));
        const { expected, received, causes } = totals.result();
        assert.equal(
          causes.reduce((sum, { amount }) => sum + amount, 0),
          expected - received,
        );
      }
    }),
  );
});
