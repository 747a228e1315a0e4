import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isUuid } from './ids.ts';

test('a UUID of any version, in either case, is an identifier', () => {
  fc.assert(
    fc.property(fc.uuid({ version: [1, 2, 3, 4, 5, 6, 7, 8] }), (id) => {
      assert.ok(isUuid(id));
      assert.ok(isUuid(id.toUpperCase()));
    }),
  );
  assert.ok(isUuid('0192f0c1-7a1b-7c3d-8e4f-1234567890aB'));
  assert.ok(isUuid('00000000-0000-0000-0000-000000000000'));
});

test('what only looks like a UUID is none', () => {
  const id = '0192f0c1-7a1b-7c3d-8e4f-1234567890ab';
  const others = [
    `{${id}}`,
    `${id}\n`,
    ` ${id}`,
    id.slice(1),
    `${id}0`,
    id.replaceAll('-', ''),
    id.replace('a', 'g'),
    id.replace('-', '0'),
  ];
  for (const text of [...others, '', id.replace('1', '１'), 'urn:uuid:'.concat(id)])
    assert.equal(isUuid(text), false, text);
});
