import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Day, instant, saoPauloDay, saoPauloText } from '../../values/instant.ts';
import {
  dueInstant,
  FIRST_CHARGE_TURN,
  firstDayFrom,
  NO_WINDOW,
  readChargeWindow,
  TURNS,
} from './day-window.ts';

const DAY = '2026-12-01' as Day;

test('a window is reported by its hours, and ends before midnight', () => {
  assert.deepEqual(readChargeWindow('06:00-20:00'), { startSeconds: 21_600, endSeconds: 72_000 });
  assert.deepEqual(readChargeWindow('00:00-23:59'), { startSeconds: 0, endSeconds: 86_340 });
  for (const text of [
    '',
    '6:00-20:00',
    '06:00',
    '20:00-06:00',
    '06:00-06:00',
    '22:00-24:00',
    '06:00-20:00 ',
    '06:60-20:00',
  ])
    assert.equal(readChargeWindow(text), null, text);
});

test('without a window a day is due when it begins', () => {
  assert.equal(saoPauloText(dueInstant(DAY, 40_000, NO_WINDOW)), '2026-12-01T00:00:00.000');
});

test('turns are spread evenly over the window, and a first charge does not wait for it', () => {
  const window = { startSeconds: 6 * 3_600, endSeconds: 20 * 3_600 };
  const at = (turn: number) => saoPauloText(dueInstant(DAY, turn, window)).slice(11, 16);
  assert.deepEqual(
    [at(FIRST_CHARGE_TURN), at(0), at(TURNS / 2), at(TURNS - 1)],
    ['00:00', '06:00', '13:00', '20:00'],
  );
});

test('at the due instant of a turn the claims have come so far, whatever the window', () => {
  const windows = fc
    .tuple(fc.integer({ min: 0, max: 86_000 }), fc.integer({ min: 1, max: 86_399 }))
    .filter(([start, length]) => start + length <= 86_399)
    .map(([startSeconds, length]) => ({ startSeconds, endSeconds: startSeconds + length }));
  fc.assert(
    fc.property(windows, fc.integer({ min: 0, max: TURNS - 1 }), (window, turn) => {
      const due = dueInstant(DAY, turn, window);
      assert.equal(saoPauloDay(due), DAY);
      const second = Math.floor((due - dueInstant(DAY, FIRST_CHARGE_TURN, window)) / 1_000);
      const { startSeconds, endSeconds } = window;
      // Computed as in the statement.
      const turns =
        second >= endSeconds
          ? TURNS
          : Math.floor(((second - startSeconds) * TURNS) / (endSeconds - startSeconds));
      assert.ok(turns >= turn, `${turns} at the instant of ${turn}`);
    }),
    { numRuns: 2_000 },
  );
});

test('who must wait until an instant is charged on the first day that begins no earlier', () => {
  const midnight = dueInstant(DAY, FIRST_CHARGE_TURN, NO_WINDOW);
  assert.equal(firstDayFrom(midnight, DAY), DAY);
  assert.equal(firstDayFrom(instant(midnight + 1), DAY), '2026-12-02');
});
