import { splitAt, tablesOf, withoutComments } from './schema.ts';
import type { Complaint, SourceTree } from './source-tree.ts';
import { statementsOf } from './statements.ts';

/** Statements that reach over all merchants, and why (ARCHITECTURE.md, Merchant isolation). */
const STATEMENTS_OF_ALL_MERCHANTS: Readonly<Record<string, string>> = {
  'restore_runs.count': "the operator's view",
  'restored_charges.list_waiting': "the operator's view",
  'restored_charges.count_waiting': "the operator's view",
  'restored_charges.claim_unfinished': 'work that falls due, for all merchants',
  'restored_charges.next_unfinished': 'work that falls due, for all merchants',
  'restore_runs.next_merchant': 'the operator compares one merchant after the other',
  'charging.find_due': 'work that falls due, for all merchants',
  'charging.find_due_of_moved': 'work that falls due, for all merchants',
  'charging.find_due_of_merchant': 'the days on which anything is due, one step along their index for each',
  'charging.earliest_due_of_merchant':
    'the days on which anything is due, one step along their index for each',
  'charging.claim_open_charges': 'work that falls due, for all merchants',
  'charging.earliest_open_charge': 'work that falls due, for all merchants',
  'credentials.find_unused': 'metrics of what is not used, for all merchants',
  'credentials.find_by_user_name': 'a login names nothing but its user name',
  'access_tokens.find': 'a caller shows nothing but the token',
  'boletos.find_to_print': 'a payer shows nothing but the key of the page',
  'bank_changes.keep_of_file':
    'a file of the bank names boletos by our number, which is unique over all merchants',
  'access_tokens.forget': 'work that falls due, for all merchants',
  'cards.forget_tokens': 'work that falls due, for all merchants',
  'cards.forget_claims': 'work that falls due, for all merchants',
  'cards.hold_sealed_tokens': 'a rotation of keys, for all merchants',
  'cards.count_sealed_tokens': 'a rotation of keys, for all merchants',
  'vault.list_expired_cards': 'work that falls due, for all merchants',
  'vault.hold_sealed_cards': 'a rotation of keys, for all merchants',
  'vault.count_sealed_cards': 'a rotation of keys, for all merchants',
  'webhooks.hold_sealed_logins': 'a rotation of keys, for all merchants',
  'webhooks.count_sealed_logins': 'a rotation of keys, for all merchants',
  'webhooks.hold_sealed_secrets': 'a rotation of keys, for all merchants',
  'webhooks.count_sealed_secrets': 'a rotation of keys, for all merchants',
  'webhooks.hold_sealed_previous_secrets': 'a rotation of keys, for all merchants',
  'webhooks.count_sealed_previous_secrets': 'a rotation of keys, for all merchants',
  'webhooks.forget_previous_secrets': 'work that falls due, for all merchants',
  'webhooks.find_removed_with_waiting': 'work that falls due, for all merchants',
  'antifraud.forget_codes': 'work that falls due, for all merchants',
  'antifraud.forget_velocity_events': 'work that falls due, for all merchants',
  'customers.erase_old': 'work that falls due, for all merchants',
  'transactions.forget_declined_verifications': 'work that falls due, for all merchants',
  'idempotency.forget': 'work that falls due, for all merchants',
  'transactions.claim_unresolved': 'work that falls due, for all merchants',
  'transactions.earliest_due': 'work that falls due, for all merchants',
  'cancels.claim_unresolved': 'work that falls due, for all merchants',
  'captures.claim_unresolved': 'work that falls due, for all merchants',
  'captures.earliest_due': 'work that falls due, for all merchants',
  'captures.pull_forward': 'work that falls due, for all merchants',
  'preauthorizations.earliest_of_merchant': 'looks through what waits, of all merchants, for one merchant',
  'preauthorizations.expire': 'work that falls due, for all merchants',
  'transactions.count_due': 'work that falls due, for all merchants',
  'preauthorizations.merchants_ahead': 'moved clocks, of all merchants',
  'cancels.earliest_due': 'work that falls due, for all merchants',
  'deliveries.claim_due': 'work that falls due, for all merchants',
  'deliveries.earliest_due': 'work that falls due, for all merchants',
  'deliveries.count_waiting': 'metrics of what waits, for all merchants',
  'deliveries.find_lag': 'metrics of what waits, for all merchants',
  'webhooks.count_endpoints': 'metrics of what waits, for all merchants',
  'webhooks.list_latest_endpoints': 'the operator looks whether this machine gets out',
  'transactions.pull_forward': 'work that falls due, for all merchants',
  'cancels.pull_forward': 'work that falls due, for all merchants',
  'changes.open_cursors_of_sellers': 'work that falls due, for all merchants',
  'changes.claim_cursors': 'work that falls due, for all merchants',
  'changes.earliest_pull': 'work that falls due, for all merchants',
  'changes.claim_waiting': 'work that falls due, for all merchants',
  'changes.earliest_due': 'work that falls due, for all merchants',
  'changes.keep': 'one question may bring the changes of all merchants',
  'changes.list_refused': "the operator's view",
  'changes.list_unprocessed_chargebacks': 'work that falls due, for all merchants',
  'changes.find_unprocessed_chargeback': 'looks through what waits, of all merchants, for one merchant',
  'transactions.count_unresolved': 'metrics of what is unknown, for all merchants',
  'captures.count_unresolved': 'metrics of what is unknown, for all merchants',
  'cancels.count_unresolved': 'metrics of what is unknown, for all merchants',
  'boletos.claim_unresolved': 'work that falls due, for all merchants',
  'boletos.earliest_due': 'work that falls due, for all merchants',
  'boletos.pull_forward': 'work that falls due, for all merchants',
  'boletos.count_unresolved': 'metrics of what is unknown, for all merchants',
  'boletos.list_acting': 'work that falls due, for all merchants',
  'boletos.merchants_ahead': 'moved clocks, of all merchants',
  'boletos.earliest_acting_of_merchant': 'looks through what waits, of all merchants, for one merchant',
  'payers.erase_old': 'work that falls due, for all merchants',
  'bank_changes.open_cursors_of_issuers': 'work that falls due, for all merchants',
  'bank_changes.claim_cursors': 'work that falls due, for all merchants',
  'bank_changes.earliest_pull': 'work that falls due, for all merchants',
  'bank_changes.claim_waiting': 'work that falls due, for all merchants',
  'bank_changes.earliest_due': 'work that falls due, for all merchants',
  'bank_changes.list_odd': "the operator's view",
  'bank_changes.keep': 'one question may bring the changes of all merchants',
  'subscriptions.erase_old_customers': 'work that falls due, for all merchants',
  'plan_cancellations.claim': 'work that falls due, for all merchants',
  'plan_cancellations.earliest_due': 'work that falls due, for all merchants',
  'notices.find_due': 'work that falls due, for all merchants',
  'notices.list_ahead': 'work that falls due, for all merchants',
  'merchants.list_clocks': "every process keeps all merchants' moved clocks in memory",
  'clock.claim': 'work that falls due, for all merchants',
  'history.next_merchant': 'work that falls due, for all merchants',
  'history.give_up': 'work that falls due, for all merchants',
  'receivables.list_behind': 'work that falls due, for all merchants',
  'charging.oldest_due_day': "the operator's view",
  'console_users.insert': 'counts the users of one merchant, or of the operator',
  'console_users.find_by_name': 'a command names nothing but the name',
  'console_users.find': 'a passkey names nothing but its user',
  'console_users.list': "the operator's view, of all merchants or of one",
  'console_requests.insert': 'counts what one user has asked for',
  'console_requests.forget': 'work that falls due, for all merchants',
  'console_requests.find': "a merchant's, or with null the operator's view of all",
  'console_requests.list_waiting': "a merchant's, or with null the operator's view of all",
  'console_requests.list_over': "a merchant's, or with null the operator's view of all",
  'console_requests.decide': 'found before, by its merchant',
  'console_users.find_listed': 'a command names nothing but the name',
  'console_users.lock': 'a session names nothing but its user',
  'console_users.disable': 'a command names nothing but the name',
  'console_users.set_language': 'a session names nothing but its user',
  'console_links.find': 'a link names nothing but its user',
  'console_sessions.find': 'a session names nothing but its user',
  'console_sessions.open_by_passkey': 'a passkey names nothing but its user',
  'fees.list_newest': "the operator's view, of all merchants",
  'fees.list_since': "every process keeps all merchants' fees in memory",
  'fees.find_sale_after': "the operator's view",
  'merchants.list': "the operator's view",
  'merchants.count': "the operator's view",
  'merchants.search': "the operator's view",
  'transactions.find_case': "the operator's view",
  'cancels.find_case': "the operator's view",
  'captures.find_case': "the operator's view",
  'reconciliation_exceptions.count_open': 'metrics of what differs, for all merchants',
  'reconciliation_exceptions.find': "the operator's view",
  'settlement_entries.find_candidates': 'a line of a file names no merchant',
  'settlement_entries.find_candidates_by_code': 'a line of a file names no merchant',
  'settlement_entries.find_batch_members': 'a line of a file names no merchant',
  'settlement_matches.list_judged_before': 'work that falls due, for all merchants',
  'reconciliation_exceptions.claim_due': 'work that falls due, for all merchants',
  'reconciliation_exceptions.earliest_due': 'work that falls due, for all merchants',
  'settlement_coverages.find_to_look': 'work that falls due, for all merchants',
  'settlement_coverages.learn': 'a file covers all merchants of its establishment',
  'settlement_coverages.cover': 'a file covers all merchants of its establishment',
  'reconciliation_exceptions.look_again': 'a line of a file names no merchant',
  'settlement_matches.withdraw_some': 'a line of a file names no merchant',
  'settlement_matches.find_divided_batch': 'a line of a file names no merchant',
  'settlement_matches.withdraw_line': 'a line of a file names no merchant',
  'reconciliation_exceptions.heal_some_of_file': 'a line of a file names no merchant',
  'truth_runs.read_of_day': 'the report of a day, of all merchants',
  'truth_differences.oldest': 'metrics of what differs, for all merchants',
  'charging.count_due': 'metrics of what is due, for all merchants',
  'truth_runs.list_merchants': 'work that falls due, for all merchants',
  'truth_runs.claim': 'work that falls due, for all merchants',
  'truth_runs.earliest_due': 'work that falls due, for all merchants',
  'truth_budgets.open': 'counts the merchants that share what a night may ask',
  'truth_differences.list': "the operator's view, of all merchants or of one",
  'reconciliation_exceptions.list_of_operator': "the operator's view, of all merchants",
  'reconciliation_exceptions.list_of_day': "the operator's view of a day, of all merchants or of one",
  'reconciliation_exceptions.sum_of_operator': "the operator's view, of all merchants or of one",
  'reconciliation_exceptions.sum_open_of_operator': "the operator's view, of all merchants or of one",
  'day_reports.find_installments': "the operator's view, of all merchants or of one",
  'transactions.list_unresolved': "the operator's view, of all merchants or of one",
  'cancels.list_unresolved': "the operator's view, of all merchants or of one",
  'captures.list_unresolved': "the operator's view, of all merchants or of one",
  'boletos.list_unresolved': "the operator's view, of all merchants or of one",
  'customers.list_payments': 'what is known of a person, at all merchants or at one',
  'payers.list_boletos': 'what is known of a person, at all merchants or at one',
  'subscriptions.list_of_person': 'what is known of a person, at all merchants or at one',
  'truth_runs.read_newest': "metrics and the operator's view, for all merchants",
};

