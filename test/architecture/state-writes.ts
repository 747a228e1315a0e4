import { loadModule, parseSync } from 'libpg-query';

/**
 * Literal states. `isGiven`: one comes as a value, or from a column of which the text does not show
 * where it is from.
 */
export type States = { readonly named: readonly string[]; readonly isGiven: boolean };

/** What a statement writes into a column `state`; what it leaves as it is does not count. */
export type StateWrite = {
  readonly statement: string;
  readonly kind: 'insert' | 'update';
  readonly table: string;
  /**
   * The states that an update names as those it comes from, itself or where it locks the row; null:
   * it names none.
   */
  readonly from: States | null;
  readonly to: States;
};

/**
 * What is known of a table beside the statements: its states, and conditions that a CHECK makes
 * equal to some of them.
 */
export type KnownStates = {
  readonly states: readonly string[];
  /** A column that is null in these states only. */
  readonly nullOnlyIn?: { readonly column: string; readonly states: readonly string[] };
};

type Tree = Readonly<Record<string, unknown>>;
type Source = { readonly query: Tree } | 'table' | 'function';
/** What the names of a query stand for. */
type Scope = { readonly sources: ReadonlyMap<string, Source>; readonly parts: ReadonlyMap<string, Tree> };

const NOTHING: States = { named: [], isGiven: false };
const GIVEN: States = { named: [], isGiven: true };

await loadModule();

/** Everything that the statement, as PostgreSQL's own parser reads it, writes into columns `state`. */
export function stateWritesOf(
  { name, text }: { readonly name: string; readonly text: string },
  known: ReadonlyMap<string, KnownStates>,
): StateWrite[] {
  const tree = parseSync(text) as unknown;
  const parts = new Map(
    nodesOf(tree, 'CommonTableExpr').map((part) => [String(part.ctename), part.ctequery as Tree]),
  );
  const updates = nodesOf(tree, 'UpdateStmt').flatMap((update) => updateOf(update, parts, known));
  const inserts = nodesOf(tree, 'InsertStmt').flatMap((insert) => insertsOf(insert, parts, known));
  return [...updates, ...inserts].map((write) => ({ ...write, statement: name }));
}

type Write = Omit<StateWrite, 'statement'>;

function updateOf(
  update: Tree,
  parts: ReadonlyMap<string, Tree>,
  known: ReadonlyMap<string, KnownStates>,
): Write[] {
  const value = stateAmong(listAt(update, 'targetList'));
  if (value === null) return [];
  const table = textAt(update, 'relation', 'relname');
  const own = [textAt(update, 'relation', 'alias', 'aliasname') || table];
  const scope = scopeOf(listAt(update, 'fromClause'), parts);
  const isOf = known.get(table) ?? { states: [] };
  const from = statesIn(at(update, 'whereClause'), own, isOf) ?? lockedStates(update, table, parts, isOf);
  return [{ kind: 'update', table, from, to: statesOf(value, scope, own) }];
}

function insertsOf(
  insert: Tree,
  parts: ReadonlyMap<string, Tree>,
  known: ReadonlyMap<string, KnownStates>,
): Write[] {
  const table = textAt(insert, 'relation', 'relname');
  const index = listAt(insert, 'cols').findIndex((column) => textAt(column, 'ResTarget', 'name') === 'state');
  const query = at(insert, 'selectStmt', 'SelectStmt') as Tree | undefined;
  const inserts: Write[] =
    index < 0 || query === undefined
      ? []
      : [{ kind: 'insert', table, from: null, to: valueAt(query, index, parts) }];
  const conflict = at(insert, 'onConflictClause') as Tree | undefined;
  const changed = stateAmong(listAt(conflict, 'targetList'));
  if (changed === null) return inserts;
  const own = [textAt(insert, 'relation', 'alias', 'aliasname') || table];
  const from = statesIn(at(conflict, 'whereClause'), own, known.get(table) ?? { states: [] });
  return [...inserts, { kind: 'update', table, from, to: statesOf(changed, scopeOf([], parts), own) }];
}

function valueAt(query: Tree, index: number, parts: ReadonlyMap<string, Tree>): States {
  const lists = listAt(query, 'valuesLists');
  const scope = scopeOf(listAt(query, 'fromClause'), parts);
  const values =
    lists.length > 0
      ? lists.map((list) => listAt(list, 'List', 'items')[index])
      : [at(listAt(query, 'targetList')[index], 'ResTarget', 'val')];
  return union(values.map((value) => statesOf(value, scope, [])));
}

