import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeClock } from './diagnosis.ts';

const OURS = { before: 1_000_000, after: 1_000_400 };
const judge = (theirs: number, slack?: number) => judgeClock('clock', 'it', theirs, OURS, slack);

test('a clock that was read between two looks at ours is right, whatever the look took', () => {
  assert.equal(judge(1_000_200).state, 'ok');
  assert.equal(judge(998_500).state, 'ok');
  assert.equal(judge(1_001_900).state, 'ok');
});

test('a clock that is behind or ahead is named with its seconds', () => {
  assert.match(judge(990_000).says, /10 s behind/);
  assert.equal(judge(990_000).state, 'warning');
  assert.match(judge(1_060_400).says, /60 s ahead of/);
  assert.equal(judge(1_060_400).state, 'fault');
});

test('what the reading itself may be off by does not count', () => {
  assert.equal(judge(997_500, 1).state, 'ok');
  assert.equal(judge(997_500).state, 'warning');
});
