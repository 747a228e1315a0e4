import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PLANTS } from '../../chaos/planted/plants.ts';
import { fileOf } from '../../chaos/planted/run-planted.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the text that each planted mistake replaces stands in one file', () => {
  for (const { edits } of PLANTS) for (const edit of edits) fileOf(ROOT, edit);
});
