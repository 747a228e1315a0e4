import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { businessDayFrom, daysBetween, easterSunday, isBusinessDay } from './business-day.ts';
import { addDays, type Day } from './instant.ts';

const day = (text: string) => text as Day;

test('weekends and national bank holidays are no business days', () => {
  const closed = [
    ...['2026-01-01', '2026-02-16', '2026-02-17', '2026-04-03', '2026-04-21', '2026-05-01', '2026-06-04'],
    ...['2026-09-07', '2026-10-12', '2026-11-02', '2026-11-15', '2026-11-20', '2026-12-25', '2026-11-21'],
  ];
  for (const text of closed) assert.equal(isBusinessDay(day(text)), false, text);
  // The Wednesday after carnival, the Thursday before Easter, and New Year's Eve.
  for (const text of ['2026-02-18', '2026-04-02', '2026-12-31', '2026-11-23'])
    assert.equal(isBusinessDay(day(text)), true, text);
});

test('the 20th of November is a holiday of the whole country since 2024', () => {
  assert.equal(isBusinessDay(day('2023-11-20')), true);
  assert.equal(isBusinessDay(day('2024-11-20')), false);
  assert.equal(businessDayFrom(day('2026-11-20')), '2026-11-23');
});

test('Easter falls on the days that are known', () => {
  const known = [
    '2000-04-23',
    '2008-03-23',
    '2011-04-24',
    '2024-03-31',
    '2025-04-20',
    '2026-04-05',
    '2038-04-25',
  ];
  for (const text of known) assert.equal(easterSunday(Number(text.slice(0, 4))), text);
});

test('Easter is a Sunday from 22 March to 25 April', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1920, max: 9998 }), (year) => {
      const found = easterSunday(year);
      assert.equal(new Date(`${found}T00:00:00Z`).getUTCDay(), 0);
      assert.ok(found >= `${year}-03-22` && found <= `${year}-04-25`, found);
    }),
  );
});

test('the business day from a day on is that day or the first after it, never a week away', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40_000 }), (count) => {
      const from = addDays(day('2000-01-01'), count);
      const found = businessDayFrom(from);
      assert.ok(isBusinessDay(found));
      const skipped = daysBetween(from, found);
      assert.ok(skipped >= 0 && skipped < 7);
      for (let at = 0; at < skipped; at += 1) assert.equal(isBusinessDay(addDays(from, at)), false);
    }),
  );
});
