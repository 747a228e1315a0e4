import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundleOf } from '../../bin/bundle.mjs';
import { openMap } from '../../bin/source-lines.mjs';

const HOME = fileURLToPath(new URL('../..', import.meta.url));

test('every place of a bundle is told as Node’s own reader of source maps tells it', () => {
  const { main } = bundleOf('simulators/pix/main.ts', HOME) ?? assert.fail('no bundle');
  const map = JSON.parse(readFileSync(`${main}.map`, 'utf8'));
  const lines = readFileSync(main, 'utf8').split('\n');
  const theirs = new SourceMap(map);
  const placeIn = openMap(map);
  let places = 0;
  // From the end: what is looked for first is behind all that is kept.
  for (const [line, text] of [...lines.entries()].reverse())
    for (let column = 0; column <= text.length; column += 3) {
      const found = placeIn(line, column);
      const entry = theirs.findEntry(line, column);
      const isOfLine = 'originalSource' in entry && entry.generatedLine === line;
      const wanted = isOfLine
        ? { source: entry.originalSource, line: entry.originalLine, column: entry.originalColumn }
        : undefined;
      assert.deepEqual(found, wanted, `${line + 1}:${column + 1}`);
      if (found !== undefined) places += 1;
    }
  assert.ok(places > 10_000, `${places} places`);
});

test('a line that the map does not have is in no source', () => {
  const placeIn = openMap({ mappings: 'AAAA;;ACAC,C', sources: ['one.ts', 'other.ts'] });
  assert.deepEqual(placeIn(0, 7), { source: 'one.ts', line: 0, column: 0 });
  assert.equal(placeIn(1, 0), undefined);
  assert.deepEqual(placeIn(2, 0), { source: 'other.ts', line: 0, column: 1 });
  // A mapping without a source ends what stands before it.
  assert.equal(placeIn(2, 1), undefined);
  assert.equal(placeIn(3, 0), undefined);
});
