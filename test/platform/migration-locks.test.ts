import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openDataFolder } from '../../homologation/data-folder.ts';
import { startEmbeddedPostgres } from '../../homologation/embedded-postgres/launcher.ts';
import { commandsOf, type Migration, readMigrations } from '../../src/platform/migrations/migration-files.ts';
import {
  LOCK_MODES,
  type LockMode,
  locksOfMigrations,
  scansOf,
} from '../../src/platform/migrations/migration-locks.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

const ground = await mkdtemp(join(tmpdir(), 'parcela-locks-'));
const folder = await openDataFolder(ground, () => {});
const server = await startEmbeddedPostgres({ folder: ground, say: () => {} });
after(async () => {
  await server.stop();
  await folder.release();
  await rm(ground, { recursive: true, force: true });
});

const NAMED = new Map<string, LockMode>(
  LOCK_MODES.map((mode) => [
    `${mode.replaceAll(/([A-Z])([A-Z]*) ?/g, (_, first: string, others: string) => first + others.toLowerCase())}Lock`,
    mode,
  ]),
);

const HELD = `
  select relation as oid, array_agg(mode) as modes from pg_locks
  where pid = $1 and granted and relation = any ($2::oid[]) group by relation`;
const WAITING = 'select from pg_locks where pid = $1 and not granted';
const NAMES = 'select oid, relname as name from pg_class where oid = any ($1::oid[])';
const TABLES = `
  select array_agg(oid) as oids, string_agg(format('%I', relname), ', ') as names from pg_class
  where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`;

type Tables = { readonly oids: number[] | null; readonly names: string | null };

class Watched {
  readonly #client = new pg.Client(server.connection);
  readonly #writer = new pg.Client(server.connection);
  #processId = 0;

  async open(): Promise<void> {
    await Promise.all([this.#client.connect(), this.#writer.connect()]);
    const { rows } = await this.#client.query<{ id: number }>('select pg_backend_pid() as id');
    this.#processId = rows[0]?.id ?? 0;
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.end(), this.#writer.end()]);
  }

  /** The strongest lock on each existing table, by the table's final name: `cancels: SHARE`. */
  async apply({ text, commands }: Migration): Promise<string[]> {
    const { rows } = await this.#writer.query<Tables>(TABLES);
    const before = rows[0] ?? { oids: null, names: null };
    const strongest = new Map<number, LockMode>();
    for (const command of commands ?? [text]) {
      const isBesideWriters = /\bindex concurrently\b/.test(command);
      const held = isBesideWriters
        ? await this.#besideWriter(command, before)
        : await this.#atOnce(command, before);
      for (const { oid, modes } of held) {
        const known = LOCK_MODES.findLast((mode) => modes.some((word) => NAMED.get(word) === mode));
        const former = strongest.get(oid);
        if (known === undefined) continue;
        if (former === undefined || LOCK_MODES.indexOf(known) > LOCK_MODES.indexOf(former))
          strongest.set(oid, known);
      }
    }
    const values = [[...strongest.keys()]];
    const named = await this.#writer.query<{ oid: number; name: string }>(NAMES, values);
    return named.rows.map(({ oid, name }) => `${name}: ${strongest.get(oid)}`).sort();
  }

  /** A transaction holds until its end the locks that its commands have taken. */
  async #atOnce(text: string, { oids }: Tables) {
    await this.#client.query('begin');
    await this.#client.query(text);
    const held = await this.#held(oids);
    await this.#client.query('commit');
    return held;
  }

  /** Outside a transaction: its locks are seen while it waits for somebody who writes each of the tables. */
  async #besideWriter(command: string, { oids, names }: Tables) {
    await this.#writer.query('begin');
    await this.#writer.query(`lock table ${names} in row exclusive mode`);
    let isOver = false;
    const running = this.#client.query(command).finally(() => {
      isOver = true;
    });
    // Until it waits for the writer. A drop of a missing index waits for nobody and ends.
    while (!isOver) {
      const { rowCount } = await this.#writer.query(WAITING, [this.#processId]);
      if (rowCount !== 0) break;
    }
    const held = isOver ? [] : await this.#held(oids);
    await this.#writer.query('rollback');
    await running;
    return held;
  }

  async #held(oids: number[] | null) {
    const values = [this.#processId, oids ?? []];
    return (await this.#writer.query<{ oid: number; modes: string[] }>(HELD, values)).rows;
  }
}

test('tables that a migration goes over whole are named by what it does with their rows', () => {
  for (const [text, wanted] of [
    ['alter table sales add constraint a check (amount > 0) not valid;', []],
    ['alter table sales add constraint a check (amount > 0);', ['checks sales']],
    ['alter table sales validate constraint a;', ['checks sales']],
    ["alter table sales add column eci text check (eci <> ''), add column note text;", ['checks sales']],
    ['alter table sales alter column amount type numeric, add column note text;', ['rewrites sales']],
    ['do $$ begin update sales set note = null; end $$;', ['changes sales']],
    [
      'do $$ begin insert into days select day, sum(amount) from sales join shops using (shop); end $$;',
      ['reads sales', 'reads shops'],
    ],
    ['create function f() returns trigger language plpgsql as $$ begin delete from sales; end $$;', []],
  ] as const)
    assert.deepEqual(
      scansOf(text).map(({ table, kind }) => `${kind} ${table}`),
      wanted,
      text,
    );
});

