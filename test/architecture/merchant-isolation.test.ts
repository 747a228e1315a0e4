import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindingComplaints, idleBindingExceptions, unboundTables } from './merchant-binding.ts';
import { assertNone, assertOne, planted } from './planted.ts';
import { idleSchemaExceptions, schemaComplaints, tablesOf } from './schema.ts';
import { readSourceTree } from './source-tree.ts';

const tree = readSourceTree();

test('every statement on a table of a merchant binds the merchant', () => {
  assertNone(bindingComplaints(tree));
  assertNone(idleBindingExceptions(tree));
});

test('the merchant stands at the head of every key, and no column keeps a security code', () => {
  assertNone(schemaComplaints(tree));
  assertNone(idleSchemaExceptions(tree));
  assert.ok(tablesOf(tree).size > 5, 'the tables are found');
});

const TABLES = new Set(['payments', 'parts', 'claims']);

test('a statement that does not bind the merchant is found', () => {
  for (const text of [
    'select * from payments',
    'select * from payments where payment_id = $1',
    'select * from payments p join parts q on q.merchant_id = p.merchant_id where p.payment_id = $1',
    'select * from parts q, payments p where p.merchant_id = $1 and q.payment_id = p.payment_id',
    'select * from payments where merchant_id = $1 or payment_id = $2',
    'insert into payments (payment_id) values ($1)',
    'insert into parts select * from payments where merchant_id = $1',
    'insert into parts (merchant_id, part) select merchant_id, 1 from payments where payment_id = $1',
    'update payments set state = $1 where payment_id = $2',
    'update payments set merchant_id = $1 where payment_id = $2',
    'delete from payments where payment_id = $1',
    'delete from payments p using parts q where p.payment_id = q.payment_id and q.merchant_id = $1',
    'with a as (delete from payments returning merchant_id) select * from a',
    'select (select count(*) from parts) from payments where merchant_id = $1',
    'select 1 from payments where merchant_id = $1 and exists (select 1 from parts q where q.payment_id = $2)',
    'select * from payments where merchant_id = $1 union select * from parts where part = $2',
    'select * from payments where payment_id = $1 -- merchant_id = $1',
    "select 'merchant_id = $1' from payments",
    'select * from payments where merchant_id is not null',
    'delete from payments where ctid = any (array(select ctid from payments where payment_id = $1))',
    'with found as (select ctid as place from payments where payment_id = $1) delete from payments p using found f where p.ctid = f.place',
    'with due as (select merchant_id, payment_id from payments order by 1 limit $1 for update skip locked)' +
      ' update parts t set state = 1 from due where t.merchant_id = due.merchant_id',
    'select * from payments where ($1::text is null or merchant_id = $1)',
    'select * from payments p where p.state = $2 and ((merchant_id = $1 or $1 is null)) limit 3',
    'select * from payments p join parts q on ($2 or q.merchant_id = p.merchant_id) where p.merchant_id = $1',
    'select merchant_id = $1 as is_own, extract(epoch from paid_at) from payments where payment_id = $2',
    'update payments set state = 1 where payment_id = $1 returning merchant_id = $2',
    'select * from payments where case when $1 is null then true else merchant_id = $1 end',
  ]) {
    assert.notDeepEqual(unboundTables(text, TABLES), [], text);
  }
});

