import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seedOfCommit } from './kept-results.ts';
import { SUITES } from './suites.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Of two cores: what is not alone has another beside it. */
const MOST_MINUTES = 75;

const filesOf = (pattern: string) => globSync(pattern, { cwd: ROOT });

test('each suite has a name of its own, and files that are there', () => {
  assert.deepEqual([...new Set(SUITES.map(({ name }) => name))].length, SUITES.length);
  for (const { name, words } of SUITES)
    for (const word of words.filter((one) => one.startsWith('test/')))
      assert.ok(filesOf(word).length > 0, `${name} runs ${word}, which is not there`);
});

test('the shares of all suites together are 75 minutes at most', () => {
  const sum = SUITES.reduce((minutes, one) => minutes + one.minutes / (one.isAlone ? 1 : 2), 0);
  assert.ok(sum <= MOST_MINUTES, `${sum} minutes`);
});

test('a commit gives one seed, above zero', () => {
  assert.equal(seedOfCommit('0000000aaaa'), 1);
  assert.notEqual(seedOfCommit('966cb104'), seedOfCommit('d767ff07'));
});
