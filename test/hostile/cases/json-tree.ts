/**
 * JSON as somebody hostile writes it: members in their order, a name as often as one likes, and values that
 * stand there letter by letter, which JSON.stringify would never print.
 */
export type JsonTree = null | boolean | number | string | Written | JsonTree[] | Members;
export type Member = readonly [name: string, value: JsonTree];
type Step = string | number;

/**
 * A piece of text that is put into the body as it is: `1e400`, `"\\ud800"`, or nothing that any
 * reader knows.
 */
export class Written {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An object. The names need not differ. */
export class Members {
  readonly list: readonly Member[];
  constructor(list: readonly Member[]) {
    this.list = list;
  }
}

export function treeOf(value: unknown): JsonTree {
  if (value instanceof Written || value instanceof Members) return value;
  if (Array.isArray(value)) return value.map(treeOf);
  if (typeof value === 'object' && value !== null) {
    return new Members(Object.entries(value).map(([name, inner]) => [name, treeOf(inner)]));
  }
  return value as JsonTree;
}

export function textOf(tree: JsonTree): string {
  if (tree instanceof Written) return tree.text;
  if (Array.isArray(tree)) return `[${tree.map(textOf).join(',')}]`;
  if (!(tree instanceof Members)) return JSON.stringify(tree);
  return `{${tree.list.map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`).join(',')}}`;
}

/** What stands at these steps (names, indexes); undefined when nothing does. */
export function valueAt(tree: JsonTree, steps: readonly Step[]): JsonTree | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return tree;
  const inner =
    tree instanceof Members
      ? tree.list.find(([name]) => name === step)?.[1]
      : Array.isArray(tree)
        ? tree[step as number]
        : undefined;
  return inner === undefined ? undefined : valueAt(inner, rest);
}

/** The same tree with what stands at these steps changed. Steps that lead nowhere change nothing. */
function changedAt(tree: JsonTree, steps: readonly Step[], change: (found: JsonTree) => JsonTree): JsonTree {
  const [step, ...rest] = steps;
  if (step === undefined) return change(tree);
  if (Array.isArray(tree)) {
    return tree.map((item, index) => (index === step ? changedAt(item, rest, change) : item));
  }
  if (!(tree instanceof Members)) return tree;
  return new Members(
    tree.list.map(([name, value]) =>
      name === step ? [name, changedAt(value, rest, change)] : [name, value],
    ),
  );
}

/** The same tree with the members of the object at these steps changed. */
export function withMembers(
  tree: JsonTree,
  steps: readonly Step[],
  change: (list: readonly Member[]) => readonly Member[],
): JsonTree {
  return changedAt(tree, steps, (found) =>
    found instanceof Members ? new Members(change(found.list)) : found,
  );
}

/** The same tree with a member set: in its place when there is one of this name, else behind the others. */
export function withValue(tree: JsonTree, steps: readonly Step[], value: JsonTree): JsonTree {
  if (valueAt(tree, steps) !== undefined) return changedAt(tree, steps, () => value);
  const name = String(steps.at(-1));
  return withMembers(tree, steps.slice(0, -1), (list) => [...list, [name, value]]);
}

export function without(tree: JsonTree, steps: readonly Step[]): JsonTree {
  return withMembers(tree, steps.slice(0, -1), (list) => list.filter(([name]) => name !== steps.at(-1)));
}

/** Every object of a tree, as the steps to it. */
export function objectsOf(tree: JsonTree, steps: readonly Step[] = []): (readonly Step[])[] {
  if (Array.isArray(tree)) return tree.flatMap((item, index) => objectsOf(item, [...steps, index]));
  if (!(tree instanceof Members)) return [];
  return [steps, ...tree.list.flatMap(([name, value]) => objectsOf(value, [...steps, name]))];
}

/** Every text of a tree that somebody could recognise in an answer. */
export function textsOf(tree: JsonTree): string[] {
  if (typeof tree === 'string') return [tree];
  if (tree instanceof Written) return [tree.text];
  if (Array.isArray(tree)) return tree.flatMap(textsOf);
  return tree instanceof Members ? tree.list.flatMap(([, value]) => textsOf(value)) : [];
}

export const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Every name of a tree with a capital first letter. */
export function capitalized(tree: JsonTree): JsonTree {
  if (Array.isArray(tree)) return tree.map(capitalized);
  if (!(tree instanceof Members)) return tree;
  return new Members(tree.list.map(([name, value]) => [capital(name), capitalized(value)]));
}
