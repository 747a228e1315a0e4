import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from './try-edits.ts';

const failed = (...lines: readonly string[]) =>
  [
    'FAILED src/values/cents.test.ts (6, 0.8 s)',
    ...lines.map((line) => `    ${line}`),
    '5 passed, 1 failed',
  ].join('\n');

test('a mistake is caught by a test that fails with an assertion, a counterexample, or a wait in vain', () => {
  for (const thrown of [
    'AssertionError [ERR_ASSERTION]: Expected values',
    'Error: waited in vain until it is gone',
    'Property failed after 3 tests',
    'error: new row for relation "cancels" violates check constraint "x"',
  ])
    assert.deepEqual(verdictOf(1, failed('6.1 s a slow one', 'reais are written', thrown, '    at x')), {
      kind: 'caught',
      title: 'reais are written',
    });
});

test('what does not load, hangs, or breaks the language or the SQL is no proof', () => {
  for (const lines of [
    ["the file ended badly: SyntaxError: Unexpected token '}'"],
    ['the file ended badly: AssertionError [ERR_ASSERTION]: in a hook', 'AssertionError: x'],
    ['it was given up: a test', 'Error: x'],
    ['reais are written', 'ReferenceError: share is not defined'],
    ['reais are written', 'TypeError: x is not a function'],
    ['a plan is found', 'error: syntax error at or near "and"'],
  ])
    assert.equal(verdictOf(1, failed(...lines)).kind, 'broken', lines.join());
  assert.equal(verdictOf(null, '').kind, 'broken');
});

test('a file that passes has missed it', () => {
  assert.equal(verdictOf(0, 'ok     src/values/cents.test.ts (6, 0.8 s)').kind, 'missed');
});