function stateAmong(columns: readonly unknown[]): unknown {
  const column = columns.find((one) => textAt(one, 'ResTarget', 'name') === 'state');
  return at(column, 'ResTarget', 'val') ?? null;
}

/** Which states an expression can give. `own`: how the row itself is called: its state is left as it is. */
function statesOf(expression: unknown, scope: Scope, own: readonly string[]): States {
  const [kind = '', node] = Object.entries((expression ?? {}) as Tree)[0] ?? [];
  switch (kind) {
    case 'A_Const':
      return at(node, 'isnull') === true
        ? NOTHING
        : { named: [textAt(node, 'sval', 'sval')], isGiven: false };
    case 'TypeCast':
      return statesOf(at(node, 'arg'), scope, own);
    case 'CoalesceExpr':
      return union(listAt(node, 'args').map((one) => statesOf(one, scope, own)));
    case 'CaseExpr': {
      const results = listAt(node, 'args').map((one) => at(one, 'CaseWhen', 'result'));
      const last = at(node, 'defresult');
      return union(
        [...results, ...(last === undefined ? [] : [last])].map((one) => statesOf(one, scope, own)),
      );
    }
    case 'ColumnRef':
      return statesOfColumn(columnPath(node), scope, own);
    default:
      return GIVEN;
  }
}

function statesOfColumn(
  [column = '', source = '']: readonly string[],
  scope: Scope,
  own: readonly string[],
): States {
  if (column === 'state' && own.length > 0 && isOwn(source || undefined, own)) return NOTHING;
  const found = scope.sources.get(source);
  if (found === undefined || typeof found === 'string') return GIVEN;
  return statesOfPart(found.query, column, scope.parts);
}

/** Which states a column of a part of the statement can give. */
function statesOfPart(query: Tree, column: string, parts: ReadonlyMap<string, Tree>): States {
  const select = at(query, 'SelectStmt') as Tree | undefined;
  if (select === undefined) return GIVEN;
  const halves = ['larg', 'rarg'].flatMap((side) => (at(select, side) as Tree | undefined) ?? []);
  if (halves.length > 0)
    return union(halves.map((half) => statesOfPart({ SelectStmt: half }, column, parts)));
  const scope = scopeOf(listAt(select, 'fromClause'), parts);
  for (const wanted of listAt(select, 'targetList')) {
    const value = at(wanted, 'ResTarget', 'val');
    const path = columnPath(at(value, 'ColumnRef'));
    if ((textAt(wanted, 'ResTarget', 'name') || path[0]) === column) return statesOf(value, scope, []);
    if (path[0] === '*' && path[1] !== undefined) return statesOfColumn([column, path[1]], scope, []);
  }
  return GIVEN;
}

/** The states that a condition leaves to the rows called so; null: it says nothing of them. */
function statesIn(condition: unknown, own: readonly string[], known: KnownStates): States | null {
  const all = listAt(condition, 'BoolExpr', 'args').map((one) => statesIn(one, own, known));
  const said = all.filter((one) => one !== null);
  switch (at(condition, 'BoolExpr', 'boolop')) {
    case 'AND_EXPR':
      return said.length === 0 ? null : said.reduce(both);
    case 'OR_EXPR':
      return said.length < all.length ? null : union(said);
    case 'NOT_EXPR':
      return null;
  }
  const test = at(condition, 'NullTest');
  if (test !== undefined) {
    const [column = '', source] = columnPath(at(test, 'arg', 'ColumnRef'));
    const isTied = at(test, 'nulltesttype') === 'IS_NULL' && column === known.nullOnlyIn?.column;
    return isTied && isOwn(source, own) ? { named: known.nullOnlyIn?.states ?? [], isGiven: false } : null;
  }
  const comparison = at(condition, 'A_Expr');
  const left = at(comparison, 'lexpr');
  // `state || ''` is what no index knows of.
  const [column, source] = columnPath(at(at(left, 'A_Expr', 'lexpr') ?? left, 'ColumnRef'));
  return column === 'state' && isOwn(source, own) ? compared(comparison, known) : null;
}

