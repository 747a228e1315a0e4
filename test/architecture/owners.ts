import { moduleOf } from './plan.ts';
import { textsOf } from './program.ts';
import type { Complaint, SourceTree } from './source-tree.ts';
import { isOfService, isTest, programsOf } from './source-tree.ts';

/** The module whose folder holds the texts that write a table, where others write it too. */
const OWNERS: Readonly<Record<string, string>> = {
  anti_fraud_codes: 'antifraud',
  velocity_events: 'antifraud',
  vault_cards: 'cards',
  card_source_locks: 'cards',
  deliveries: 'webhooks',
  idempotency_keys: 'idempotency',
  webhook_endpoints: 'webhooks',
  movements: 'transactions',
};

export type TableWrite = { readonly path: string; readonly line: number; readonly table: string };

const WRITES = /\b(?:insert\s+into|update|delete\s+from)\s+(\w+)/g;

/** Every `insert`, `update` and `delete` of a table that a text holds. */
export function tableWrites(tree: SourceTree, tables: ReadonlySet<string>): TableWrite[] {
  const files = programsOf(tree, (path) => isOfService(path) && !isTest(path));
  return files.flatMap(({ path, program }) =>
    textsOf(program).flatMap(({ text, line }) =>
      tablesWrittenBy(text, tables).map((table) => ({ path, line, table })),
    ),
  );
}

/** The tables that one text writes. */
export function tablesWrittenBy(text: string, tables: ReadonlySet<string>): string[] {
  return [...text.matchAll(WRITES)].map(([, table = '']) => table).filter((table) => tables.has(table));
}

/** Texts that write a table of another module. */
export function ownerComplaints(writes: readonly TableWrite[]): Complaint[] {
  return writes.flatMap(({ path, line, table }) => {
    const owner = OWNERS[table];
    const others = writes.filter((write) => write.table === table && moduleOf(write.path) !== moduleOf(path));
    if (owner === undefined && others.length > 0)
      return [`${path}:${line}: ${table} is written by several modules and has no owner`];
    if (owner === undefined || owner === moduleOf(path)) return [];
    return [`${path}:${line}: writes ${table} of ${owner}: take its fragment`];
  });
}
