import type { StateColumn } from '../../tools/state-tables.ts';
import type { Complaint } from './source-tree.ts';
import type { States, StateWrite } from './state-writes.ts';

/**
 * Which events of which table an update causes, as cells `state.event`, and what its text alone
 * does not show.
 */
export type DeclaredUpdate = {
  readonly table: string;
  /** The cells alone; where the state after comes from a value, each with that state. */
  readonly cells: readonly string[] | Readonly<Record<string, string>>;
  /** What gives the state before, or after, where the text takes it from a value. */
  readonly fromBy?: string;
  readonly toBy?: string;
};

export type Declarations = {
  /** The updates of each statement, in the order of its text. */
  readonly updates: Readonly<Record<string, readonly DeclaredUpdate[]>>;
  /** Cells that leave the state as it is, so that no statement makes them: the rule that says so. */
  readonly ruled: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Inserts of another state than the first one of their table, or of one that is a value. */
  readonly inserts: Readonly<Record<string, readonly string[]>>;
};

type Cell = { readonly name: string; readonly from: string; readonly to: string };

/** Where an installment goes whose block is lifted. */
const BEFORE_BLOCK: Readonly<Record<string, readonly string[]>> = { asBefore: ['authorized', 'paid'] };

/** What the statements do to states, against what the tables let happen. */
export function stateComplaints(
  writes: readonly StateWrite[],
  columns: readonly StateColumn[],
  declared: Declarations,
): Complaint[] {
  const columnOf = new Map(columns.map((column) => [column.table, column]));
  const unknown = writes
    .filter(({ table }) => !columnOf.has(table))
    .map(({ statement, table }) => `${statement}: ${table} has no table of states`);
  const known = writes.filter(({ table }) => columnOf.has(table));
  return [
    ...unknown,
    ...known
      .filter(({ kind }) => kind === 'insert')
      .flatMap((write) => insertComplaints(write, columnOf, declared)),
    ...updateComplaints(
      known.filter(({ kind }) => kind === 'update'),
      columnOf,
      declared,
    ),
    ...columns.flatMap((column) => coverageComplaints(column, declared)),
  ];
}

function insertComplaints(
  { statement, table, to }: StateWrite,
  columnOf: ReadonlyMap<string, StateColumn>,
  { inserts }: Declarations,
): Complaint[] {
  const mayBe = inserts[statement] ?? (to.isGiven ? [] : (columnOf.get(table)?.first ?? []));
  if (to.isGiven && mayBe.length === 0)
    return [`${statement}: inserts into ${table} a state that is a value, and is not declared`];
  return to.named
    .filter((state) => !mayBe.includes(state))
    .map((state) => `${statement}: inserts ${state} into ${table}, which is no first state`);
}

function updateComplaints(
  writes: readonly StateWrite[],
  columnOf: ReadonlyMap<string, StateColumn>,
  { updates }: Declarations,
): Complaint[] {
  const names = [...new Set([...writes.map(({ statement }) => statement), ...Object.keys(updates)])];
  return names.flatMap((name) => {
    const made = writes.filter(({ statement }) => statement === name);
    const declared = updates[name] ?? [];
    const tables = (all: readonly { table: string }[]) => all.map(({ table }) => table).join(', ');
    if (tables(made) !== tables(declared))
      return [`${name}: writes states of (${tables(made)}), and (${tables(declared)}) is declared`];
    return made.flatMap((write, index) =>
      updateComplaint(write, declared[index] as DeclaredUpdate, columnOf.get(write.table) as StateColumn).map(
        (complaint) => `${name}: ${complaint}`,
      ),
    );
  });
}