function compared(comparison: unknown, { states }: KnownStates): States {
  const right = at(comparison, 'rexpr');
  const value = statesOf(right, { sources: new Map(), parts: new Map() }, []);
  const operator = textAt(listAt(comparison, 'name')[0], 'String', 'sval');
  const named = (names: readonly string[]): States => ({
    named: operator === '=' ? names : states.filter((state) => !names.includes(state)),
    isGiven: false,
  });
  switch (at(comparison, 'kind')) {
    case 'AEXPR_OP':
      return value.isGiven ? GIVEN : named(value.named);
    case 'AEXPR_IN': {
      const items = listAt(right, 'List', 'items').map((item) => at(item, 'A_Const', 'sval', 'sval'));
      return items.every((item) => typeof item === 'string') ? named(items as string[]) : GIVEN;
    }
    default:
      return GIVEN;
  }
}

/** Of the part that locks the rows of this table for the update. */
function lockedStates(
  update: Tree,
  table: string,
  parts: ReadonlyMap<string, Tree>,
  known: KnownStates,
): States | null {
  for (const select of partsBehind(update, parts).flatMap((part) => nodesOf(part, 'SelectStmt'))) {
    if (listAt(select, 'lockingClause').length === 0) continue;
    const names = listAt(select, 'fromClause')
      .flatMap((from) => nodesOf(from, 'RangeVar'))
      .filter(({ relname }) => relname === table)
      .map((range) => textAt(range, 'alias', 'aliasname') || table);
    const states = names.length === 0 ? null : statesIn(at(select, 'whereClause'), names, known);
    if (states !== null) return states;
  }
  return null;
}

/** The parts of the statement that the update reads, and those that they read. */
function partsBehind(update: Tree, parts: ReadonlyMap<string, Tree>): Tree[] {
  const behind = new Map<string, Tree>();
  const waiting: Tree[] = [update];
  for (let tree = waiting.pop(); tree !== undefined; tree = waiting.pop()) {
    for (const { relname } of nodesOf(tree, 'RangeVar')) {
      const part = parts.get(String(relname));
      if (part === undefined || behind.has(String(relname))) continue;
      behind.set(String(relname), part);
      waiting.push(part);
    }
  }
  return [...behind.values()];
}

function scopeOf(from: readonly unknown[], parts: ReadonlyMap<string, Tree>): Scope {
  return { sources: new Map(from.flatMap((one) => sourcesOf(one, parts))), parts };
}

function sourcesOf(from: unknown, parts: ReadonlyMap<string, Tree>): [string, Source][] {
  const [kind = '', node] = Object.entries((from ?? {}) as Tree)[0] ?? [];
  const alias = textAt(node, 'alias', 'aliasname');
  switch (kind) {
    case 'RangeVar': {
      const query = parts.get(textAt(node, 'relname'));
      return [[alias || textAt(node, 'relname'), query === undefined ? 'table' : { query }]];
    }
    case 'RangeSubselect':
      return [[alias, { query: at(node, 'subquery') as Tree }]];
    case 'JoinExpr':
      return [at(node, 'larg'), at(node, 'rarg')].flatMap((side) => sourcesOf(side, parts));
    default:
      return [[alias, 'function']];
  }
}

/** The name of a column, and before it that of its table. */
function columnPath(column: unknown): string[] {
  return listAt(column, 'fields')
    .map((field) => (at(field, 'A_Star') === undefined ? textAt(field, 'String', 'sval') : '*'))
    .reverse();
}

function isOwn(source: string | undefined, own: readonly string[]): boolean {
  return source === undefined || own.includes(source);
}

function union(all: readonly States[]): States {
  return {
    named: [...new Set(all.flatMap(({ named }) => named))],
    isGiven: all.some(({ isGiven }) => isGiven),
  };
}

function both(one: States, other: States): States {
  if (one.isGiven) return other;
  if (other.isGiven) return one;
  return { named: one.named.filter((state) => other.named.includes(state)), isGiven: false };
}

function at(tree: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((node, name) => (node as Tree | null | undefined)?.[name], tree);
}

function listAt(tree: unknown, ...path: readonly string[]): readonly unknown[] {
  return (at(tree, ...path) ?? []) as readonly unknown[];
}

function textAt(tree: unknown, ...path: readonly string[]): string {
  return String(at(tree, ...path) ?? '');
}

/** All nodes of a kind, in the order of the text. */
function nodesOf(tree: unknown, kind: string): Tree[] {
  if (tree === null || typeof tree !== 'object') return [];
  return Object.entries(tree).flatMap(([name, node]) => [
    ...(name === kind ? [node as Tree] : []),
    ...nodesOf(node, kind),
  ]);
}
