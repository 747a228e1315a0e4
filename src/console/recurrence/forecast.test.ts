import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthOf } from '../parts/month.ts';
import { yearOf } from './calendar-screens.ts';
import { forecastOf, forecasts } from './forecast.ts';

const NOW = Date.parse('2026-11-24T02:00:00-03:00');
const last = { installment: 3, expireAt: '2026-11-30T00:00:00' };
const plan = { interval: 30, installments: 0 };

test('due days follow the last billing by the interval of the plan, within a year', () => {
  assert.deepEqual(forecastOf({ status: 'Active', plan }, last, 2026), [
    { installment: 4, dueOn: '2026-12-30' },
  ]);
  const next = forecastOf({ status: 'Active', plan }, last, 2027);
  assert.equal(next.length, 12);
  assert.deepEqual(next[0], { installment: 5, dueOn: '2027-01-29' });
});

test('what is over, or not active, has no due day ahead', () => {
  assert.deepEqual(forecastOf({ status: 'Blocked', plan }, last, 2027), []);
  const four = [...forecasts({ status: 'Active', plan: { interval: 30, installments: 4 } }, last)];
  assert.deepEqual(four, [{ installment: 4, dueOn: '2026-12-30' }]);
  const end = { installment: 1, expireAt: '9999-12-30T00:00:00' };
  assert.deepEqual([...forecasts({ status: 'Active', plan }, end)], []);
});

const month = (query: Record<string, string>) => monthOf({ query, now: NOW });

test('a page is of the month of its day', () => {
  const [today, november] = ['2026-11-24', { first: '2026-11-01', last: '2026-11-30' }];
  assert.deepEqual(month({}), { ...november, today });
  assert.deepEqual(month({ day: '2028-02-29' }), { first: '2028-02-01', last: '2028-02-29', today });
  for (const day of ['2026-02-30', 'x', '9999-12-31', '0001-01-01'])
    assert.equal(month({ day }).first, '2026-11-01');
});

test('a year that is none, or too far, is this one', () => {
  assert.equal(yearOf({ query: {}, now: NOW }), 2026);
  assert.equal(yearOf({ query: { year: '2027' }, now: NOW }), 2027);
  for (const year of ['1999', '2037', '9999', '20x6', '20260'])
    assert.equal(yearOf({ query: { year }, now: NOW }), 2026);
});
