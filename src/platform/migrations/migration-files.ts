import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HOME } from '../home.ts';

export const MIGRATIONS = join(HOME, 'migrations');

/** The schema cannot be migrated to this version. The message names the migration and the reason. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

export type Migration = {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
  /** Run one by one; null: all in one transaction. */
  readonly commands: readonly string[] | null;
};

export type AppliedMigration = Pick<Migration, 'number' | 'name' | 'checksum'>;

/** First line of a file with a concurrent index build, which PostgreSQL does only outside transactions. */
const OUTSIDE = /^-- Outside a transaction\b/;
const TRANSACTION =
  /^[ \t]*(begin|commit|rollback|start[ \t]+transaction)([ \t]+(work|transaction))?[ \t]*;/im;
/** The body of a function or block: it may end transactions if it runs in none, so it is not searched. */
const DOLLARS = /\$\$.*?\$\$/gs;

/** Throws `MigrationRefused` for a wrong name or number. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const migrations = await Promise.all(
    names.map(async (name) => {
      const digits = /^(\d{4})-[a-z0-9][a-z0-9-]*\.sql$/.exec(name)?.[1];
      if (digits === undefined) {
        throw new MigrationRefused(`${name} is not named like a migration, 0001-what-it-does.sql`);
      }
      // A checkout with other line ends is the same migration.
      const text = (await readFile(join(directory, name), 'utf8')).replaceAll('\r\n', '\n');
      if (TRANSACTION.test(text.replaceAll(DOLLARS, ''))) {
        throw new MigrationRefused(
          `${name} begins or ends a transaction: each migration already runs in one`,
        );
      }
      return {
        number: Number(digits),
        name,
        text,
        checksum: createHash('sha256').update(text).digest('hex'),
        commands: OUTSIDE.test(text) ? commandsOf(text) : null,
      };
    }),
  );
  for (const [index, migration] of migrations.entries()) {
    if (migration.number === index + 1) continue;
    const reason = migration.number === index ? `has the number of ${names[index - 1]}` : `follows a hole`;
    throw new MigrationRefused(
      `${migration.name} ${reason}: migrations are numbered from 0001 without holes`,
    );
  }
  return migrations;
}

/** The checksum of the first migration that every Parcela before the baseline schema applied. */
const FIRST_BEFORE_BASELINE = 'ac178d5d873be009c61013e8c442f4a463d868ed699c83b16cd4c301631187d1';
const BEFORE_BASELINE =
  'this database is of a Parcela before 0.1.0, which nothing upgrades: begin with an empty database; where the ' +
  'embedded one is used, set its folder aside (mv .parcela .parcela-before) and start again';

/**
 * The applied migrations must be the first files, unchanged. Applied ones without a file come from a newer
 * version.
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration[] {
  const byNumber = new Map(applied.map((row) => [row.number, row]));
  const newest = applied.at(-1)?.number ?? 0;
  return migrations.filter((migration) => {
    const row = byNumber.get(migration.number);
    if (row === undefined) {
      if (migration.number > newest) return true;
      throw new MigrationRefused(
        `${migration.name} was never applied although migration ${newest} was: migrations only go forward. ` +
          'Give it the next free number.',
      );
    }
    if (row.name === migration.name && row.checksum === migration.checksum) return false;
    if (row.checksum === FIRST_BEFORE_BASELINE) throw new MigrationRefused(BEFORE_BASELINE);
    throw new MigrationRefused(
      `${migration.name} is not what was applied to this database as ${row.name}: an applied migration is never ` +
        'changed. Bring the file back as it was and write a new migration for the change.',
    );
  });
}

/** The parts of a file: comments, quoted texts, function bodies, semicolons, and the text between. */
const PARTS = /--[^\n]*|'(?:[^']|'')*'|\$(\w*)\$.*?\$\1\$|;|(?:(?!--|\$\w*\$)[^;'])+/gs;

export function commandsOf(text: string): string[] {
  const commands = [''];
  for (const [part] of text.matchAll(PARTS)) {
    if (part === ';') commands.push('');
    else if (!part.startsWith('--')) commands.push(`${commands.pop()}${part}`);
  }
  return commands.map((command) => command.trim()).filter(Boolean);
}