const OUTSIDE = '-- Outside a transaction\n';
/** Each kind of command in the migrations after the baseline. */
const MADE_UP = [
  'create table shops (id int primary key, owner text); create index shops_by_owner on shops (owner);',
  'create table sales (id int primary key, shop int references shops (id), amount int, kind text);',
  'alter table sales add column note text, add column tries smallint not null default 0 check (tries >= 0);',
  'alter table sales add constraint sales_amount check (amount > 0) not valid;',
  `${OUTSIDE}alter table sales validate constraint sales_amount;`,
  `${OUTSIDE}drop index concurrently if exists sales_by_shop; create index concurrently sales_by_shop on sales (shop);`,
  'create index sales_by_kind on sales (kind); drop index sales_by_kind;',
  `${OUTSIDE}drop index concurrently sales_by_shop;`,
  'create function refuse() returns trigger language plpgsql as $$ begin update shops set owner = 1; return null; end $$;',
  'create trigger sales_stay before delete on sales for each row execute function refuse(); drop trigger sales_stay on sales;',
  'alter table sales rename column kind to type; alter index shops_by_owner rename to shops_of_owner;',
  'alter table shops rename to stores; drop index shops_of_owner;',
  'alter table sales add constraint sales_of_store foreign key (shop) references stores (id);',
  'alter table sales drop constraint sales_shop_fkey, drop constraint sales_of_store;',
  "comment on column sales.note is 'for people'; alter table sales set (fillfactor = 80);",
  'do $$ begin update sales set note = null; end $$;',
  'insert into stores (id) values (1); delete from stores where id = 2;',
  'alter table sales alter column amount type bigint, alter column note set default null;',
  'create table gifts (id int primary key, store int references stores (id));',
  'drop table gifts;',
];

test('the locks that a dry run names are those that PostgreSQL holds, for every kind of command', async () => {
  const baseline = await readMigrations(MIGRATIONS);
  const behind = MADE_UP.map((text, index) => {
    const number = baseline.length + index + 1;
    const commands = text.startsWith(OUTSIDE) ? commandsOf(text) : null;
    return { number, name: `${number}-made-up.sql`, text, checksum: '', commands };
  });
  const migrations = [...baseline, ...behind];
  const named = locksOfMigrations(migrations);
  const differences: unknown[] = [];
  const watched = new Watched();
  await watched.open();
  try {
    for (const migration of migrations) {
      const seen = await watched.apply(migration);
      // A loop over stored rows writes nothing into empty tables: its lock is read from its text alone.
      const isLooping = /\bloop\b/.test(migration.text);
      const said = named
        .get(migration.name)
        ?.locks.filter(
          ({ table, mode }) => !isLooping || mode !== 'ROW EXCLUSIVE' || seen.includes(`${table}: ${mode}`),
        )
        // A dropped table has no name afterwards.
        .filter(({ table }) => !migration.text.includes(`drop table ${table}`))
        .map(({ table, mode }) => `${table}: ${mode}`);
      if (String(said?.sort()) !== String(seen)) differences.push({ name: migration.name, said, seen });
    }
  } finally {
    await watched.close();
  }
  assert.deepEqual(differences, []);
});

test('the text of a function is one with its command, also where it has such a text itself', () => {
  const made = 'create function a() as $body$ begin; execute $$ drop table b; $$; end $body$';
  assert.deepEqual(commandsOf(`${made}; -- more; of it\nselect ';';`), [made, "select ';'"]);
});

test('commands that take less are named with less, in migrations that run outside a transaction', () => {
  const migration = (text: string) => ({ number: 1, name: 'a', text, checksum: '', commands: [] });
  const locks = (text: string) => locksOfMigrations([migration(text)]).get('a');
  const built = locks('create index concurrently b on sales (id); drop index concurrently b;');
  assert.deepEqual(built?.locks, [{ table: 'sales', mode: 'SHARE UPDATE EXCLUSIVE' }]);
  assert.deepEqual(built?.builds, [{ index: 'b', table: 'sales', isConcurrent: true }]);
  assert.deepEqual(locks('alter table sales validate constraint c;')?.locks, [
    { table: 'sales', mode: 'SHARE UPDATE EXCLUSIVE' },
  ]);
  assert.deepEqual(locks('do $$ begin update sales set a = 1; end $$;')?.locks, [
    { table: 'sales', mode: 'ROW EXCLUSIVE' },
  ]);
  assert.deepEqual(locks('create unique index b on sales (id);')?.builds, [
    { index: 'b', table: 'sales', isConcurrent: false },
  ]);
});

/** A check made with its table is validated with it. No schema was released before this migration. */
const FIRST_APART = 17;
/** Tables with few rows, whatever a merchant sells. */
const SMALL = ['data_keys', 'merchants', 'plans'];

test('a check on a table that grows is validated in a command of its own, beside those who read and write', async () => {
  const complaints: string[] = [];
  const migrations = await readMigrations(MIGRATIONS);
  const made = locksOfMigrations(migrations);
  for (const { name, number, text, commands } of migrations.filter(({ number }) => number >= FIRST_APART)) {
    for (const command of commandsOf(text)) {
      const line = command.replaceAll(/\s+/g, ' ').toLowerCase();
      const [, table = ''] = /^alter table (?:only )?(\w+) .*\badd constraint \w+ check\b/.exec(line) ?? [];
      if (table === '' || SMALL.includes(table) || made.get(name)?.made.includes(table)) continue;
      const isApart = line.endsWith('not valid') && (commands ?? null) !== null;
      if (!isApart) complaints.push(`${number}: ${table}`);
    }
  }
  assert.deepEqual(complaints, []);
});
