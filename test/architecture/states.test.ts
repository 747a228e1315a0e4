import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaredStatements } from '../../src/platform/postgres/database.ts';
import { STATE_COLUMNS, type StateColumn } from '../../tools/state-tables.ts';
import { createTestDatabase, runSql } from '../kit/database.ts';
import { assertNone, assertOne } from './planted.ts';
import { readSourceTree } from './source-tree.ts';
import { STATE_DECLARATIONS } from './state-declarations.ts';
import { type Declarations, type DeclaredUpdate, stateComplaints } from './state-fence.ts';
import { type KnownStates, stateWritesOf } from './state-writes.ts';

/**
 * Found by its key, a delivery is not asked for its state: see `IS_STILL_WAITING`. A CHECK holds
 * that both say the same.
 */
const NULL_ONLY_IN: Readonly<Record<string, KnownStates['nullOnlyIn']>> = {
  deliveries: { column: 'ended_at', states: ['waiting'] },
};

const KNOWN = new Map<string, KnownStates>(
  STATE_COLUMNS.map(({ table, moves }) => {
    const nullOnlyIn = NULL_ONLY_IN[table];
    return [table, { states: Object.keys(moves), ...(nullOnlyIn && { nullOnlyIn }) }];
  }),
);

const sqlFiles = [...readSourceTree().keys()].filter((path) =>
  /^(src|homologation)\/.*\.sql\.ts$/.test(path),
);
for (const path of sqlFiles) await import(`../../${path}`);
const WRITES = declaredStatements().flatMap((statement) => stateWritesOf(statement, KNOWN));

test('every state that a statement writes comes from where the tables let it come from, and all they let happen is done', () => {
  assertNone(stateComplaints(WRITES, STATE_COLUMNS, STATE_DECLARATIONS));
  assert.ok(WRITES.length > 40, 'the statements are found');
});

test('every column of a state has its table, with the states that the database takes', async () => {
  const database = await createTestDatabase({ migrated: true });
  try {
    const rows = await runSql(
      database.address,
      `select c.table_name as name, c.column_default as value, (
         select string_agg(pg_get_constraintdef(k.oid), ' ') from pg_constraint k
         where k.conrelid = c.table_name::regclass and k.contype = 'c'
           and pg_get_constraintdef(k.oid) ~ '^CHECK \\(\\(state = ANY'
       ) as states, (
         select string_agg(pg_get_constraintdef(k.oid), ' ') from pg_constraint k
         where k.conrelid = c.table_name::regclass and k.contype = 'c'
       ) as checks
       from information_schema.columns c where c.table_schema = 'public' and c.column_name = 'state'`,
    );
    const literals = (text: unknown) =>
      [...String(text).matchAll(/'(\w+)'/g)].map(([, state]) => state).sort();
    assert.deepEqual(
      Object.fromEntries(rows.map(({ name, states }) => [name, literals(states)])),
      Object.fromEntries(STATE_COLUMNS.map(({ table, moves }) => [table, Object.keys(moves).sort()])),
    );
    for (const { name, value, checks } of rows) {
      const column = STATE_COLUMNS.find(({ table }) => table === name) as StateColumn;
      if (value !== null) assert.ok(literals(value).every((state) => column.first.includes(state as string)));
      for (const state of NULL_ONLY_IN[column.table]?.states ?? [])
        assert.match(
          String(checks),
          new RegExp(`\\(\\(state = '${state}'::text\\) = \\(ended_at IS NULL\\)\\)`),
        );
    }
  } finally {
    await database.drop();
  }
});

/** The table with one cell that says something else. */
function withCell(column: StateColumn, state: string, event: string, next: string | null): StateColumn {
  const after = { ...column.moves[state], [event]: next };
  return { ...column, moves: { ...column.moves, [state]: after } };
}

test('a cell of any table that says something else than the statements do is found', () => {
  let cells = 0;
  for (const column of STATE_COLUMNS) {
    const states = Object.keys(column.moves);
    for (const [state, after] of Object.entries(column.moves)) {
      for (const [event, next] of Object.entries(after)) {
        for (const other of [...states, null].filter((one) => one !== next && next !== 'asBefore')) {
          const broken = STATE_COLUMNS.map((one) =>
            one === column ? withCell(column, state, event, other) : one,
          );
          const found = stateComplaints(WRITES, broken, STATE_DECLARATIONS);
          assert.ok(found.length > 0, `${column.table} ${state}.${event}: ${next} as ${other}`);
        }
        cells += 1;
      }
    }
  }
  assert.ok(cells > 100, `${cells} cells`);
});

const BULBS: StateColumn = {
  table: 'bulbs',
  moves: {
    dark: { light: 'lit', darken: null, smash: 'broken' },
    lit: { light: 'lit', darken: 'dark', smash: 'broken' },
    broken: { light: null, darken: null, smash: null },
  },
  title: 'Bulbs',
  text: '',
  column: 'Meaning',
  states: {},
  events: {},
  first: ['dark'],
};

/** What the fence says of these statements alone. */
function complaintsOf(
  texts: Readonly<Record<string, string>>,
  updates: Readonly<Record<string, DeclaredUpdate>>,
  declared: Partial<Declarations> = {},
) {
  const known = new Map([['bulbs', { states: ['dark', 'lit', 'broken'] }]]);
  const writes = Object.entries(texts).flatMap(([name, text]) => stateWritesOf({ name, text }, known));
  const all = Object.fromEntries(Object.entries(updates).map(([name, update]) => [name, [update]]));
  return stateComplaints(writes, [BULBS], { ruled: {}, inserts: {}, updates: all, ...declared }).filter(
    (complaint) => !complaint.includes('nothing reaches'),
  );
}

