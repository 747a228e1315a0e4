import { splitAt, tablesOf, withoutComments } from './schema.ts';
import type { Complaint, SourceTree } from './source-tree.ts';
import { statementsOf } from './statements.ts';
import { STATEMENTS_OF_ALL_MERCHANTS } from './statements-of-all-merchants.ts';

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
