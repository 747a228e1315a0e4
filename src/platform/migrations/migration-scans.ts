import { commandsOf } from './migration-files.ts';

/**
 * What a migration does with every row of a table: `changes` and `rewrites` write them, `reads` and `checks`
 * look at them.
 */
export const SCANS = ['changes', 'rewrites', 'reads', 'checks'] as const;
export type ScanKind = (typeof SCANS)[number];

export type TableScan = { readonly table: string; readonly kind: ScanKind };

/**
 * Seconds for a million rows on two cores: sums of receivables took 150 s for 13 million. An order of
 * magnitude, for who must choose the hour.
 */
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

/**
 * The tables that a migration goes over whole, read from its text, for the commands that migrations are made
 * of. What is no table is among them where it stands as one: who knows the tables leaves it out.
 */
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

/** A function that a command makes does later what it does. */
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
  return isStored ? ['rewrites'] : [];
}
