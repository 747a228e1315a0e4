import { loadModule, parseSync } from 'libpg-query';
import { tablesOf } from './schema.ts';
import type { Complaint, SourceTree } from './source-tree.ts';
import { statementsOf } from './statements.ts';

/** Statements that only the owner of the tables runs: on the command line, or while it migrates. */
const OF_THE_OWNER: Readonly<Record<string, string>> = {
  'audit.insert_archive': 'parcela audit archive',
  'audit.delete_archived': 'parcela audit archive',
};

const ALL = ['select', 'insert', 'update', 'delete'] as const;
type Right = (typeof ALL)[number];
type Tree = Readonly<Record<string, unknown>>;

await loadModule();

/**
 * Compares the rights of the run-time role with what statements need: one too many lets an intruder in the
 * service rewrite what the service itself never touches again, and one too few stops it.
 */
export function rightsComplaints(tree: SourceTree, given: Readonly<Record<string, string>>): Complaint[] {
  const needed = rightsNeeded(tree);
  const named = [...needed].flatMap(([table, rights]) => {
    const wanted = ALL.filter((right) => rights.has(right)).join(', ');
    const has = given[table] ?? ALL.join(', ');
    return has === wanted ? [] : [`${table}: statements need '${wanted}', and the role has '${has}'`];
  });
  const idle = Object.keys(given).filter((table) => !needed.has(table));
  return [...named, ...idle.map((table) => `${table}: no table of this name is there`)];
}

function rightsNeeded(tree: SourceTree): Map<string, Set<Right>> {
  const needed = new Map([...tablesOf(tree).keys()].map((table) => [table, new Set<Right>(['select'])]));
  for (const { name, text } of statementsOf(tree)) {
    if (name in OF_THE_OWNER) continue;
    for (const [table, right] of usesOf(parseSync(text))) needed.get(table)?.add(right);
  }
  return needed;
}

/** Tables and what is done to them. A lock on rows, or on a table, needs the right to update. */
function usesOf(tree: unknown): [string, Right][] {
  if (Array.isArray(tree)) return tree.flatMap(usesOf);
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([kind, value]) => [...ownUses(kind, value as Tree), ...usesOf(value)]);
}

function ownUses(kind: string, node: Tree): [string, Right][] {
  const table = () => nameOf(node.relation);
  if (kind === 'UpdateStmt') return [[table(), 'update']];
  if (kind === 'DeleteStmt') return [[table(), 'delete']];
  if (kind === 'MergeStmt') return ALL.map((right) => [table(), right]);
  if (kind === 'LockStmt') return namesIn(node.relations).map(({ name }) => [name, 'update']);
  if (kind === 'InsertStmt') {
    const { action } = (node.onConflictClause ?? {}) as { action?: string };
    return [
      [table(), 'insert'],
      ...(action === 'ONCONFLICT_UPDATE' ? ([[table(), 'update']] as const) : []),
    ] as [string, Right][];
  }
  if (kind !== 'SelectStmt' || node.lockingClause === undefined) return [];
  return (node.lockingClause as { LockingClause: Tree }[]).flatMap(({ LockingClause }) => {
    const only = namesIn(LockingClause.lockedRels).map(({ name }) => name);
    const locked = namesIn(node.fromClause).filter(({ alias }) => only.length === 0 || only.includes(alias));
    return locked.map(({ name }): [string, Right] => [name, 'update']);
  });
}

function nameOf(relation: unknown): string {
  return String((relation as Tree | undefined)?.relname);
}

/** The tables of a clause, and not those of the queries inside it: their own locks are their own. */
function namesIn(clause: unknown): { readonly name: string; readonly alias: string }[] {
  if (Array.isArray(clause)) return clause.flatMap(namesIn);
  if (typeof clause !== 'object' || clause === null) return [];
  return Object.entries(clause).flatMap(([kind, value]) => {
    if (kind === 'RangeSubselect') return [];
    if (kind !== 'RangeVar') return namesIn(value);
    const { relname, alias } = value as { relname: string; alias?: { aliasname?: string } };
    return [{ name: relname, alias: alias?.aliasname ?? relname }];
  });
}