const SMASH = { table: 'bulbs', cells: ['dark.smash', 'lit.smash'] };
const DARKEN = { table: 'bulbs', cells: ['lit.darken'] };

test('an update is found that does not name where it comes from, or comes from elsewhere', () => {
  for (const [text, declared, wanted] of [
    ["update bulbs set state = 'broken' where id = $1", SMASH, /does not name the states/],
    ["update bulbs set state = 'broken' where state = 'lit'", SMASH, /never comes from dark/],
    [
      "update bulbs set state = 'broken' where state in ('dark', 'lit', 'broken')",
      SMASH,
      /comes from broken/,
    ],
    ["update bulbs set state = 'dark' where state <> 'dark'", DARKEN, /comes from broken/],
    [
      "update bulbs set state = 'dark' where state = $1",
      DARKEN,
      /comes from a state of bulbs that is a value/,
    ],
    ["update bulbs set state = $1 where state = 'lit'", DARKEN, /leads to a state of bulbs that is a value/],
    [
      "update bulbs set state = 'dark' where (state = 'lit' or state = 'broken') and id = 1",
      DARKEN,
      /broken/,
    ],
    [
      "with held as (select id from bulbs b where b.id = $1 for update) update bulbs set state = 'dark' from held h where bulbs.id = h.id",
      DARKEN,
      /does not name/,
    ],
    [
      "with held as (select id from bulbs b where b.state = 'dark' for update) update bulbs set state = 'dark' from held h where bulbs.id = h.id",
      DARKEN,
      /comes from dark/,
    ],
  ] as const) {
    const found = complaintsOf({ 'bulbs.change': text }, { 'bulbs.change': declared });
    assert.ok(found.length > 0, text);
    assert.match(found.join('\n'), wanted);
  }
});

test('a state that is written by way of a case, or through a part of the statement, is found', () => {
  for (const text of [
    "update bulbs set state = case when $1 then 'broken' else state end where state = 'lit'",
    "update bulbs b set state = coalesce(case when $1 then 'broken' end, 'dark') where b.state = 'lit'",
    "with i as (select 'broken' as after), j as (select i.* from i) update bulbs b set state = j.after from j where b.state = 'lit'",
    "with i as (select 'broken' as after union all select 'dark' as after) update bulbs b set state = i.after from i where b.state = 'lit'",
    "insert into bulbs (id) values (1) on conflict (id) do update set state = 'broken' where bulbs.state = 'lit'",
  ]) {
    const found = complaintsOf({ 'bulbs.darken': text }, { 'bulbs.darken': DARKEN });
    assert.match(found.join('\n'), /leads to broken/, text);
  }
});

test('updates that name their states in other words are right', () => {
  for (const text of [
    "update bulbs b set state = 'dark' where b.state in ('lit') and id = $1",
    "update bulbs b set state = 'dark' where b.state || '' in ('lit') and id = $1",
    "update bulbs set state = case when $1 then 'dark' else bulbs.state end where state = 'lit'",
    "with held as (select id from bulbs b where b.state = 'lit' for no key update) update bulbs c set state = 'dark' from held h where c.id = h.id",
    "with page as (select id from bulbs where state = 'lit' for update skip locked), good as (select id from page) update bulbs set state = 'dark' where id = any (array(select id from good))",
  ])
    assertNone(complaintsOf({ 'bulbs.darken': text }, { 'bulbs.darken': DARKEN }));
});

test('what is not declared, declared and not done, or inserted in another state is found', () => {
  const darken = "update bulbs set state = 'dark' where state = 'lit'";
  assertOne(complaintsOf({ 'bulbs.darken': darken }, {}), /writes states of \(bulbs\), and \(\) is declared/);
  assertOne(complaintsOf({}, { 'bulbs.darken': DARKEN }), /writes states of \(\), and \(bulbs\)/);
  const unknown = { table: 'bulbs', cells: ['broken.darken'] };
  assertOne(complaintsOf({ 'bulbs.darken': darken }, { 'bulbs.darken': unknown }), /no cell broken\.darken/);
  assertOne(complaintsOf({ 'lamps.light': "update lamps set state = 'lit'" }, {}), /lamps has no table/);
  const insert = (value: string) => ({ 'bulbs.add': `insert into bulbs (id, state) values (1, ${value})` });
  assertNone(complaintsOf(insert("'dark'"), {}));
  assertOne(complaintsOf(insert("'lit'"), {}), /inserts lit/);
  assertOne(complaintsOf(insert('$1'), {}), /a state that is a value/);
  assertNone(complaintsOf(insert("'lit'"), {}, { inserts: { 'bulbs.add': ['lit'] } }));
});

test('a cell that nothing reaches is found, and a rule that leaves the state is only named for one that does', () => {
  const declared = (ruled: Declarations['ruled']): Declarations => ({
    updates: { 'bulbs.darken': [DARKEN], 'bulbs.smash': [SMASH] },
    ruled,
    inserts: {},
  });
  const found = (ruled: Declarations['ruled']) =>
    stateComplaints([], [BULBS], declared(ruled)).filter((complaint) => complaint.startsWith('bulbs:'));
  assert.deepEqual(found({}), ['bulbs: nothing reaches dark.light', 'bulbs: nothing reaches lit.light']);
  const rule = 'lightAgain';
  assertOne(found({ bulbs: { 'lit.light': rule } }), /nothing reaches dark\.light/);
  assertOne(found({ bulbs: { 'lit.light': rule, 'dark.light': rule } }), /dark\.light does not leave/);
});
