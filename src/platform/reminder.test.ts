import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
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
  assert.deepEqual(said.splice(0), [['silence', 1]]);
  for (const reason of ['silence', 'silence', 'noise']) reminder.report(reason);
  said.splice(0);
  reminder.close();
  assert.deepEqual(said, [['silence', 2]], 'what was counted is not lost at the end');
});

test('reasons without end take neither memory nor lines without end, and are counted', () => {
  const said = new Map<string, number>();
  let now = 0;
  const reminder = openReminder((reason, times) => said.set(reason, times), { now: () => now });
  for (let index = 0; index < 10_000; index += 1) reminder.report(`reason ${index}`);
  assert.equal(said.size, 101);
  now = 600_000;
  reminder.report('reason 9999');
  assert.equal(said.get('reason 9999'), 1, 'the others are long ago');
  for (let index = 0; index < 99; index += 1) reminder.report(`later ${index}`);
  reminder.report('one more');
  assert.equal(said.get('others'), 9_899, 'the rest of those before, and from now on once in a pause');
});

test('what is known of an occurrence goes with it', () => {
  const said: unknown[] = [];
  const reminder = openReminder<{ readonly at: number }>((...those) => said.push(those));
  for (const at of [1, 2, 3]) reminder.report('silence', { at });
  assert.deepEqual(said, [['silence', 1, { at: 1 }]]);
});

test('what came in one burst is said in full when the pause ends, once', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const said: unknown[] = [];
    let now = 0;
    const pass = (milliseconds: number) => {
      now += milliseconds;
      mock.timers.tick(milliseconds);
    };
    const reminder = openReminder<{ readonly at: number }>((...those) => said.push(those), {
      now: () => now,
    });
    for (let at = 1; at <= 10_000; at += 1) reminder.report('silence', { at });
    pass(300_000);
    reminder.report('noise', { at: 1 });
    reminder.report('noise', { at: 2 });
    assert.deepEqual(said.splice(0), [
      ['silence', 1, { at: 1 }],
      ['noise', 1, { at: 1 }],
    ]);
    pass(300_000);
    assert.deepEqual(said.splice(0), [['silence', 9_999, { at: 10_000 }]]);
    pass(300_000);
    assert.deepEqual(said.splice(0), [['noise', 1, { at: 2 }]]);
    pass(6_000_000);
    assert.deepEqual(said, []);
    reminder.report('silence', { at: 3 });
    reminder.report('silence', { at: 4 });
    reminder.forget();
    pass(6_000_000);
    assert.deepEqual(said, [['silence', 1, { at: 3 }]]);
  } finally {
    mock.timers.reset();
  }
});
