import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, type Day, instant, parseUtcText, saoPauloDay } from '../../values/instant.ts';
import { parsePlace, periodOfDays, placeText } from './recorded-delivery.ts';

const NOW = parseUtcText('2026-11-22T01:00:00Z');
const day = fc.integer({ min: -400, max: 400 }).map((count) => addDays('2026-11-21' as Day, count));

test('a period of days begins and ends at midnight in São Paulo, holds its days and no more than 31', () => {
  fc.assert(
    fc.property(fc.option(day), fc.option(day), (from, to) => {
      const period = periodOfDays({ from, to }, NOW as never, false);
      if (typeof period === 'string') {
        assert.ok(from !== null && to !== null, 'one day alone is always good');
        assert.equal(period, from > to ? 'periodBackwards' : 'periodTooLong');
        return;
      }
      const [first, last] = [saoPauloDay(period.from), saoPauloDay(instant(period.to - 1))];
      if (from !== null) assert.equal(first, from);
      if (to !== null) assert.equal(last, to);
      if (from === null || to === null) assert.equal(addDays(first, 30), last);
      if (from === null && to === null) assert.equal(last, '2026-11-21', 'today, where it is still the 21st');
      assert.ok(last >= first && addDays(first, 30) >= last);
    }),
  );
});

test('the edges of the calendar are no period and no error', () => {
  for (const edge of ['1920-01-01', '9999-12-31'] as Day[])
    for (const isOfOneNsu of [true, false])
      for (const days of [
        { from: edge, to: null },
        { from: null, to: edge },
        { from: edge, to: edge },
      ])
        assert.equal(typeof periodOfDays(days, NOW as never, isOfOneNsu), 'object', JSON.stringify(days));
});

test('a place is read as it was written, and nothing else is a place', () => {
  const numbers = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(fc.constantFrom('delivered', 'givenUp'), numbers, numbers, (state, time, number) => {
      const place = { state, createdMicroseconds: time, deliveryNumber: number } as const;
      assert.deepEqual(parsePlace(placeText(place)), place);
    }),
  );
  for (const text of ['', 'g-1', 'w-1-1', 'g-1-1 ', 'g--1-1', 'g-9999999999999999-1', 'G-1-1'])
    assert.equal(parsePlace(text), null, text);
});
