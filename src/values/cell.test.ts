import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellNumber, inCell, isCell } from './cell.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ALL = [...LETTERS].flatMap((first) => [...`${LETTERS}0123456789`].map((second) => first + second));

test('a cell is a letter, and a letter or digit', () => {
  for (const name of ALL) assert.ok(isCell(name), name);
  for (const name of ['', 'a', '1a', 'A1', 'a1b', 'a.', 'á1', ' a1', 'a1\n']) assert.ok(!isCell(name), name);
});

test('each cell has a number of its own, and none is that of an installation without cells', () => {
  assert.deepEqual(
    ALL.map(cellNumber),
    ALL.map((_, index) => index + 1),
  );
  assert.equal(cellNumber(null), 0);
});

test('what is made in a cell begins with its name, and stays as it was without cells', () => {
  assert.equal(inCell('a1', 'x-y_z'), 'a1.x-y_z');
  assert.equal(inCell(null, 'x-y_z'), 'x-y_z');
});
