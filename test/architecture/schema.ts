import type { Complaint, SourceTree } from './source-tree.ts';

/** The tables that the migrations leave behind. */
export type Table = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly keys: readonly Key[];
  readonly path: string;
};

/** A primary key, a unique one or a foreign one. */
export type Key = {
  readonly kind: 'primary' | 'unique' | 'foreign';
  readonly columns: readonly string[];
  readonly of?: string;
};

/** Tables without a merchant: whose they are instead. A new one must be thought about. */
const TABLES_OF_NOBODY: Readonly<Record<string, string>> = {
  buyer_cursors: 'how far the sales of all merchants were read',
  login_failures: 'callers are not known yet',
  lost_pix_receipts: 'the bank names no merchant, and no charge here has the txid',
  data_keys: "the operator's",
  providers: "the operator's",
  remittances: "the operator's: a file may be of several merchants",
  card_key_pairs: "the operator's",
  audit_entries: "the operator's",
  audit_head: "the operator's",
  audit_archives: "the operator's",
  audit_unlogged: "the operator's",
  database_stamp: "the operator's",
  service_beats: 'of the processes',
  process_reports: 'of the processes',
  health_samples: 'of all merchants together',
  settlement_refusals: "the operator's: a file may be of several merchants",
  restore_runs: "the operator's",
  restore_redone: "lines of the operator's audit log",
  restore_lost_providers: "the operator's",
  truth_budgets: 'of all merchants together',
  truth_reports: 'of all merchants together',
  console_hands: 'of a user, whose merchant stands in console_users',
  console_hand_givers: 'of users, whose merchants stand in console_users',
  console_passkeys: 'of a user, whose merchant stands in console_users',
  console_links: 'of a user, whose merchant stands in console_users',
  console_sessions: 'of a user, whose merchant stands in console_users',
  console_actions: 'of a user, whose merchant stands in console_users',
  console_decisions: 'of a request, whose merchant stands in console_requests',
  console_identities: 'of a user, whose merchant stands in console_users',
  settlement_files: "the operator's: a file may be of several merchants",
  settlement_entries: "the operator's: whose a line is stands in settlement_matches",
};

/** Keys that do not begin with the merchant: `table(columns)`, and why. */
const KEYS_WITHOUT_MERCHANT: Readonly<Record<string, string>> = {
  'credentials(user_name)': 'a login names nothing but its user name',
  'access_tokens(token_hash)': 'a caller shows nothing but the token',
  'boletos(our_number, merchant_id)': 'a return file names no merchant',
  'bank_instructions(bank, bank_number)': 'a bank gives its numbers to all merchants of an agreement',
  'console_users(user_id)': 'a session names nothing but its user; those of the operator have no merchant',
  'console_users(hand_id)': "a merchant's users may be let in by the operator's",
  'console_users(name)': 'a command names nothing but the name',
  'console_requests(request_id)': "those of the operator's pages have no merchant",
  'console_requests(requested_by)': 'a user of the operator has no merchant',
  'console_filters(user_id)': 'users of the operator, who have no merchant, keep filters too',
};

/** The security code is never written, under whatever name; the number of a card never in clear. */
const FORBIDDEN_COLUMN =
  /cvv|cvc|cvn|csc\b|_cid\b|^cid$|security_?code|verification_(code|value)|^card_number$|^pan$|track_?\d?_?data/;

export function tablesOf(tree: SourceTree): Map<string, Table> {
  const tables = new Map<string, Table>();
  const migrations = [...tree.keys()]
    .filter((path) => path.startsWith('migrations/') && path.endsWith('.sql'))
    .sort();
  for (const path of migrations) {
    for (const command of splitAt(withoutComments(tree.get(path) ?? ''), ';'))
      applyCommand(tables, path, command);
  }
  return tables;
}