function updateComplaint(
  { from, to, table }: StateWrite,
  declared: DeclaredUpdate,
  column: StateColumn,
): Complaint[] {
  const all = cellsOf(column);
  const names = cellNames(declared);
  const unknown = names.filter((name) => all.every((cell) => cell.name !== name));
  if (unknown.length > 0) return unknown.map((name) => `${table} has no cell ${name}`);
  if (from === null) return [`does not name the states of ${table} that it comes from`];
  const cells = all.filter(({ name }) => names.includes(name));
  const froms = cells.map((cell) => cell.from);
  const tos = cells.map((cell) => cell.to);
  return [
    ...valueComplaints(`comes from`, table, from, declared.fromBy),
    ...valueComplaints(`leads to`, table, to, declared.toBy),
    ...(from.isGiven ? [] : differences('comes from', table, from.named, froms)),
    ...(to.isGiven ? givenComplaints(declared, column) : differences('leads to', table, to.named, tos)),
    ...pairComplaints(from, to, table, cells),
  ];
}

function cellNames({ cells }: DeclaredUpdate): readonly string[] {
  return Array.isArray(cells) ? cells : Object.keys(cells);
}

function valueComplaints(what: string, table: string, states: States, by: string | undefined): Complaint[] {
  if (states.isGiven === (by !== undefined)) return [];
  return [`${what} a state of ${table} that is ${states.isGiven ? 'a' : 'no'} value, other than declared`];
}

/** What gives the state after, and the table, must say the same. */
function givenComplaints({ table, cells, toBy }: DeclaredUpdate, { moves }: StateColumn): Complaint[] {
  if (toBy === undefined) return [];
  if (Array.isArray(cells)) return [`leads to a state of ${table} that is not declared`];
  return Object.entries(cells).flatMap(([name, given]) => {
    const [state = '', event = ''] = name.split('.');
    const next = moves[state]?.[event];
    return next === given ? [] : [`leads to ${given} of ${table} by ${name}, which is ${next} in its table`];
  });
}

function differences(
  what: string,
  table: string,
  states: readonly string[],
  wanted: readonly string[],
): Complaint[] {
  const more = states.filter((state) => !wanted.includes(state));
  const fewer = [...new Set(wanted)].filter((state) => !states.includes(state));
  return [
    ...more.map((state) => `${what} ${state}, which no declared event of ${table} does`),
    ...fewer.map((state) => `never ${what} ${state}, as declared of ${table}`),
  ];
}

/**
 * Of a text that shows both sides each pair must be a move: from any state that it names to any
 * that it writes.
 */
function pairComplaints(from: States, to: States, table: string, cells: readonly Cell[]): Complaint[] {
  if (from.isGiven || to.isGiven) return [];
  const pairs = from.named.flatMap((one) => to.named.map((other) => ({ one, other })));
  return pairs
    .filter(({ one, other }) => !cells.some((cell) => cell.from === one && cell.to === other))
    .map(({ one, other }) => `makes ${other} of ${one}, which no declared event of ${table} does`);
}

/** Each cell is made by a statement, or leaves the state as a rule says; and no rule is named for another. */
function coverageComplaints(column: StateColumn, { updates, ruled }: Declarations): Complaint[] {
  const { table } = column;
  const made = new Set(
    Object.values(updates)
      .flat()
      .filter((update) => update.table === table)
      .flatMap(cellNames),
  );
  const rules = ruled[table] ?? {};
  const cells = cellsOf(column);
  const unreached = cells
    .filter(({ name }) => !made.has(name) && rules[name] === undefined)
    .map(({ name }) => `${table}: nothing reaches ${name}`);
  const wrong = Object.keys(rules)
    .filter((name) => !cells.some((cell) => cell.name === name && cell.from === cell.to))
    .map((name) => `${table}: ${name} does not leave the state as it is, and no statement makes it`);
  const states = Object.keys(column.moves);
  const strange = [...cells.map(({ to }) => to), ...column.first]
    .filter((state) => !states.includes(state))
    .map((state) => `${table}: ${state} is no state of it`);
  return [...unreached, ...wrong, ...strange];
}

function cellsOf({ moves }: StateColumn): Cell[] {
  return Object.entries(moves).flatMap(([from, after]) =>
    Object.entries(after).flatMap(([event, next]) =>
      next === null
        ? []
        : (BEFORE_BLOCK[next] ?? [next]).map((to) => ({ name: `${from}.${event}`, from, to })),
    ),
  );
}