/** Statements that touch a merchant's table without binding the merchant, in any of their parts. */
export function bindingComplaints(tree: SourceTree): Complaint[] {
  return unboundStatements(tree).flatMap(({ path, line, name, tables }) =>
    name in STATEMENTS_OF_ALL_MERCHANTS
      ? []
      : [`${path}:${line}: the statement ${name} does not bind merchant_id of ${tables.join(', ')}`],
  );
}

/** Exceptions that no statement needs any more. */
export function idleBindingExceptions(tree: SourceTree): Complaint[] {
  const unbound = unboundStatements(tree).map(({ name }) => name);
  return Object.keys(STATEMENTS_OF_ALL_MERCHANTS).filter((name) => !unbound.includes(name));
}

function unboundStatements(tree: SourceTree) {
  const merchants = [...tablesOf(tree).values()].filter(({ columns }) => columns.includes('merchant_id'));
  const tables = new Set(merchants.map(({ name }) => name));
  return statementsOf(tree).flatMap((sql) => {
    const unbound = unboundTables(sql.text, tables);
    return unbound.length === 0 ? [] : [{ ...sql, tables: unbound }];
  });
}

/** One query of a statement: what stands in its own parentheses was taken out and is `#n`. */
type Query = {
  readonly text: string;
  readonly names: ReadonlySet<string>;
  readonly outer: ReadonlySet<string>;
};

