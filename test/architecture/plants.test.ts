import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PLANTS } from '../../chaos/planted/plants.ts';
import { fileOf } from '../../tools/mutations/edit.ts';
import { CHECKOUT } from '../../tools/mutations/scratch-copy.ts';

test('the text that each planted mistake replaces stands in one file', () => {
  for (const { edits } of PLANTS) for (const edit of edits) fileOf(CHECKOUT, edit);
});

test('each planted mistake names the file of tests that finds it, or why none can', () => {
  const without = PLANTS.filter(({ fast, slowBecause }) =>
    fast === null ? slowBecause === undefined : !existsSync(join(CHECKOUT, fast)),
  );
  assert.deepEqual(
    without.map(({ name }) => name),
    [],
  );
});
