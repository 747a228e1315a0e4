import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openDataFolder } from '../../homologation/data-folder.ts';
import { startEmbeddedPostgres } from '../../homologation/embedded-postgres/launcher.ts';
import { readMigrations } from './migration-files.ts';
import { LOCK_MODES, type LockMode, locksOfMigrations } from './migration-locks.ts';

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

/** The strongest lock that this transaction holds on each of the tables. */
const HELD = `
  select c.relname as table, array_agg(l.mode) as modes from pg_locks l join pg_class c on c.oid = l.relation
  where l.pid = pg_backend_pid() and c.oid = any ($1::oid[]) group by c.relname`;
const TABLES = `select array_agg(oid) as oids from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`;

test('the locks that a dry run names are those that PostgreSQL holds, for every migration', async () => {
  const migrations = await readMigrations(MIGRATIONS);
  const named = locksOfMigrations(migrations);
  const differences: unknown[] = [];
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    for (const { name, text, commands } of migrations) {
      if (commands !== null) {
        for (const command of commands) await client.query(command);
        continue;
      }
      const before = (await client.query<{ oids: number[] | null }>(TABLES)).rows[0]?.oids ?? [];
      await client.query('begin');
      await client.query(text);
      const held = await client.query<{ table: string; modes: string }>(HELD, [before]);
      await client.query('commit');
      const strongest = held.rows.flatMap(({ table, modes }) => {
        const known = LOCK_MODES.filter((mode) =>
          String(modes)
            .split(/[{},]/)
            .some((word) => NAMED.get(word) === mode),
        );
        return known.length === 0 ? [] : [`${table}: ${known.at(-1)}`];
      });
      const said = named.get(name)?.locks.map(({ table, mode }) => `${table}: ${mode}`);
      if (String(said?.sort()) !== String(strongest.sort())) differences.push({ name, said, strongest });
    }
  } finally {
    await client.end();
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