/**
 * The merchants' tables that a statement touches and does not bind. A table is bound when its
 * `merchant_id` equals a parameter or a constant ('': lines of which no merchant is known), or that of
 * something bound: rows of parameters (`unnest`), another part of the statement (checked for itself), or a
 * table that is bound; or when its rows are those that such a part has found (`ctid = any (array(select …))`,
 * or `ctid = found.place`).
 */
export function unboundTables(statement: string, tables: ReadonlySet<string>): string[] {
  const text = withoutComments(statement)
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/'[^']*'/g, "''")
    .trim();
  return [...new Set(unboundIn({ text, names: new Set(), outer: new Set() }, tables))];
}

function unboundIn(query: Query, tables: ReadonlySet<string>): string[] {
  const { text, inner } = withoutInnerQueries(query.text);
  const { main, names } = withoutNamedQueries(text, query.names);
  const parts = main.split(/ (?:union|except|intersect)(?: all)? /);
  const found: string[] = [];
  const aliases = new Set(query.outer);
  for (const part of parts) {
    const references = referencesIn(part, names);
    for (const { alias } of references) aliases.add(alias);
    found.push(...unboundReferences(part, references, query.outer, tables));
  }
  for (const innerText of inner) found.push(...unboundIn({ text: innerText, names, outer: aliases }, tables));
  return found;
}

