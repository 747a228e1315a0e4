import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DUE, INSTALLMENT, PAYOUT } from '../../../test/reconciliation/judged-sample.ts';
import type { Day } from '../../values/instant.ts';
import { movedDays } from '../days/day.ts';
import { filedPayout, type MatchedPart } from '../judging/judged-installment.ts';
import { apartDays } from '../judging/money-of-day.ts';
import { dayShare, dayTotals, lineShare } from './day-report.ts';

const LATER = '2026-12-04' as Day;
const LAST = '2026-12-07' as Day;
const EARLIER = '2026-11-20' as Day;

const shareOf = (day: Day, parts: readonly Partial<MatchedPart>[], change: object = {}) =>
  dayShare(
    day,
    { ...INSTALLMENT, ...change },
    parts.map((part, index) => ({ ...PAYOUT, lineNumber: index + 2, ...part })),
  );
const causes = (...of: Parameters<typeof shareOf>) => shareOf(...of).causes;

test('what came as expected leaves nothing to name', () => {
  assert.deepEqual(causes(DUE, [{}]), []);
  assert.deepEqual(causes(LATER, [{}]), []);
});

test('what is missing has the name of why', () => {
  assert.deepEqual(causes(DUE, []), [['notInFile', 9_751]]);
  assert.deepEqual(causes(DUE, [], { isCovered: false }), [['notYetFiled', 9_751]]);
  assert.deepEqual(causes(DUE, [{ kind: 'pledge' }]), [['heldByPledge', 9_751]]);
  assert.deepEqual(causes(LATER, [{}, { kind: 'pledge', bankOn: LATER }]), [['heldByPledge', 9_751]]);
  assert.deepEqual(causes(DUE, [{ fee: 349, net: 9_651 }]), [['feeDiffers', 100]]);
  assert.deepEqual(causes(DUE, [{ fee: 250, net: 9_750 }]), [['rounding', 1]]);
  // What the amount lacks counts after its fee.
  assert.deepEqual(causes(DUE, [{ gross: 9_900, fee: 247, net: 9_653 }]), [['amountDiffers', 98]]);
  assert.deepEqual(causes(DUE, [{ net: 9_500 }]), [['feeDiffers', 251]]);
  assert.deepEqual(causes(DUE, [{}, { lineNumber: 3 }]), [['duplicateInFile', -9_751]]);
  assert.deepEqual(causes(LATER, [{}, { bankOn: LATER }]), [['duplicateInFile', -9_751]]);
});

test('what came on another day is named on both days', () => {
  assert.deepEqual(causes(DUE, [{ bankOn: LATER }]), [['dateDiffers', 9_751]]);
  assert.deepEqual(causes(LATER, [{ bankOn: LATER }]), [['dateDiffers', -9_751]]);
  const early = { kind: 'anticipation', bankOn: EARLIER, anticipationFee: 100, net: 9_651 } as const;
  assert.deepEqual(causes(EARLIER, [early]), [['anticipated', -9_651]]);
  assert.deepEqual(causes(DUE, [early]), [
    ['anticipationFee', 100],
    ['anticipated', 9_651],
  ]);
});

test('a cancel moves money at the bank where it did not make the payout smaller', () => {
  const cancel = { kind: 'cancel', gross: -400, fee: 0, net: -400, bankOn: LATER } as const;
  assert.deepEqual(causes(LATER, [{}, cancel]), [['cancellationUnknown', 400]]);
  const books = { canceled: 400 };
  assert.deepEqual(causes(LATER, [{}, cancel], books), [['canceled', 400]]);
  assert.deepEqual(causes(LATER, [{}, { ...cancel, kind: 'chargeback' }], books), [
    ['chargebackUnknown', 400],
  ]);
  assert.deepEqual(causes(LATER, [{}, { ...cancel, kind: 'chargeback' }], { ...books, chargedBack: 400 }), [
    ['chargedBack', 400],
  ]);
  const smaller = { gross: 9_600, fee: 239, net: 9_361 };
  const due = { expectedFee: 239, expectedNet: 9_361 };
  const before = { ...cancel, bankOn: DUE };
  assert.deepEqual(causes(DUE, [smaller, before], { canceled: 400, ...due }), []);
  // Some before the payout, and as much again after it.
  assert.deepEqual(causes(DUE, [smaller, before, cancel], { canceled: 800, ...due }), []);
  assert.deepEqual(causes(LATER, [smaller, before, cancel], { canceled: 800, ...due }), [['canceled', 400]]);
  // Paid whole, before the acquirer takes it back.
  const paidWhole = { canceled: 400, ...due };
  assert.deepEqual(causes(DUE, [{}], { ...paidWhole, mayStillTake: true }), [['canceled', -390]]);
  assert.deepEqual(causes(DUE, [{}], paidWhole), [['amountDiffers', -390]]);
});