test('a statement that binds the merchant passes, however it does', () => {
  for (const text of [
    'select * from payments where merchant_id = $1 and payment_id = $2',
    'select * from payments p where $1 = p.merchant_id',
    'select * from payments where merchant_id = any($1::text[])',
    'select * from payments p join parts q on q.merchant_id = p.merchant_id where p.merchant_id = $1',
    'select * from payments join parts using (merchant_id, payment_id) where payments.merchant_id = $1',
    'select * from unnest($1::text[], $2::uuid[]) as i (merchant_id, payment_id)' +
      ' join payments p on p.merchant_id = i.merchant_id and p.payment_id = i.payment_id',
    'insert into payments (merchant_id, payment_id) values ($1, $2) on conflict do nothing',
    'with input as (select * from unnest($1::text[]) as i (merchant_id)), gone as (' +
      'delete from claims c using input i where c.merchant_id = i.merchant_id returning 1) select * from gone',
    'select p.*, i.n from payments p, lateral (select count(*) as n from parts where merchant_id = p.merchant_id) i' +
      ' where p.merchant_id = $1',
    'select extract(epoch from now()), case when a or b then 1 end from payments where merchant_id = $1 and (a or b)',
    'delete from payments where (merchant_id, payment_id) in (select merchant_id, payment_id from other)',
    'with found as (select ctid as place from payments where merchant_id = $1 for update)' +
      ' delete from payments p where p.ctid = any (array(select place from found))',
    'with found as (select ctid as place, state from payments where merchant_id = $1 for update)' +
      ' update payments p set state = f.state from found f where p.ctid = f.place',
    'select * from somewhere where payment_id = $1',
    'select * from payments where (merchant_id = $1 and (state = $2 or $2 is null))',
    'select * from payments where merchant_id = $1 and state is distinct from $2 for no key update',
  ]) {
    assert.deepEqual(unboundTables(text, TABLES), [], text);
  }
});

test('a planted statement is reported with its name and place', () => {
  const bad = planted({
    'migrations/0001-a.sql':
      'create table payments (merchant_id text, id uuid, primary key (merchant_id, id));',
    'src/payments/payments.sql.ts':
      "\nconst A = statement('payments.find', 'select * from payments where id = $1');",
  });
  assertOne(
    bindingComplaints(bad),
    /payments\.sql\.ts:2: the statement payments\.find does not bind .* payments/,
  );
});

test('a key without the merchant at its head is found', () => {
  const before = 'create table operators (operator_id int primary key, merchant_id text);';
  for (const [sql, wanted] of [
    ['create table a (id uuid primary key, merchant_id text);', /primary key a\(id\) does not begin/],
    [
      'create table a (merchant_id text, id uuid, primary key (id, merchant_id));',
      /primary key a\(id, merchant_id\)/,
    ],
    ['create table a (merchant_id text primary key, name text not null unique);', /unique key a\(name\)/],
    [
      'create table a (merchant_id text primary key, b text, constraint c unique (b, merchant_id));',
      /unique key/,
    ],
    [
      'create table a (merchant_id text primary key, b int); create unique index c on a (b) where b > 1;',
      /unique key/,
    ],
    [
      'create table a (merchant_id text primary key); alter table a add column b int unique;',
      /unique key a\(b\)/,
    ],
    [
      'create table a (merchant_id text primary key); alter table a add constraint c unique (b);',
      /unique key a\(b\)/,
    ],
    [
      'create table b (merchant_id text primary key); create table a (merchant_id text primary key, c text references b);',
      /foreign key a\(c\)/,
    ],
    ['create table a (merchant_id text not null);', /has no primary key/],
    ['create table a (id uuid primary key);', /a has no merchant_id/],
    ['create table a (merchant_id text primary key, card_cvv text);', /a\.card_cvv would keep/],
    [
      'create table a (merchant_id text primary key); alter table a add security_code text;',
      /a\.security_code/,
    ],
    ['create table a (merchant_id text primary key, card_number text);', /a\.card_number/],
  ] as const) {
    assertOne(schemaComplaints(planted({ 'migrations/0001-a.sql': sql })), wanted);
  }
  assertOne(
    schemaComplaints(planted({ 'migrations/0001-a.sql': before })),
    /primary key operators\(operator_id\)/,
  );
});

test('good tables pass, and dropped ones are forgotten', () => {
  const sql = `
    create table data_keys (id int primary key, purpose text check (purpose in ('a; b', 'c, unique (d)')));
    create table a ( -- a comment; with marks (
      merchant_id text not null, id uuid, key_id int references data_keys,
      state text check (char_length(state) between 1 and 3),
      primary key (merchant_id, id)
    ) with (fillfactor = 70);
    create index a_by_state on a (state);
    create function f() returns int language sql as $$ create table g (h int); $$;
    create table z (id int); drop table z;`;
  assertNone(schemaComplaints(planted({ 'migrations/0001-a.sql': sql })));
  assert.deepEqual(tablesOf(planted({ 'migrations/0001-a.sql': sql })).get('a')?.columns, [
    'merchant_id',
    'id',
    'key_id',
    'state',
  ]);
});
