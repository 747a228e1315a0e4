import type pg from 'pg';
import type { DatabaseAddress } from '../postgres/database.ts';
import { onMigrationConnection, readApplied } from './migration-connection.ts';
import { pendingMigrations, readMigrations } from './migration-files.ts';
import {
  estimatedSeconds,
  locksOfMigrations,
  scansOf,
  type TableLock,
  type TableScan,
} from './migration-locks.ts';

/** From the server's statistics; `rows` null: not known yet. */
export type TableSize = { readonly rows: number | null; readonly bytes: number };

export type PlannedMigration = {
  readonly name: string;
  /** Whether each command runs alone, beside writers, and may be repeated. */
  readonly isOutsideTransaction: boolean;
  readonly locks: readonly (TableLock & TableSize)[];
  readonly builds: readonly ({
    readonly index: string;
    readonly table: string;
    readonly isConcurrent: boolean;
  } & TableSize)[];
  readonly scans: readonly (TableScan & TableSize)[];
  /** Estimated from the rows of scans and builds; null: not known yet. */
  readonly seconds: number | null;
};

export type MigrationPlan = {
  readonly applied: number;
  readonly pending: readonly PlannedMigration[];
  readonly newer: readonly string[];
};

/** Gives what `migrate` would do, without changes. Throws `MigrationRefused` as `migrate` would. */
export async function planMigrations(address: DatabaseAddress, directory: string): Promise<MigrationPlan> {
  const migrations = await readMigrations(directory);
  return onMigrationConnection(address, async (client) => {
    const applied = (await readApplied(client)) ?? [];
    const pending = pendingMigrations(migrations, applied);
    const known = new Set(migrations.map(({ number }) => number));
    const all = locksOfMigrations(migrations);
    const made = new Set(pending.flatMap(({ name }) => all.get(name)?.made ?? []));
    const planned = pending.map(({ name, commands, text }) => {
      const { locks = [], builds = [] } = all.get(name) ?? {};
      return {
        name,
        isOutsideTransaction: commands !== null,
        locks: locks.filter(({ table }) => !made.has(table)),
        builds: builds.filter(({ table }) => !made.has(table)),
        scans: scansOf(text).filter(({ table }) => !made.has(table)),
      };
    });
    const sizes = await readSizes(
      client,
      planned.flatMap(({ locks, builds, scans }) =>
        [...locks, ...builds, ...scans].map(({ table }) => table),
      ),
    );
    const sized = <T extends { readonly table: string }>(item: T) => ({
      ...item,
      ...(sizes.get(item.table) ?? { rows: null, bytes: 0 }),
    });
    return {
      applied: applied.length,
      pending: planned.map((one) => {
        const builds = one.builds.map(sized);
        const scans = one.scans.filter(({ table }) => sizes.has(table)).map(sized);
        return { ...one, locks: one.locks.map(sized), builds, scans, seconds: secondsOf(builds, scans) };
      }),
      newer: applied.filter(({ number }) => !known.has(number)).map(({ name }) => name),
    };
  });
}

function secondsOf(builds: PlannedMigration['builds'], scans: PlannedMigration['scans']): number | null {
  const works = [...builds.map((build) => ({ ...build, kind: 'builds' as const })), ...scans];
  if (works.some(({ rows, bytes }) => rows === null && bytes > SMALL_BYTES)) return null;
  return works.reduce((sum, { kind, rows }) => sum + estimatedSeconds(kind, rows ?? 0), 0);
}

/** A table below this is read in no time, whatever the statistics say. */
const SMALL_BYTES = 1_000_000;

const READ_SIZES = `
  select c.relname as table, nullif(c.reltuples, -1)::float8 as rows, pg_total_relation_size(c.oid)::float8 as bytes
  from pg_class c
  where c.relnamespace = to_regnamespace(quote_ident(current_schema())) and c.relname = any ($1::text[])`;

async function readSizes(client: pg.Client, tables: readonly string[]): Promise<Map<string, TableSize>> {
  const { rows } = await client.query<{ table: string } & TableSize>(READ_SIZES, [[...new Set(tables)]]);
  return new Map(rows.map(({ table, ...size }) => [table, size]));
}
