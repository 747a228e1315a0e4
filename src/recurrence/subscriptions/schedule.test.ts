import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, type Day } from '../../values/instant.ts';
import { parsePlanAmount } from '../../values/plan-amount.ts';
import { ENDLESS, type Terms } from '../plans/plan.ts';
import {
  type CountedBilling,
  dueDayAfter,
  dueDayAtActivation,
  firstDueOn,
  isLastInstallment,
  statusMove,
} from './schedule.ts';

/** Ends of months and years, leap days, and days on which Brazil changed its clocks. */
const START_DAYS = [
  '2026-01-29',
  '2026-01-30',
  '2026-01-31',
  '2024-02-29',
  '2026-12-31',
  '2027-01-01',
  '2018-11-04',
  '2019-02-17',
] as Day[];

const startDay = fc.constantFrom(...START_DAYS);
const interval = fc.oneof(fc.constantFrom(30, 60, 90, 180, 365), fc.integer({ min: 20, max: 3_650 }));
const trial = fc.integer({ min: 0, max: 730 });

const everyDays = (intervalDays: number) =>
  ({ paymentMethod: 'creditCard', planType: 'custom', intervalDays }) as const;

const TERMS: Terms = {
  amount: parsePlanAmount('49.9'),
  planType: 'monthly',
  paymentMethod: 'creditCard',
  trialDays: 0,
  intervalDays: 30,
  installments: ENDLESS,
  maxRetries: 4,
};

/** Counts the midnights between the days. */
function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}

test('the first billing is due after the trial, every other one an interval after the one before', () => {
  fc.assert(
    fc.property(
      startDay,
      trial,
      interval,
      fc.integer({ min: 1, max: 50 }),
      (subscribedOn, days, step, count) => {
        const first = firstDueOn(subscribedOn, days);
        assert.equal(daysBetween(subscribedOn, first), days);
        let day = first;
        for (let index = 1; index <= count; index += 1) day = dueDayAfter(day, everyDays(step));
        assert.equal(daysBetween(first, day), count * step);
      },
    ),
  );
  assert.equal(firstDueOn('2026-02-02' as Day, 10), '2026-02-12');
  assert.equal(dueDayAfter('2026-01-31' as Day, everyDays(30)), '2026-03-02');
});

test('activated again it never owes the past, stays in its series, and bills no day twice nor any in vain', () => {
  fc.assert(
    fc.property(
      startDay,
      interval,
      fc.option(fc.integer({ min: 0, max: 40 }), { nil: null }),
      fc.integer({ min: -800, max: 8_000 }),
      fc.boolean(),
      (first, intervalDays, billed, later, isCharged) => {
        const lastBilledOn = billed === null ? null : addDays(first, billed * intervalDays);
        const today = addDays(first, later);
        const day = dueDayAtActivation(
          { firstDueOn: first, rhythm: everyDays(intervalDays), lastBilledOn, isCharged },
          today,
        );
        assert.ok(day >= today, 'not before today');
        if (!isCharged && day === today) return;
        assert.equal(daysBetween(first, day) % intervalDays, 0, 'in the series');
        assert.ok(day >= first && (lastBilledOn === null || day > lastBilledOn), 'not billed already');
        const before = addDays(day, -intervalDays);
        const isFree = before >= first && (lastBilledOn === null || before > lastBilledOn);
        assert.ok(!isFree || before < today, 'no day of the series that could be billed is left out');
      },
    ),
  );
});

test('installments end where they must, or never', () => {
  assert.equal(isLastInstallment(11, { installments: 12 }), false);
  assert.equal(isLastInstallment(12, { installments: 12 }), true);
  assert.equal(isLastInstallment(5_000, { installments: ENDLESS }), false);
});

const FIRST = '2026-01-10' as Day;
const billing = (installment: number, change: Partial<CountedBilling> = {}): CountedBilling => ({
  billingId: `b${installment}`,
  installment,
  dueOn: addDays(FIRST, (installment - 1) * 30),
  isOpen: false,
  isCharging: false,
  wasCharged: true,
  isSeriesCharged: true,
  lastChargedOn: null,
  ...change,
});
const open = (installment: number, change: Partial<CountedBilling> = {}) =>
  billing(installment, {
    ...{ isOpen: true, wasCharged: false, isSeriesCharged: installment > 1 },
    ...change,
  });

const moveOf = (
  state: 'active' | 'blocked' | 'canceled' | 'completed',
  latest: readonly CountedBilling[],
  event: 'activate' | 'cancel',
  today: string,
  installments = ENDLESS,
) =>
  statusMove(
    { state, terms: { ...TERMS, installments }, firstDueOn: FIRST, installmentsPaidBefore: 0 },
    latest,
    event,
    today as Day,
  );

test('canceling ends the open billing, skipped unless somebody tried to collect it', () => {
  assert.deepEqual(moveOf('active', [open(2), billing(1)], 'cancel', '2026-02-01'), {
    state: 'canceled',
    ends: { billingId: 'b2', isSkipped: true },
    opens: null,
  });
  assert.deepEqual(moveOf('blocked', [open(2, { wasCharged: true })], 'cancel', '2026-02-12'), {
    state: 'canceled',
    ends: { billingId: 'b2', isSkipped: false },
    opens: null,
  });
});