/** Takes every `( select … )` out, leaving `(#n)`. */
function withoutInnerQueries(text: string): { text: string; inner: string[] } {
  const inner: string[] = [];
  let outer = '';
  for (let at = 0; at < text.length; ) {
    const isQuery =
      text[at] === '(' && /^\( ?(select|with|insert|update|delete)\b/.test(text.slice(at, at + 10));
    if (!isQuery) {
      outer += text[at];
      at += 1;
      continue;
    }
    const end = closingParenthesis(text, at);
    inner.push(text.slice(at + 1, end).trim());
    outer += `(#${inner.length})`;
    at = end + 1;
  }
  return { text: outer, inner };
}

function closingParenthesis(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

const NAMED_QUERY =
  /^(?:with (?:recursive )?|, ?)(\w+)(?: ?\([^)]*\))? as (?:not )?(?:materialized )?\(#\d+\) ?/;

function withoutNamedQueries(text: string, known: ReadonlySet<string>): { main: string; names: Set<string> } {
  const names = new Set(known);
  let main = text;
  for (let match = NAMED_QUERY.exec(main); match !== null; match = NAMED_QUERY.exec(main)) {
    names.add(match[1] as string);
    main = main.slice(match[0].length);
  }
  return { main, names };
}

type Reference = { readonly alias: string; readonly source: 'table' | 'given'; readonly table: string };

const END_OF_FROM =
  /\b(where|group by|order by|limit|offset|for (update|no key|share|key)|returning|having|window|set|on conflict|values)\b/;
const JOIN = /,|(?:\b(?:cross|left|right|inner|full|outer|natural) )*\bjoin\b/;

/** What a query reads and writes; `given` is what carries values of the statement itself. */
function referencesIn(query: string, names: ReadonlySet<string>): Reference[] {
  const outline = outlineOf(query).replace(/\bis (not )?distinct from\b/g, '<>');
  const lists: string[] = [];
  const target = /^(?:update|delete from) ([\s\S]*)$/.exec(outline)?.[1];
  if (target !== undefined) lists.push(upTo(target, /\b(set|using|where|returning)\b/));
  for (const match of outline.matchAll(/(?<!delete )\bfrom |\busing (?!\()/g)) {
    lists.push(upTo(outline.slice(match.index + match[0].length), END_OF_FROM));
  }
  return lists.flatMap((list) => list.split(JOIN)).flatMap((item) => referenceOf(item, names));
}

function referenceOf(item: string, names: ReadonlySet<string>): Reference[] {
  const match =
    /^\s*(?:lateral )?(?:only )?([\w.]+|\(#\d+\))( ?\(\))?(?: with ordinality)?(?: as)?(?: (?!on\b|using\b)(\w+))?/.exec(
      item,
    );
  if (match === null) return [];
  const [, name = '', call, alias = name] = match;
  const isGiven = call !== undefined || name.startsWith('(') || names.has(name);
  return [{ alias, source: isGiven ? 'given' : 'table', table: name }];
}

function upTo(text: string, end: RegExp): string {
  const match = end.exec(text);
  return match === null ? text : text.slice(0, match.index);
}

/** The same text with nothing in its parentheses but the mark of an inner query. */
function outlineOf(text: string): string {
  let outline = '';
  let depth = 0;
  for (const part of text.split(/(\(#\d+\)|[()])/)) {
    if (part === ')') depth -= 1;
    if (depth === 0) outline += part;
    if (part === '(') depth += 1;
  }
  return outline;
}

function unboundReferences(
  query: string,
  references: readonly Reference[],
  outer: ReadonlySet<string>,
  tables: ReadonlySet<string>,
): string[] {
  const found: string[] = [];
  const inserted = /^insert into (\w+)(?: as \w+)? ?(?:\(([^)]*)\))?/.exec(query);
  if (inserted !== null && tables.has(inserted[1] ?? '')) {
    const columns = splitAt(inserted[2] ?? '', ',').map((column) => column.trim());
    if (!columns.includes('merchant_id')) found.push(inserted[1] as string);
  }
  const read = references.filter(({ source, table }) => source === 'table' && tables.has(table));
  if (read.length === 0) return found;
  const conditions = query.replace(/^(update .*?) set .*?(?= (?:from|where|returning) |$)/, '$1');
  const bound = boundAliases(withoutAlternatives(withoutResults(conditions)), references, read, outer);
  const hasWayAround = /\bor\b/.test(outlineOf(query).replace(/\bcase\b.*?\bend\b/g, ''));
  const unbound = read.filter(({ alias }) => hasWayAround || !bound.has(alias));
  return [...found, ...unbound.map(({ table }) => table)];
}

/** A query without what it gives: a comparison there binds nothing. */
function withoutResults(query: string): string {
  const outline = [...query];
  let depth = 0;
  for (const [at, sign] of [...query].entries()) {
    if (sign === ')') depth -= 1;
    if (depth > 0) outline[at] = ' ';
    if (sign === '(') depth += 1;
  }
  const flat = outline.join('');
  const from =
    /^select\b.*? (?=from )/.exec(flat)?.[0].length ?? (flat.startsWith('select') ? flat.length : 0);
  const end = / returning\b/.exec(flat.slice(from))?.index ?? flat.length;
  return query.slice(from, from + end);
}

/**
 * The conditions without those in parentheses of which another one may hold instead: `($1 is null or
 * merchant_id = $1)` binds nothing.
 */
function withoutAlternatives(conditions: string): string {
  let kept = '';
  const text = conditions.replace(/\bcase\b.*?\bend\b/g, '');
  for (let at = 0; at < text.length; at += 1) {
    const end = text[at] === '(' ? closingParenthesis(text, at) : at;
    if (/\bor\b/.test(outlineOf(text.slice(at + 1, end)))) at = end;
    else kept += text[at];
  }
  return kept;
}

/** The aliases whose merchant follows from the parameters, along the equalities of the query. */
function boundAliases(
  query: string,
  references: readonly Reference[],
  read: readonly Reference[],
  outer: ReadonlySet<string>,
): Set<string> {
  const bound = new Set(references.filter(({ source }) => source === 'given').map(({ alias }) => alias));
  for (const alias of outer) if (!references.some((reference) => reference.alias === alias)) bound.add(alias);
  const only = read.length === 1 ? (read[0]?.alias ?? '') : '';
  const pairs: [string, string][] = [];
  for (const [, left = only] of query.matchAll(/(?:(\w+)\.)?\bmerchant_id ?= ?(?:any ?\( ?)?(?:\$\d|'')/g))
    bound.add(left);
  for (const [, right = only] of query.matchAll(/\$\d+(?:::\w+)? ?= ?(?:(\w+)\.)?merchant_id\b/g))
    bound.add(right);
  for (const [, left = only, right = only] of query.matchAll(
    /(?:(\w+)\.)?\bmerchant_id ?= ?(?:(\w+)\.)?merchant_id\b/g,
  )) {
    pairs.push([left, right]);
  }
  for (const [, left = only] of query.matchAll(/\( ?(?:(\w+)\.)?merchant_id\b[^()]*\) in \(/g))
    bound.add(left);
  for (const [, left = only] of query.matchAll(/(?:(\w+)\.)?\bmerchant_id in \(/g)) bound.add(left);
  for (const [, left = only] of query.matchAll(/(?:(\w+)\.)?\bctid ?= ?any ?\( ?array ?\(#\d+\) ?\)/g))
    bound.add(left);
  for (const [, left = only, right = ''] of query.matchAll(/(?:(\w+)\.)?\bctid ?= ?(\w+)\.(?:\w+_)?place\b/g))
    pairs.push([left, right]);
  const [first, ...others] = references.map(({ alias }) => alias);
  if (/\busing ?\([^)]*\bmerchant_id\b/.test(query) && first !== undefined) {
    pairs.push(...others.map((alias): [string, string] => [first, alias]));
  }
  for (let before = -1; before !== bound.size; ) {
    before = bound.size;
    for (const [left, right] of pairs) {
      if (bound.has(left)) bound.add(right);
      if (bound.has(right)) bound.add(left);
    }
  }
  return bound;
}
