import { commandsOf, type Migration } from './migration-files.ts';

/** PostgreSQL's table lock modes that block others, from weakest to strongest. */
export const LOCK_MODES = [
  'ROW EXCLUSIVE',
  'SHARE UPDATE EXCLUSIVE',
  'SHARE',
  'SHARE ROW EXCLUSIVE',
  'ACCESS EXCLUSIVE',
] as const;
export type LockMode = (typeof LOCK_MODES)[number];

export const WAITS_FOR: Readonly<Record<LockMode, 'nothing' | 'writes' | 'reads and writes'>> = {
  'ROW EXCLUSIVE': 'nothing',
  'SHARE UPDATE EXCLUSIVE': 'nothing',
  SHARE: 'writes',
  'SHARE ROW EXCLUSIVE': 'writes',
  'ACCESS EXCLUSIVE': 'reads and writes',
};

export type TableLock = { readonly table: string; readonly mode: LockMode };

type Schema = {
  readonly indexes: Map<string, string>;
  /** Foreign keys by table; `constraint` is '' without a name. */
  readonly references: Map<string, { readonly constraint: string; readonly target: string }[]>;
};

type MigrationLocks = {
  readonly locks: readonly TableLock[];
  readonly made: readonly string[];
  readonly builds: readonly {
    readonly index: string;
    readonly table: string;
    readonly isConcurrent: boolean;
  }[];
};

/**
 * Table locks, read from the migrations' texts. Needs all earlier ones: they say to which table an index
 * belongs.
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

/** The lock stays on the table, which is reported under its last name. */
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
  if (/^create (?:or replace )?function/.test(line)) return [];
  const written = line.matchAll(/\b(?:insert into|update|delete from) (?!skip|set\b)(\w+)/g);
  return [...written].flatMap(([, table]) => lock(table, 'ROW EXCLUSIVE'));
}

function dropped(line: string, owner: string | undefined, { references }: Schema): TableLock[] {
  const all = references.get(owner ?? '') ?? [];
  return [...line.matchAll(/drop constraint (?:if exists )?(\w+)/g)].flatMap(([, name]) =>
    all
      .filter(({ constraint }) => constraint === name)
      .map(({ target }) => ({ table: target, mode: 'ACCESS EXCLUSIVE' as const })),
  );
}

/** The strongest lock of the actions of an `alter table`; an unknown action counts as the strongest. */
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

/** Full scans by a migration: `changes` and `rewrites` write every row, `reads` and `checks` read it. */
export const SCANS = ['changes', 'rewrites', 'reads', 'checks'] as const;
export type ScanKind = (typeof SCANS)[number];

export type TableScan = { readonly table: string; readonly kind: ScanKind };

/** Rough seconds for a million rows on two cores: sums of receivables took 150 s for 13 million. */
const SECONDS_A_MILLION: Readonly<Record<ScanKind | 'builds', number>> = {
  changes: 40,
  rewrites: 20,
  reads: 12,
  builds: 8,
  checks: 2,
};

export function estimatedSeconds(kind: ScanKind | 'builds', rows: number): number {
  return (rows / 1e6) * SECONDS_A_MILLION[kind];
}

/** The tables that a migration scans. May include names that are no tables. */
export function scansOf(text: string): readonly TableScan[] {
  const found = new Map<string, ScanKind>();
  for (const command of commandsOf(text)) {
    for (const { table, kind } of scansOfCommand(command)) {
      const former = found.get(table);
      if (former === undefined || SCANS.indexOf(kind) < SCANS.indexOf(former)) found.set(table, kind);
    }
  }
  return [...found].map(([table, kind]) => ({ table, kind }));
}

const TABLE_ACTION = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/;

function scansOfCommand(command: string): TableScan[] {
  const line = bodyOf(command).replaceAll(/\s+/g, ' ').toLowerCase();
  const [, table = '', actions = ''] = TABLE_ACTION.exec(line) ?? [];
  if (table !== '') {
    const kinds = actions.split(/, (?=add |drop |alter |validate )/).flatMap(kindOfAction);
    return kinds.map((kind) => ({ table, kind }));
  }
  if (!/^(?:do|with|insert|update|delete)\b/.test(line)) return [];
  const named = (pattern: RegExp, kind: ScanKind) =>
    [...line.matchAll(pattern)].map(([, name = '']) => ({ table: name, kind }));
  return [
    ...named(/(?<!for )\bupdate (?!skip|set\b)(\w+)/g, 'changes'),
    ...named(/\bdelete from (\w+)/g, 'changes'),
    ...named(/(?<!delete )\b(?:from|join) (?:only )?(\w+)/g, 'reads'),
  ];
}

/**
 * What a command runs itself: of a `do`, its body without those of functions that it creates, which run
 * later.
 */
function bodyOf(command: string): string {
  if (/^do\b/i.test(command)) {
    const [, body = ''] = /\$(?:\w*)\$(.*)\$(?:\w*)\$/s.exec(command) ?? [];
    return `do ${body.replaceAll(/\$(\w*)\$.*?\$\1\$/gs, ' ')}`;
  }
  return command;
}

function kindOfAction(action: string): ScanKind[] {
  if (/^validate constraint/.test(action) || /\bset not null\b/.test(action)) return ['checks'];
  if (/^add (?:constraint|check|foreign key|unique|primary key)\b/.test(action))
    return /\bnot valid\b/.test(action) ? [] : ['checks'];
  if (/^alter (?:column )?\w+ (?:set data )?type\b/.test(action)) return ['rewrites'];
  const isStored = /^add column .*\b(?:generated always as|default \w+ ?\()/.test(action);
  if (isStored) return ['rewrites'];
  return /^add column .*\bcheck ?\(/.test(action) ? ['checks'] : [];
}
