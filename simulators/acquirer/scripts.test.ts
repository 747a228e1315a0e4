import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step } from './script-step.ts';
import { Scripts } from './scripts.ts';

function step(changed: Partial<Step>): Step {
  return {
    outcome: null,
    responseCode: null,
    adviceCode: null,
    delayMilliseconds: 0,
    fault: null,
    undoRefusals: 0,
    notFoundTimes: 0,
    feePortion: 0,
    ...changed,
  };
}

test('each new charge of the merchant takes the next step, and a repetition has its own again', () => {
  const scripts = new Scripts();
  const [first, second] = [step({ fault: 'silent' }), step({ fault: 'late' })];
  scripts.write('M1', [first, second]);
  assert.equal(scripts.stepOf('M2', 'a'), null);
  assert.equal(scripts.stepOf('M1', 'a'), first);
  assert.equal(scripts.stepOf('M1', 'a'), first);
  assert.equal(scripts.stepOf('M1', 'b'), second);
  assert.equal(scripts.stepOf('M1', 'c'), null);
});

test('a new script replaces what is left of the old one, and an empty one ends it', () => {
  const scripts = new Scripts();
  const last = step({ fault: 'late' });
  scripts.write('M1', [step({}), step({})]);
  scripts.write('M1', [last]);
  assert.equal(scripts.stepOf('M1', 'a'), last);
  scripts.write('M1', [last]);
  scripts.write('M1', []);
  assert.equal(scripts.stepOf('M1', 'b'), null);
});

test('what is left of a script can be read, and reading uses nothing up', () => {
  const scripts = new Scripts();
  const [first, second] = [step({ fault: 'silent' }), step({ fault: 'late' })];
  scripts.write('M1', [first, second], [{ decidedAfterMilliseconds: 1, fails: true }]);
  scripts.stepOf('M1', 'a');
  for (let reading = 0; reading < 2; reading += 1)
    assert.deepEqual(scripts.left('M1'), {
      steps: [second],
      cancellations: [{ decidedAfterMilliseconds: 1, fails: true }],
    });
  assert.deepEqual(scripts.left('M2'), { steps: [], cancellations: [] });
});

test('voids are refused and charges hidden as often as the step says', () => {
  const scripts = new Scripts();
  scripts.write('M1', [step({ undoRefusals: 2, notFoundTimes: 1 })]);
  scripts.stepOf('M1', 'a');
  assert.deepEqual(
    [1, 2, 3].map(() => scripts.isUndoRefused('M1', 'a')),
    [true, true, false],
  );
  assert.deepEqual(
    [1, 2].map(() => scripts.isHidden('M1', 'a')),
    [true, false],
  );
  assert.equal(scripts.isUndoRefused('M1', 'b'), false);
});

test('the number of merchants with a script is bounded', () => {
  const scripts = new Scripts();
  const written = Array.from({ length: 1_001 }, (_, index) => scripts.write(`M${index}`, [step({})]));
  assert.deepEqual(written.lastIndexOf(true), 999);
});