test('what is under charge is left alone, canceled or activated', () => {
  const charging = [open(2, { isCharging: true }), billing(1)];
  const nothing = { ends: null, opens: null };
  assert.deepEqual(moveOf('active', charging, 'cancel', '2026-02-09'), { state: 'canceled', ...nothing });
  assert.deepEqual(moveOf('canceled', charging, 'activate', '2026-02-09'), { state: 'active', ...nothing });
});

test('what it is already it does not become, and nothing changes', () => {
  const nothing = { state: null, ends: null, opens: null };
  assert.deepEqual(moveOf('active', [open(1)], 'activate', '2026-01-01'), nothing);
  assert.deepEqual(moveOf('canceled', [billing(1)], 'cancel', '2026-01-01'), nothing);
  assert.deepEqual(moveOf('completed', [billing(1)], 'cancel', '2026-01-01'), nothing);
});

test('activating opens the next installment on the next day of the series', () => {
  assert.deepEqual(moveOf('canceled', [], 'activate', '2026-01-01'), {
    state: 'active',
    ends: null,
    opens: { installment: 1, dueOn: '2026-01-10', chargeOn: '2026-01-10' },
  });
  assert.deepEqual(moveOf('blocked', [billing(3), billing(2)], 'activate', '2026-12-01'), {
    state: 'active',
    ends: null,
    opens: { installment: 4, dueOn: '2026-12-06', chargeOn: '2026-12-06' },
  });
});

test('what was never charged begins on the day of its activation, or on its own, whichever is later', () => {
  const opened = (latest: readonly CountedBilling[], today: string) => {
    const move = moveOf('canceled', latest, 'activate', today);
    assert.ok(typeof move !== 'string');
    return [move.opens?.installment, move.opens?.dueOn];
  };
  assert.deepEqual(opened([], '2026-01-09'), [1, '2026-01-10']);
  assert.deepEqual(opened([], '2026-01-11'), [1, '2026-01-11']);
  assert.deepEqual(opened([], '2028-05-08'), [1, '2028-05-08']);
  const canceled = billing(1, { wasCharged: false, isSeriesCharged: false });
  assert.deepEqual(opened([canceled], '2026-01-10'), [2, '2026-02-09']);
  assert.deepEqual(opened([canceled], '2026-02-12'), [2, '2026-02-12']);
  const charged = { ...canceled, isSeriesCharged: true };
  assert.deepEqual(opened([charged], '2026-02-12'), [2, '2026-03-11']);
});

test('what was paid at another gateway goes on in its series, and nothing of the past is charged', () => {
  const open = (installmentsPaidBefore: number, today: string) => {
    const subscription = {
      state: 'canceled',
      terms: TERMS,
      firstDueOn: FIRST,
      installmentsPaidBefore,
    } as const;
    const move = statusMove(subscription, [], 'activate', today as Day);
    assert.ok(typeof move !== 'string');
    return [move.opens?.installment, move.opens?.dueOn];
  };
  assert.deepEqual(open(5, '2026-01-09'), [6, '2026-01-10']);
  assert.deepEqual(open(5, '2026-01-11'), [6, '2026-02-09']);
  assert.deepEqual(open(0, '2026-01-11'), [1, '2026-01-11']);
});

test('activated on a day on which another installment was charged late, the next is charged a day later', () => {
  const late = billing(1, { lastChargedOn: '2026-02-09' as Day });
  assert.deepEqual(moveOf('canceled', [late], 'activate', '2026-02-09'), {
    state: 'active',
    ends: null,
    opens: { installment: 2, dueOn: '2026-02-09', chargeOn: '2026-02-10' },
  });
});

test('were there something open at an activation, it would end, and the next day be billed', () => {
  assert.deepEqual(moveOf('blocked', [open(2), billing(1)], 'activate', '2026-02-09'), {
    state: 'active',
    ends: { billingId: 'b2', isSkipped: true },
    opens: { installment: 2, dueOn: '2026-02-09', chargeOn: '2026-02-09' },
  });
  assert.deepEqual(moveOf('blocked', [open(2), billing(1)], 'activate', '2026-02-10'), {
    state: 'active',
    ends: { billingId: 'b2', isSkipped: true },
    opens: { installment: 2, dueOn: '2026-03-11', chargeOn: '2026-03-11' },
  });
  assert.deepEqual(moveOf('blocked', [open(2, { wasCharged: true }), billing(1)], 'activate', '2026-02-09'), {
    state: 'active',
    ends: { billingId: 'b2', isSkipped: false },
    opens: { installment: 3, dueOn: '2026-03-11', chargeOn: '2026-03-11' },
  });
});

test('a subscription without an installment left stays as it is', () => {
  assert.equal(moveOf('completed', [billing(3)], 'activate', '2026-06-01', 3), 'completed');
  assert.equal(moveOf('canceled', [billing(3), billing(2)], 'activate', '2026-06-01', 3), 'completed');
  assert.notEqual(moveOf('canceled', [billing(2)], 'activate', '2026-06-01', 3), 'completed');
});
