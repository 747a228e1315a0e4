import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileOf } from '../../tools/mutations/edit.ts';
import { MUTATIONS } from '../../tools/mutations/mutations.ts';
import { CHECKOUT } from '../../tools/mutations/scratch-copy.ts';

test('each mutation has its place in one file, changes it, and names a file of tests', () => {
  const faults = MUTATIONS.flatMap((mutation) => {
    const { name, find, put, caughtBy } = mutation;
    try {
      fileOf(CHECKOUT, mutation);
    } catch (error) {
      return [`${name}: ${error}`];
    }
    const isThere = caughtBy.endsWith('.test.ts') && existsSync(join(CHECKOUT, caughtBy));
    return [
      ...(find === put ? [`${name}: it changes nothing`] : []),
      ...(isThere ? [] : [`${name}: ${caughtBy} is no file of tests`]),
    ];
  });
  assert.deepEqual(faults, []);
});

test('no two mutations have one name', () => {
  const names = MUTATIONS.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});
