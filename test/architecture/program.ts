import { parseSync } from 'oxc-parser';

/** A node of the syntax tree, as ESTree names it; `start` and `end` are offsets into the text. */
export type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;

/** A program with its syntax tree, so that a fence never takes a comment or a text for code. */
export type Program = {
  readonly text: string;
  /** Every node, those around it before it. */
  readonly nodes: readonly NodeInTree[];
  lineOf(node: Node): number;
  /** What stands in the source from the first to the last character of the node. */
  sourceOf(node: Node): string;
};

/** A node, the one around it, and the name that this has for it: `object` of a `MemberExpression`. */
export type NodeInTree = { readonly node: Node; readonly parent: Node | null; readonly role: string };

/** Throws an `Error` with the path and the first fault when the text is no TypeScript. */
export function parseProgram(path: string, text: string): Program {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const nodes: NodeInTree[] = [];
  addNodes(program, null, '', nodes);
  const lineStarts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  return {
    text,
    nodes,
    lineOf: ({ start }) => lineAt(lineStarts, start),
    sourceOf: ({ start, end }) => text.slice(start, end),
  };
}

function addNodes(value: unknown, parent: Node | null, role: string, nodes: NodeInTree[]): void {
  if (Array.isArray(value)) for (const one of value) addNodes(one, parent, role, nodes);
  else if (isNode(value)) {
    nodes.push({ node: value, parent, role });
    for (const [key, inner] of Object.entries(value)) addNodes(inner, value, key, nodes);
  }
}

/** The line, from 1, in which the offset lies. */
function lineAt(lineStarts: readonly number[], offset: number): number {
  let [first, last] = [0, lineStarts.length - 1];
  while (first < last) {
    const middle = Math.ceil((first + last) / 2);
    if ((lineStarts[middle] as number) <= offset) first = middle;
    else last = middle - 1;
  }
  return first + 1;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

const IDENTIFIERS = new Set(['Identifier', 'PrivateIdentifier']);

/**
 * The name of an identifier, of a private one without `#`; null for every other node, and for what
 * is no node.
 */
export function nameOf(value: unknown): string | null {
  return isNode(value) && IDENTIFIERS.has(value.type) ? (value.name as string) : null;
}

/** `object.name`, also with `?.`: the two names, null when one of them is computed. */
export function memberOf(node: Node): { readonly object: string; readonly name: string } | null {
  if (node.type !== 'MemberExpression' || node.computed === true) return null;
  const [object, name] = [nameOf(node.object), nameOf(node.property)];
  return object === null || name === null ? null : { object, name };
}

/** The text of a string, or of a template without `${…}`; null for everything else. */
export function constantTextOf(value: unknown): string | null {
  if (!isNode(value)) return null;
  if (value.type === 'Literal') return typeof value.value === 'string' ? value.value : null;
  const quasis = value.type === 'TemplateLiteral' ? quasisOf(value) : [];
  return quasis.length === 1 ? (quasis[0] as string) : null;
}

/** The texts of a template between its `${…}`. */
export function quasisOf(template: Node): string[] {
  return (template.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
}

/**
 * Every string and template of a program as it stands there, without its quotes; a template with
 * its `${…}`.
 */
export function textsOf({
  nodes,
  lineOf,
  text,
}: Program): { readonly text: string; readonly line: number }[] {
  return nodes.flatMap(({ node }) => {
    const isText = node.type === 'TemplateLiteral' || typeof constantTextOf(node) === 'string';
    return isText ? [{ text: text.slice(node.start + 1, node.end - 1), line: lineOf(node) }] : [];
  });
}
