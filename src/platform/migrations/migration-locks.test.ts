import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openDataFolder } from '../../homologation/data-folder.ts';
import { startEmbeddedPostgres } from '../../homologation/embedded-postgres/launcher.ts';
import { commandsOf, type Migration, readMigrations } from './migration-files.ts';
import { LOCK_MODES, type LockMode, locksOfMigrations } from './migration-locks.ts';
import { scansOf } from './migration-scans.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));

const ground = await mkdtemp(join(tmpdir(), 'parcela-locks-'));
const folder = await openDataFolder(ground, () => {});
const server = await startEmbeddedPostgres({ folder: ground, say: () => {} });
after(async () => {
  await server.stop();
  await folder.release();
  await rm(ground, { recursive: true, force: true });
});

/** As pg_locks names them: `AccessExclusiveLock`. */
const NAMED = new Map<string, LockMode>(
  LOCK_MODES.map((mode) => [
    `${mode.replaceAll(/([A-Z])([A-Z]*) ?/g, (_, first: string, others: string) => first + others.toLowerCase())}Lock`,
    mode,
  ]),
);

/** The locks that another connection holds on each of the tables, and whether it waits for one. */
const HELD = `
  select relation as oid, array_agg(mode) as modes from pg_locks
  where pid = $1 and granted and relation = any ($2::oid[]) group by relation`;
const WAITING = 'select from pg_locks where pid = $1 and not granted';
const NAMES = 'select oid, relname as name from pg_class where oid = any ($1::oid[])';
const TABLES = `
  select array_agg(oid) as oids, string_agg(format('%I', relname), ', ') as names from pg_class
  where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`;

type Tables = { readonly oids: number[] | null; readonly names: string | null };

/** Applies migrations on one connection, and looks from another at what it holds. */
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

  /** The strongest lock on each table that is there before, as it is named afterwards: `cancels: SHARE`. */
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

  /** A transaction holds until its end what its commands have taken. */
  async #atOnce(text: string, { oids }: Tables) {
    await this.#client.query('begin');
    await this.#client.query(text);
    const held = await this.#held(oids);
    await this.#client.query('commit');
    return held;
  }

  /** In no transaction: what it holds is seen while it waits for somebody who writes each of the tables. */
  async #besideWriter(command: string, { oids, names }: Tables) {
    await this.#writer.query('begin');
    await this.#writer.query(`lock table ${names} in row exclusive mode`);
    let isOver = false;
    const running = this.#client.query(command).finally(() => {
      isOver = true;
    });
    // Until it waits for the writer; what drops an index that is not there waits for nobody, and is over.
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

test('what a dry run names are tables that are there, and those that are gone over whole are named', async () => {
  const migrations = await readMigrations(MIGRATIONS);
  const named = locksOfMigrations(migrations);
  const known = new Set<string>();
  const strange: string[] = [];
  const scans = new Map<string, string[]>();
  for (const { name, text } of migrations) {
    const { locks = [], made = [], builds = [] } = named.get(name) ?? {};
    // A lock is named by the name that its table has afterwards.
    for (const [, to = ''] of text.matchAll(/^alter table \w+ rename to (\w+);$/gm)) known.add(to);
    for (const { table } of [...locks, ...builds]) if (!known.has(table)) strange.push(`${name}: ${table}`);
    const whole = scansOf(text).filter(({ table }) => known.has(table) && !made.includes(table));
    scans.set(name.slice(0, 4), whole.map(({ table, kind }) => `${kind} ${table}`).sort());
    for (const table of made) known.add(table);
  }
  assert.deepEqual(strange, []);
  assert.deepEqual(
    ['0042', '0050', '0062', '0063', '0065', '0066', '0070', '0072', '0073', '0075'].map((number) => [
      number,
      scans.get(number),
    ]),
    [
      ['0042', ['checks movements']],
      ['0050', ['changes boletos']],
      ['0062', []],
      ['0063', ['reads receivable_days', 'reads receivables']],
      ['0065', []],
      ['0066', ['reads billing_days', 'reads billings']],
      ['0070', []],
      ['0072', ['checks idempotency_keys']],
      ['0073', ['checks plans']],
      ['0075', []],
    ],
  );
  assert.deepEqual(scans.get('0074'), [
    'checks boleto_payments',
    'checks movements',
    'checks reconciliation_exceptions',
  ]);
});

test('the locks that a dry run names are those that PostgreSQL holds, for every migration', async () => {
  const migrations = await readMigrations(MIGRATIONS);
  const named = locksOfMigrations(migrations);
  const differences: unknown[] = [];
  const watched = new Watched();
  await watched.open();
  try {
    for (const migration of migrations) {
      const seen = await watched.apply(migration);
      // A loop over what is stored writes nothing into empty tables: that is read from its text alone.
      const isLooping = /\bloop\b/.test(migration.text);
      const said = named
        .get(migration.name)
        ?.locks.filter(
          ({ table, mode }) => !isLooping || mode !== 'ROW EXCLUSIVE' || seen.includes(`${table}: ${mode}`),
        )
        .map(({ table, mode }) => `${table}: ${mode}`);
      if (String(said?.sort()) !== String(seen)) differences.push({ name: migration.name, said, seen });
    }
  } finally {
    await watched.close();
  }
  assert.deepEqual(differences, []);
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

/** Before it, tables were read through under the strongest lock. */
const FIRST_APART = 69;
/** Their rows are few, whatever a merchant sells. */
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
