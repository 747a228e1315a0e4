import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/** The end of a transaction of several statements, as it stands on the wire: a simple query. */
const COMMIT = 'Q\0\0\0\u000bcommit\0';
/** The same where the commit brings its deadline along, in one message. */
const COMMIT_IN_TIME = '::integer; commit\0';
export const COMMITS: readonly string[] = [COMMIT, COMMIT_IN_TIME];

/**
 * The names of all statements of these modules, from their sources: a new one is struck without
 * being listed here.
 */
export function statementNames(rooms: readonly string[]): string[] {
  return statementsOf(rooms).map(({ name }) => name);
}

/** Those of them that write, and the end of a transaction. */
export function writingNames(rooms: readonly string[]): string[] {
  const writing = statementsOf(rooms).filter(({ source }) => WRITES.test(source));
  return [...writing.map(({ name }) => name), ...COMMITS];
}

/** As a statement stands on the wire, and no other whose name begins so. */
export function onTheWire(name: string): string {
  return COMMITS.includes(name) ? name : `${name}\0`;
}

export function wordOf(name: string): string {
  if (name === COMMIT_IN_TIME) return 'commit in time';
  return name === COMMIT ? 'commit' : name.replace(/\0$/, '');
}

const WRITES = /\b(insert into|update \w|delete from)/;

type FoundStatement = { readonly name: string; readonly source: string };

function statementsOf(rooms: readonly string[]): FoundStatement[] {
  return rooms.flatMap((room) =>
    sqlFilesOf(join(SRC, room)).flatMap((file) => {
      const [, ...parts] = readFileSync(file, 'utf8').split(/\bstatement\(\s*'/);
      return parts.map((source) => ({ name: /^[\w.]+/.exec(source)?.[0] ?? '', source: textOf(source) }));
    }),
  );
}

/** What stands between the quotes behind the name. */
function textOf(source: string): string {
  const [, text = ''] = /^[\w.]+',\s*(`[^`]*`|'[^']*')/.exec(source) ?? [];
  return text;
}

function sqlFilesOf(folder: string): string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.endsWith('.sql.ts')).map((name) => join(folder, name));
  } catch {
    // A module that is still to come.
    return [];
  }
}
