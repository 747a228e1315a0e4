import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNone, assertOne, planted } from './planted.ts';
import { readSourceTree } from './source-tree.ts';
import { injectionComplaints, sqlPlaceComplaints, statementsOf } from './statements.ts';

const tree = readSourceTree();

test('SQL stands in *.sql.ts and in the folders of PostgreSQL only', () => {
  assertNone(sqlPlaceComplaints(tree));
});

test('no value is written into the text of a statement', () => {
  assertNone(injectionComplaints(tree));
  assert.ok(statementsOf(tree).length > 10, 'the statements are found');
});

test('the names of statements are unique', () => {
  const names = statementsOf(tree).map(({ name }) => name);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

test('SQL in another place is found', () => {
  for (const text of [
    "'select a from b'",
    '"select count(*) from b"',
    `\`\n  select a\n  from b where c = \${d}\``,
    "'insert into b values (1)'",
    "'update b set a = 1'",
    "'delete from b'",
    '`with a as (select 1) select * from a`',
    "'create table b (a int)'",
    "'drop index b'",
    "'truncate table b'",
    "'listen changes'",
  ]) {
    const source = `const wanted = ${text};`;
    assertOne(
      sqlPlaceComplaints(planted({ 'src/cards/open-card.ts': source })),
      /open-card\.ts:1: SQL stands/,
    );
    assertOne(sqlPlaceComplaints(planted({ 'simulators/acquirer/ledger.ts': source })), /SQL stands/);
    assertNone(sqlPlaceComplaints(planted({ 'src/cards/cards.sql.ts': source })));
  }
  const imports = [
    ["import pg from 'pg';", /brings in pg/],
    ["import { statement } from '../platform/postgres/database.ts';", /to speak SQL/],
    ["import { pageOf } from '../platform/postgres/page-of.ts';", /to speak SQL/],
  ] as const;
  for (const [source, wanted] of imports) {
    assertOne(sqlPlaceComplaints(planted({ 'src/cards/open-card.ts': source })), wanted);
  }
});

test('sentences that begin like SQL are none', () => {
  const source = [
    "const a = 'Select a card'; const b = 'update the table of contents'; const c = 'with the card as given';",
    "import { type Database } from '../platform/postgres/database.ts'; // select a from b",
  ].join('\n');
  assertNone(sqlPlaceComplaints(planted({ 'src/cards/open-card.ts': source })));
});

test('a value in the text of a statement is found', () => {
  for (const [source, wanted] of [
    [`statement("a.b", \`select \${column} from b\`);`, /column stands in the statement a\.b/],
    [`let COLUMNS = \`a\`; statement("a.b", \`select \${COLUMNS} from b\`);`, /COLUMNS stands/],
    [`const C = \`a \${x}\`; statement("a.b", \`select \${C} from b\`);`, /x stands/],
    [`statement("a.b", \`select \${f(1)} from b\`);`, /f\(1\) stands/],
    ['statement("a.b", text);', /its text stands/],
    ['statement(name, "select 1");', /its name stands/],
    [`client.query(\`set lock_timeout = \${x}\`);`, /x stands in a query/],
    [`client.query<Row>(\`set lock_timeout = \${x}\`);`, /x stands in a query/],
  ] as const) {
    assertOne(injectionComplaints(planted({ 'src/cards/cards.sql.ts': source })), wanted);
  }
  const fromTable = (call: string) =>
    planted({
      'src/cards/cards.sql.ts': `statement("a.b", \`update b set c = 1 where d in (\${${call}})\`);`,
    });
  assertNone(injectionComplaints(fromTable("fromStates(BULB_MOVES, 'light', 'smash')")));
  assertNone(injectionComplaints(fromTable("fromOtherStates(BULB_MOVES, 'light')")));
  for (const call of [
    'fromStates(BULB_MOVES, event)',
    "fromStates(bulb, 'light')",
    "toStates(BULB_MOVES, 'light')",
  ])
    assertOne(injectionComplaints(fromTable(call)), /stands in the statement a\.b/);
  const rows = (declared: string) =>
    planted({
      'src/cards/cards.sql.ts': `${declared}; statement("a.b", \`select * from \${ROWS.sql}\`);`,
    });
  const described = rows("const ROWS = inputRows<A>({ a: ['text', (row) => row.a] }, { as: 'r' })");
  assertNone(injectionComplaints(described));
  assert.equal(statementsOf(described)[0]?.text, 'select * from unnest($1) as r');
  const named = "const R = inputRows<A>({ ...own({ aB: 'text', c: 'uuid' }), d: ['text', f] })";
  const own = planted({
    'src/cards/cards.sql.ts': `${named}; statement("a.b", \`select \${R.names} from b\`);`,
  });
  assert.equal(statementsOf(own)[0]?.text, 'select a_b, c, d from b');
  for (const declared of ['let ROWS = inputRows({})', 'const ROWS = { sql: text }'])
    assertOne(injectionComplaints(rows(declared)), /ROWS\.sql stands in the statement a\.b/);
  const list = (keys: string) =>
    planted({
      'src/cards/cards.sql.ts': `const F = "from b where c = $1"; const S = "* from b"; pageOf({
        name: "a.b", before: \`d as (select \${F})\`, keys: \`select e \${${keys}}\`, key: "e",
        order: ["f nulls last", "e"], shown: S });`,
    });
  assertNone(injectionComplaints(list('F')));
  const [up, down] = statementsOf(list('F'));
  assert.deepEqual([up?.name, down?.name], ['a.b_up', 'a.b_down']);
  assert.match(up?.text ?? '', /with d as \(select from b .*\(select e from b where c = \$1\) sortable/s);
  assert.match(down?.text ?? '', /order by f desc nulls last, e desc limit .*select g\.place, \* from b/s);
  const [unknown, ...more] = injectionComplaints(list('x'));
  assert.match(unknown ?? '', /x stands in the statement a\.b_up/);
  assert.equal(more.length, 1);
  const importing = `import { COLUMNS } from './other.sql.ts'; statement("a.b", \`select \${COLUMNS} from b\`);`;
  const other = (text: string) =>
    planted({ 'src/cards/cards.sql.ts': importing, 'src/cards/other.sql.ts': text });
  const whole = other(`const A = "a"; export const COLUMNS = \`\${A}, c\`;`);
  assertNone(injectionComplaints(whole));
  assert.equal(statementsOf(whole)[0]?.text, 'select a, c from b');
  for (const text of [`export const COLUMNS = \`\${x}, c\`;`, 'export let COLUMNS = "a";', '']) {
    assertOne(injectionComplaints(other(text)), /COLUMNS stands in the statement a\.b/);
  }
  const good = `const A = "a"; const B = \`\${A}, b\`; statement("a.b", \`select \${B} from b where c = $1\`);`;
  assertNone(injectionComplaints(planted({ 'src/cards/cards.sql.ts': good })));
  assert.equal(
    statementsOf(planted({ 'src/cards/cards.sql.ts': good }))[0]?.text,
    'select a, b from b where c = $1',
  );
});