function applyCommand(tables: Map<string, Table>, path: string, command: string): void {
  const created = /^\s*create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(\w+)\s*\(/i.exec(command);
  if (created !== null) {
    const body = command.slice(command.indexOf('(') + 1, command.lastIndexOf(')'));
    const table = { name: created[1] as string, columns: [], keys: [], path };
    tables.set(table.name, splitAt(body, ',').reduce(withPart, table));
    return;
  }
  const renamed = /^\s*alter\s+table\s+(\w+)\s+rename\s+(?:column\s+(\w+)\s+)?to\s+(\w+)\s*$/i.exec(command);
  if (renamed !== null) {
    const [, name = '', column, to = ''] = renamed;
    if (column === undefined) renameTable(tables, name, to);
    else renameColumn(tables, name, column, to);
    return;
  }
  const altered = /^\s*alter\s+table\s+(?:only\s+)?(\w+)\s+([\s\S]*)$/i.exec(command);
  const [, name = '', actions = ''] = altered ?? [];
  const table = tables.get(name);
  if (table !== undefined) {
    const added = splitAt(actions, ',').flatMap((action) => {
      const part = /^\s*add\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?([\s\S]*)$/i.exec(action)?.[1];
      return part === undefined ? [] : [part];
    });
    tables.set(name, added.reduce(withPart, table));
  }
  const dropped = /^\s*drop\s+table\s+(?:if\s+exists\s+)?(\w+)/i.exec(command)?.[1];
  if (dropped !== undefined) tables.delete(dropped);
  const index =
    /^\s*create\s+unique\s+index\s+(?:concurrently\s+)?\w*\s*on\s+(\w+)\s*\(([\s\S]*?)\)(\s+where[\s\S]*)?$/i.exec(
      command,
    );
  const indexed = tables.get(index?.[1] ?? '');
  if (index !== null && indexed !== undefined) {
    const columns = splitAt(index[2] ?? '', ',').map((column) => column.trim());
    tables.set(indexed.name, { ...indexed, keys: [...indexed.keys, { kind: 'unique', columns }] });
  }
}

function renameTable(tables: Map<string, Table>, name: string, to: string): void {
  for (const table of [...tables.values()]) {
    const keys = table.keys.map((key) => (key.of === name ? { ...key, of: to } : key));
    if (table.name === name) tables.delete(name);
    const isIt = table.name === name;
    tables.set(isIt ? to : table.name, { ...table, name: isIt ? to : table.name, keys });
  }
}

function renameColumn(tables: Map<string, Table>, name: string, from: string, to: string): void {
  const table = tables.get(name);
  if (table === undefined) return;
  const renamed = (columns: readonly string[]) => columns.map((column) => (column === from ? to : column));
  const keys = table.keys.map((key) => ({ ...key, columns: renamed(key.columns) }));
  tables.set(name, { ...table, columns: renamed(table.columns), keys });
}

/** A line of `create table`: a column, or a constraint of the table. */
function withPart(table: Table, part: string): Table {
  const text = part.trim().replace(/^constraint\s+\w+\s+/i, '');
  const columnsIn = (list: string) => splitAt(list, ',').map((column) => column.trim());
  const constraint =
    /^(primary\s+key|unique|foreign\s+key)\b[^(]*\(([^)]*)\)\s*(?:references\s+(\w+))?/i.exec(text);
  if (constraint !== null) {
    const [, word = '', list = '', of] = constraint;
    const kind = word.toLowerCase().split(/\s/)[0] as Key['kind'];
    return { ...table, keys: [...table.keys, { kind, columns: columnsIn(list), ...(of && { of }) }] };
  }
  // The columns of such a key are those of its index, which is looked at by itself.
  if (/^(check|exclude|like|primary\s+key\s+using)\b/i.test(text)) return table;
  const column = /^\w+/.exec(text)?.[0];
  if (column === undefined) return table;
  const keys: Key[] = [];
  if (/\bprimary\s+key\b/i.test(text)) keys.push({ kind: 'primary', columns: [column] });
  if (/\bunique\b/i.test(text)) keys.push({ kind: 'unique', columns: [column] });
  const of = /\breferences\s+(\w+)/i.exec(text)?.[1];
  if (of !== undefined) keys.push({ kind: 'foreign', columns: [column], of });
  return { ...table, columns: [...table.columns, column], keys: [...table.keys, ...keys] };
}

export function schemaComplaints(tree: SourceTree): Complaint[] {
  const tables = tablesOf(tree);
  return [...tables.values()].flatMap((table) => {
    const { name, columns, path } = table;
    const forbidden = columns
      .filter((column) => FORBIDDEN_COLUMN.test(column))
      .map((column) => `${path}: ${name}.${column} would keep what is never written`);
    if (!columns.includes('merchant_id')) {
      const isKnown = name in TABLES_OF_NOBODY;
      return isKnown ? forbidden : [...forbidden, `${path}: ${name} has no merchant_id`];
    }
    return [...forbidden, ...keyComplaints(table, tables)];
  });
}

function keyComplaints({ name, keys, path }: Table, tables: ReadonlyMap<string, Table>): Complaint[] {
  const complaints = keys.flatMap(({ kind, columns, of }) => {
    const isOfOperator = of !== undefined && tables.get(of)?.columns.includes('merchant_id') === false;
    const written = `${name}(${columns.join(', ')})`;
    if (columns[0] === 'merchant_id' || isOfOperator || written in KEYS_WITHOUT_MERCHANT) return [];
    return [`${path}: the ${kind} key ${written} does not begin with merchant_id`];
  });
  const hasPrimary = keys.some(({ kind }) => kind === 'primary');
  return hasPrimary ? complaints : [...complaints, `${path}: ${name} has no primary key`];
}

/** Exceptions that no table needs any more. */
export function idleSchemaExceptions(tree: SourceTree): Complaint[] {
  const tables = tablesOf(tree);
  const keys = [...tables.values()].flatMap(({ name, keys }) =>
    keys.map(({ columns }) => `${name}(${columns.join(', ')})`),
  );
  return [
    ...Object.keys(TABLES_OF_NOBODY).filter(
      (name) => tables.get(name)?.columns.includes('merchant_id') !== false,
    ),
    ...Object.keys(KEYS_WITHOUT_MERCHANT).filter((key) => !keys.includes(key)),
  ];
}

/** Without comments and without the bodies of functions, which hold marks of their own. */
export function withoutComments(sql: string): string {
  return sql.replace(/'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g, (part) => {
    if (part.startsWith("'")) return part;
    return part.startsWith('$') ? "''" : ' ';
  });
}

/** Splits at a mark that stands neither in parentheses nor in a text. */
export function splitAt(sql: string, mark: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let isInText = false;
  let start = 0;
  for (let at = 0; at < sql.length; at += 1) {
    if (sql[at] === "'") isInText = !isInText;
    if (isInText) continue;
    if (sql[at] === '(') depth += 1;
    if (sql[at] === ')') depth -= 1;
    if (sql[at] === mark && depth === 0) {
      parts.push(sql.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(sql.slice(start));
  return parts.filter((part) => part.trim() !== '');
}