test('a debit of what no line pays moves money, but where the payout to come is smaller by it', () => {
  const debit = { kind: 'chargeback', gross: -10_000, fee: 0, net: -10_000, bankOn: LATER } as const;
  const shown = (change: object) => {
    const { received, causes: named } = shareOf(LATER, [debit], { isCovered: false, ...change });
    return [received, named];
  };
  const taken = { canceled: 10_000, chargedBack: 10_000 };
  const unfiled = { expectedOn: EARLIER, paidOn: EARLIER };
  assert.deepEqual(shown({ ...unfiled, ...taken }), [-10_000, [['chargedBack', 10_000]]]);
  assert.deepEqual(shown(unfiled), [-10_000, [['chargebackUnknown', 10_000]]]);
  // Nothing was paid at all.
  assert.deepEqual(shown({ expectedOn: '2026-12-20' }), [-10_000, [['chargebackUnknown', 10_000]]]);
  const nothingDue = { ...taken, expectedFee: 0, expectedNet: 0 };
  assert.deepEqual(shown({ expectedOn: '2026-12-20', ...nothingDue }), [0, []]);
  const unscheduled = { ...debit, kind: 'cancel', net: 0 } as const;
  assert.equal(shareOf(LATER, [unscheduled], { expectedOn: '2026-12-20' }).received, 0);
  // Its day was over before the first file.
  assert.deepEqual(shown({ expectedOn: EARLIER, ...nothingDue }), [-10_000, [['chargedBack', 10_000]]]);
  // Off the payout, and after it.
  const rest = { ...unfiled, canceled: 400, expectedFee: 239, expectedNet: 9_361 };
  const cancel = { ...debit, kind: 'cancel', gross: -400, net: -400 } as const;
  assert.equal(shareOf(EARLIER, [{ ...cancel, bankOn: EARLIER }], rest).received, 0);
  assert.equal(shareOf(LATER, [cancel], rest).received, -400);
});

test('an order of a debit that is paid in pieces is one, and each piece stands on its day', () => {
  const of = { kind: 'cancel', gross: -10_000, fee: null, document: '77' } as const;
  const first = { ...of, net: -3_000, bankOn: LATER };
  const rest = { ...of, fileNumber: 2, net: -7_000, bankOn: LAST };
  const announced = { ...of, net: null, bankOn: null };
  for (const books of [{}, { canceled: 10_000 }]) {
    const cause = 'canceled' in books ? 'canceled' : 'cancellationUnknown';
    for (const lines of [
      [announced, first, rest],
      [first, { ...first, fileNumber: 2 }, rest],
    ]) {
      assert.deepEqual(causes(LATER, [{}, ...lines], books), [[cause, 3_000]]);
      assert.deepEqual(causes(LAST, [{}, ...lines], books), [[cause, 7_000]]);
    }
  }
});

const PARTS = fc.array(
  fc.record({
    kind: fc.constantFrom<MatchedPart['kind'][]>(
      'sale',
      'payout',
      'payout',
      'anticipation',
      'cancel',
      'cancelReversal',
      'chargeback',
      'chargebackReversal',
      'pledge',
    ),
    gross: fc.oneof(fc.integer({ min: -20_000, max: 20_000 }), fc.constantFrom(10_000, 9_600, 9_000)),
    fee: fc.integer({ min: 0, max: 500 }),
    net: fc.option(fc.integer({ min: -20_000, max: 20_000 })),
    anticipationFee: fc.option(fc.integer({ min: 0, max: 500 })),
    bankOn: fc.constantFrom(EARLIER, DUE, LATER, null),
    document: fc.constantFrom(null, '77'),
    changeState: fc.constantFrom<MatchedPart['changeState'][]>('waiting', 'applied', 'refused', null),
  }),
  { maxLength: 6 },
);

