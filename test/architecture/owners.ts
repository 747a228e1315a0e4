import { textsOf } from './program.ts';
import type { Complaint, SourceTree } from './source-tree.ts';
import { isTest, programsOf } from './source-tree.ts';

/** The module whose folder holds the texts that write a table, where others write it too. */
const OWNERS: Readonly<Record<string, string>> = {
  anti_fraud_codes: 'antifraud',
  velocity_events: 'antifraud',
  vault_cards: 'cards',
  card_source_locks: 'cards',
  deliveries: 'webhooks',
  idempotency_keys: 'idempotency',
  webhook_endpoints: 'webhooks',
};

/** Files that write another module's table themselves, and why. The list only shrinks. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/cards/vault/vault-cards.sql.ts idempotency_keys':
    'a key reserved before its card is verified is marked done, or freed while it is young',
  'src/transactions/card/intents.sql.ts anti_fraud_codes': 'the intent takes the code in its own commit',
  'src/transactions/card/intents.sql.ts card_source_locks':
    'the intent locks the card source in its own commit',
  'src/transactions/card/intents.sql.ts velocity_events': 'the intent is counted in its own commit',
  'src/transactions/card/outcomes.sql.ts anti_fraud_codes': 'a decline frees the code in its own commit',
  'src/transactions/card/outcomes.sql.ts card_source_locks':
    'a decline frees the card source in its own commit',
  'src/transactions/card/outcomes.sql.ts velocity_events': 'a decline is counted in its own commit',
  'src/transactions/card/outcomes.sql.ts vault_cards':
    'the first use of a stored card is marked in its own commit',
  'src/transactions/card/resolutions.sql.ts anti_fraud_codes':
    'what is resolved frees what it holds in its own commit',
  'src/transactions/card/resolutions.sql.ts card_source_locks':
    'what is resolved frees what it holds in its own commit',
  'src/transactions/card/resolutions.sql.ts velocity_events':
    'what is resolved frees what it holds in its own commit',
  'src/transactions/card/unsent-charges.sql.ts anti_fraud_codes':
    'an intent that is taken back frees what it holds in its own commit',
  'src/transactions/card/unsent-charges.sql.ts card_source_locks':
    'an intent that is taken back frees what it holds in its own commit',
  'src/transactions/card/unsent-charges.sql.ts velocity_events':
    'an intent that is taken back frees what it holds in its own commit',
  'src/transactions/movements/movement-deliveries.sql.ts webhook_endpoints':
    'the origin of a callback is remembered with the first delivery to it',
};

export type TableWrite = { readonly path: string; readonly line: number; readonly table: string };

const WRITES = /\b(?:insert\s+into|update|delete\s+from)\s+(\w+)/g;

/** Every `insert`, `update` and `delete` of a table that a text holds. */
export function tableWrites(tree: SourceTree, tables: ReadonlySet<string>): TableWrite[] {
  const files = programsOf(tree, (path) => path.startsWith('src/') && !isTest(path));
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

const moduleOf = (path: string) => path.split('/')[1] as string;

/** Texts that write a table of another module. */
export function ownerComplaints(writes: readonly TableWrite[]): Complaint[] {
  return writes.flatMap(({ path, line, table }) => {
    const owner = OWNERS[table];
    const others = writes.filter((write) => write.table === table && moduleOf(write.path) !== moduleOf(path));
    if (owner === undefined && others.length > 0)
      return [`${path}:${line}: ${table} is written by several modules and has no owner`];
    if (owner === undefined || owner === moduleOf(path) || `${path} ${table}` in EXCEPTIONS) return [];
    return [`${path}:${line}: writes ${table} of ${owner}: take its fragment`];
  });
}

/** Exceptions that no text needs any more. */
export function idleOwnerExceptions(writes: readonly TableWrite[]): Complaint[] {
  const needed = new Set(writes.map(({ path, table }) => `${path} ${table}`));
  return Object.keys(EXCEPTIONS).filter((exception) => !needed.has(exception));
}
