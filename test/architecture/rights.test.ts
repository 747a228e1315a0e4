import { test } from 'node:test';
import { RUNTIME_TABLE_RIGHTS } from '../../src/audit/audit-rights.sql.ts';
import { assertNone, assertOne, planted } from './planted.ts';
import { rightsComplaints } from './rights.ts';
import { readSourceTree } from './source-tree.ts';

test('the run-time role may do to a table what statements do to it, and no more', () => {
  assertNone(rightsComplaints(readSourceTree(), RUNTIME_TABLE_RIGHTS));
});

const USUAL = 'select, insert, update, delete';

test('a right too many or too few is found, whatever a statement looks like', () => {
  const complaints = (sql: string, rights: string) =>
    rightsComplaints(
      planted({
        'migrations/0001-a.sql': 'create table a (merchant_id text primary key);',
        'src/cards/cards.sql.ts': `const A = statement('cards.a', \`${sql}\`);`,
      }),
      rights === USUAL ? {} : { a: rights },
    );
  for (const [sql, needed] of [
    ['select merchant_id from a', 'select'],
    ['insert into a (merchant_id) values ($1)', 'select, insert'],
    ['insert into a (merchant_id) values ($1) on conflict do nothing', 'select, insert'],
    [
      'insert into a (merchant_id) values ($1) on conflict (merchant_id) do update set merchant_id = $1',
      'select, insert, update',
    ],
    ['with gone as (delete from a returning 1) select * from gone', 'select, delete'],
    ['select 1 from a for share', 'select, update'],
    ['select 1 from (select 1 from a x for key share of x) y', 'select, update'],
    ['select 1 from b, (select 1 from a) y for update of b', 'select'],
    ['lock table a in share mode', 'select, update'],
    ['update a set merchant_id = $1', 'select, update'],
  ] as const) {
    assertNone(complaints(sql, needed));
    assertOne(complaints(sql, USUAL), /^a: statements need/);
  }
  assertOne(complaints('update a set merchant_id = $1', 'select'), /need 'select, update', and .* 'select'/);
});