test('every cent of expected less received has a name, whatever the lines say', () => {
  fc.assert(
    fc.property(
      PARTS,
      fc.boolean(),
      fc.constantFrom(0, 400, 1_000, 10_000),
      fc.constantFrom(null, 0, 400, 5_000),
      fc.boolean(),
      (parts, isCovered, canceled, chargedBack, isDueLess) => {
        const rest = 10_000 - canceled;
        const fee = Math.round((rest * 249) / 10_000);
        const due = isDueLess ? { expectedFee: fee, expectedNet: rest - fee } : {};
        const installment = { ...INSTALLMENT, isCovered, canceled, chargedBack, ...due };
        const all = parts.map((part, lineNumber) => ({ ...PAYOUT, ...part, lineNumber }));
        for (const day of [EARLIER, DUE, LATER]) {
          const totals = dayTotals();
          totals.add(dayShare(day, installment, all));
          totals.add(lineShare('notInParcela', 777, 12));
          const { unexplained, causes: named } = totals.result();
          assert.equal(unexplained, 0, JSON.stringify(named));
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('what is not looked at line by line moves one payout, on the day that its receivable shows', () => {
  fc.assert(
    fc.property(PARTS, fc.constantFrom(0, 400, 10_000), (parts, canceled) => {
      const installment = { ...INSTALLMENT, canceled };
      const all = parts.map((part, lineNumber) => ({ ...PAYOUT, ...part, lineNumber }));
      const [days, apart, filed] = [[EARLIER, DUE, LATER], apartDays(all, installment), filedPayout(all)];
      const moved = new Map(movedDays(installment, all).map((each) => [each.day, each.received]));
      for (const day of days) {
        const { received, fees } = dayShare(day, installment, all);
        assert.deepEqual([received, fees], [moved.get(day)?.net ?? 0, moved.get(day)?.fee ?? 0]);
        if (apart === null) assert.equal(received, day === filed.bankOn ? filed.net : 0);
        else if (day < apart.from || day > apart.to) assert.equal(received, 0);
      }
    }),
    { numRuns: 2_000 },
  );
});

const TAKEN = fc.record({
  kind: fc.constantFrom('cancel' as const, 'chargeback' as const),
  amount: fc.integer({ min: 1, max: 3_000 }),
  on: fc.constantFrom(EARLIER, LATER, LAST),
});

test('on each day that is received which came to the bank, whether files take back before or behind a payout', () => {
  fc.assert(
    fc.property(
      fc.array(TAKEN, { maxLength: 3 }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (taken, isKnown, isWhole, isFiled) => {
        const sizeOf = (some: readonly { amount: number }[]) =>
          some.reduce((sum, { amount }) => sum + amount, 0);
        const before = sizeOf(taken.filter(({ on }) => on === EARLIER));
        const gross = isWhole && isFiled ? 10_000 : 10_000 - before;
        const fee = Math.round((gross * 249) / 10_000);
        const due = isKnown ? 10_000 - before : 10_000;
        const dueFee = Math.round((due * 249) / 10_000);
        const books = {
          paidOn: DUE,
          canceled: isKnown ? sizeOf(taken) : 0,
          chargedBack: isKnown ? sizeOf(taken.filter(({ kind }) => kind === 'chargeback')) : 0,
          expectedFee: dueFee,
          expectedNet: due - dueFee,
        };
        const lines = taken.map(({ kind, amount, on }) => ({
          kind,
          gross: -amount,
          fee: 0,
          net: -amount,
          bankOn: on,
        }));
        const payout = isFiled ? [{ gross, fee, net: gross - fee }] : [];
        for (const day of [EARLIER, DUE, LATER, LAST]) {
          // What made the payout smaller moved nothing by itself.
          const moves = day !== EARLIER || (isWhole && isFiled);
          const debits = moves ? sizeOf(taken.filter(({ on }) => on === day)) : 0;
          const came = day === DUE && isFiled ? gross - fee : 0;
          if (!isKnown && !isFiled && day === EARLIER) continue;
          assert.equal(shareOf(day, [...payout, ...lines], books).received, came - debits, day);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('what no rule has a name for stays visible', () => {
  // A line that does not say what it keeps.
  assert.deepEqual(causes(DUE, [{ fee: null, net: null }]), [['unexplained', -249]]);
});
