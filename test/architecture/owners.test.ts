import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaredStatements } from '../../src/platform/postgres/database.ts';
import { ownerComplaints, tablesWrittenBy, tableWrites } from './owners.ts';
import { assertNone, assertOne, planted } from './planted.ts';
import { tablesOf } from './schema.ts';
import { readSourceTree } from './source-tree.ts';

const tree = readSourceTree();
const tables = new Set(tablesOf(tree).keys());
const writes = tableWrites(tree, tables);

test('what writes a table stands in the folder of the module that owns it', () => {
  assertNone(ownerComplaints(writes));
  assert.ok(writes.length > 100, 'the texts are found');
});

test('every table that a declared statement writes is seen in the texts', async () => {
  const files = [...tree.keys()].filter((path) => /^(src|homologation)\/.*\.sql\.ts$/.test(path));
  for (const path of files) await import(`../../${path}`);
  const seen = new Set(writes.map(({ table }) => table));
  const written = declaredStatements().flatMap(({ text }) => tablesWrittenBy(text, tables));
  assert.deepEqual(
    [...new Set(written)].filter((table) => !seen.has(table)),
    [],
  );
});

test('a text that writes a table of another module is found', () => {
  const complaintsAbout = (files: Readonly<Record<string, string>>) =>
    ownerComplaints(tableWrites(planted(files), new Set(['deliveries', 'cards'])));
  for (const text of [
    'insert into deliveries (a)',
    'with a as (delete from deliveries)',
    'update deliveries d set',
  ]) {
    assertNone(complaintsAbout({ 'src/webhooks/some.sql.ts': `const A = \`${text}\`;` }));
    assertOne(complaintsAbout({ 'src/payments/some.sql.ts': `const A = \`${text}\`;` }), /writes deliveries/);
  }
  assertNone(
    complaintsAbout({ 'src/payments/some.sql.ts': "const A = 'select 1 from deliveries for update';" }),
  );
  const twoWriters = complaintsAbout({
    'src/payments/some.sql.ts': "const A = 'update cards set a = 1';",
    'src/cards/some.sql.ts': "const A = 'delete from cards';",
  });
  assert.equal(twoWriters.length, 2);
});
