import { commandsOf, type Migration } from './migration-files.ts';

/** The modes of PostgreSQL's locks on tables that keep others waiting, from the weakest to the strongest. */
export const LOCK_MODES = [
  'ROW EXCLUSIVE',
  'SHARE UPDATE EXCLUSIVE',
  'SHARE',
  'SHARE ROW EXCLUSIVE',
  'ACCESS EXCLUSIVE',
] as const;
export type LockMode = (typeof LOCK_MODES)[number];

/** What waits on the table while a lock is held. */
export const WAITS_FOR: Readonly<Record<LockMode, 'nothing' | 'writes' | 'reads and writes'>> = {
  'ROW EXCLUSIVE': 'nothing',
  'SHARE UPDATE EXCLUSIVE': 'nothing',
  SHARE: 'writes',
  'SHARE ROW EXCLUSIVE': 'writes',
  'ACCESS EXCLUSIVE': 'reads and writes',
};

export type TableLock = { readonly table: string; readonly mode: LockMode };

/** What former migrations made, by which later ones name it. */
type Schema = {
  /** The table of each index. */
  readonly indexes: Map<string, string>;
  /** Where the constraints of a table lead; '' for one without a name. */
  readonly references: Map<string, { readonly constraint: string; readonly target: string }[]>;
};

type MigrationLocks = {
  /** The strongest lock on each table that is there before, by the name of the table. */
  readonly locks: readonly TableLock[];
  /** Those of them that are made here, on which nobody waits. */
  readonly made: readonly string[];
  /** Indexes that are built on tables that are there before. */
  readonly builds: readonly {
    readonly index: string;
    readonly table: string;
    readonly isConcurrent: boolean;
  }[];
};

/**
 * The locks on tables that migrations take, read from their texts: for the commands that migrations
 * are made of. Each migration needs those before it, which say whose an index is.
 */
export function locksOfMigrations(migrations: readonly Migration[]): Map<string, MigrationLocks> {
  const schema: Schema = { indexes: new Map(), references: new Map() };
  return new Map(migrations.map((migration) => [migration.name, locksOf(migration.text, schema)]));
}

function locksOf(text: string, schema: Schema): MigrationLocks {
  const locks = new Map<string, LockMode>();
  const made = new Set<string>();
  const builds: MigrationLocks['builds'][number][] = [];
  for (const command of commandsOf(text)) {
    const line = command.replaceAll(/\s+/g, ' ').toLowerCase();
    const created = /^create table (?:if not exists )?(\w+)/.exec(line)?.[1];
    if (created !== undefined) made.add(created);
    const built = INDEX.exec(line)?.groups;
    if (built?.name !== undefined && built.table !== undefined) {
      schema.indexes.set(built.name, built.table);
      const isConcurrent = built.concurrently !== undefined;
      if (!made.has(built.table)) builds.push({ index: built.name, table: built.table, isConcurrent });
    }
    for (const { table, mode } of locksOfCommand(line, schema)) {
      const former = locks.get(table);
      if (former === undefined || isStronger(mode, former)) locks.set(table, mode);
    }
    followRename(line, schema, locks, made);
  }
  const others = [...locks].filter(([table]) => !made.has(table)).map(([table, mode]) => ({ table, mode }));
  return { locks: others, made: [...made], builds };
}

const INDEX =
  /^create (?:unique )?index (?<concurrently>concurrently )?(?:if not exists )?(?<name>\w+) on (?:only )?(?<table>\w+)/;

function isStronger(mode: LockMode, than: LockMode): boolean {
  return LOCK_MODES.indexOf(mode) > LOCK_MODES.indexOf(than);
}

/** A lock is on the table, whatever its name was before; it is named as those know it who come after. */
function followRename(
  line: string,
  { indexes, references }: Schema,
  locks: Map<string, LockMode>,
  made: Set<string>,
): void {
  const [, from = '', to = ''] = /^alter table (\w+) rename to (\w+)$/.exec(line) ?? [];
  const [, index = '', newIndex = ''] = /^alter index (\w+) rename to (\w+)$/.exec(line) ?? [];
  const table = indexes.get(index);
  if (table !== undefined) indexes.set(newIndex, table);
  if (from === '') return;
  for (const [name, owner] of indexes) if (owner === from) indexes.set(name, to);
  references.set(to, references.get(from) ?? []);
  for (const [owner, all] of references)
    references.set(
      owner,
      all.map((one) => (one.target === from ? { ...one, target: to } : one)),
    );
  const mode = locks.get(from);
  locks.delete(from);
  if (mode !== undefined) locks.set(to, mode);
  if (made.delete(from)) made.add(to);
}

