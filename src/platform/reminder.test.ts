import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openReminder } from './reminder.ts';

test('what is wrong is said when it is new, and again from time to time, with how often it was', () => {
  const said: [string, number][] = [];
  let now = 0;
  const reminder = openReminder((reason, times) => said.push([reason, times]), { now: () => now });
  for (const reason of ['silence', 'silence', 'noise', 'silence', 'noise']) reminder.report(reason);
  assert.deepEqual(said.splice(0), [
    ['silence', 1],
    ['noise', 1],
  ]);
  now = 599_999;
  reminder.report('silence');
  assert.deepEqual(said, []);
  now = 600_000;
  reminder.report('silence');
  assert.deepEqual(said.splice(0), [['silence', 4]]);
  reminder.forget();
  reminder.report('silence');
  assert.deepEqual(said, [['silence', 1]]);
});

test('reasons without end take no memory without end', () => {
  let said = 0;
  const reminder = openReminder(() => {
    said += 1;
  });
  for (let index = 0; index < 10_000; index += 1) reminder.report(`reason ${index}`);
  assert.equal(said, 10_000);
});