function locksOfCommand(line: string, schema: Schema): TableLock[] {
  const referenced = [...line.matchAll(/(?:constraint (\w+) (?:foreign key \([^)]*\) )?)?references (\w+)/g)];
  const owner = /^(?:create|alter) table (?:if (?:not )?exists )?(?:only )?(\w+)/.exec(line)?.[1];
  const leadsTo = referenced.map(([, constraint = '', target = '']) => ({ constraint, target }));
  if (owner !== undefined)
    schema.references.set(owner, [...(schema.references.get(owner) ?? []), ...leadsTo]);
  const targets = leadsTo.map(({ target }) => ({ table: target, mode: 'SHARE ROW EXCLUSIVE' as const }));
  const one = (pattern: RegExp) => pattern.exec(line)?.[1];
  const lock = (table: string | undefined, mode: LockMode): TableLock[] =>
    table === undefined ? [] : [{ table, mode }];

  if (/^create table/.test(line)) return targets.filter(({ table }) => table !== owner);
  if (/^alter table/.test(line))
    return [...lock(owner, modeOfAlter(line)), ...targets, ...dropped(line, owner, schema)];
  const index = INDEX.exec(line)?.groups;
  if (index !== undefined)
    return lock(index.table, index.concurrently === undefined ? 'SHARE' : 'SHARE UPDATE EXCLUSIVE');
  const gone = /^drop index (concurrently )?(?:if exists )?(\w+)/.exec(line);
  if (gone !== null)
    return lock(
      schema.indexes.get(gone[2] ?? ''),
      gone[1] === undefined ? 'ACCESS EXCLUSIVE' : 'SHARE UPDATE EXCLUSIVE',
    );
  if (/^drop table/.test(line)) {
    const table = one(/^drop table (?:if exists )?(\w+)/);
    const all = schema.references.get(table ?? '') ?? [];
    return [
      ...lock(table, 'ACCESS EXCLUSIVE'),
      ...all.flatMap(({ target }) => lock(target, 'ACCESS EXCLUSIVE')),
    ];
  }
  if (/^create (?:or replace )?(?:constraint )?trigger/.test(line))
    return lock(one(/ on (\w+)/), 'SHARE ROW EXCLUSIVE');
  if (/^drop trigger/.test(line)) return lock(one(/ on (\w+)/), 'ACCESS EXCLUSIVE');
  if (/^comment on (?:column|table)/.test(line))
    return lock(one(/^comment on (?:column|table) (\w+)/), 'SHARE UPDATE EXCLUSIVE');
  // What a function does, it does later.
  if (/^create (?:or replace )?function/.test(line)) return [];
  const written = line.matchAll(/\b(?:insert into|update|delete from) (?!skip|set\b)(\w+)/g);
  return [...written].flatMap(([, table]) => lock(table, 'ROW EXCLUSIVE'));
}

/** A constraint to another table that goes takes its triggers from that one too. */
function dropped(line: string, owner: string | undefined, { references }: Schema): TableLock[] {
  const all = references.get(owner ?? '') ?? [];
  return [...line.matchAll(/drop constraint (?:if exists )?(\w+)/g)].flatMap(([, name]) =>
    all
      .filter(({ constraint }) => constraint === name)
      .map(({ target }) => ({ table: target, mode: 'ACCESS EXCLUSIVE' as const })),
  );
}

/** The strongest of its actions; what is not known to be weaker is the strongest there is. */
function modeOfAlter(line: string): LockMode {
  const actions = line.replace(/^alter table (?:if exists )?(?:only )?\w+ /, '');
  if (/^validate constraint \w+$/.test(actions) || /^set \([^)]*\)$/.test(actions))
    return 'SHARE UPDATE EXCLUSIVE';
  if (
    /^add (?:constraint \w+ )?foreign key \([^)]*\) references/.test(actions) &&
    !/\), (?:add|drop|alter)\b/.test(actions)
  )
    return 'SHARE ROW EXCLUSIVE';
  return 'ACCESS EXCLUSIVE';
}
