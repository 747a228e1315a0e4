import { parseSync } from 'oxc-parser';
import { type Complaint, isTest, programsOf, type SourceTree } from './source-tree.ts';

const COUNTED = /^(src|simulators|conformance|tools|bench|chaos|test)\//;
const MOST_LINES_OF_A_FILE = 400;
const MOST_LINES_OF_A_FUNCTION = 80;

/** Functions that are longer on purpose, and why: `path#name`. The list only shrinks. */
const LONG_FUNCTIONS: Readonly<Record<string, string>> = {
  'test/webhooks/snippets.test.ts#proveSnippet': 'nothing but tests, registered once for each language',
};

export type FunctionSpan = { readonly name: string; readonly line: number; readonly lines: number };

/** Files over 400 lines and functions over 80: the rule that one looks for hides in the biggest. */
export function sizeComplaints(tree: SourceTree): Complaint[] {
  const programs = programsOf(tree, (path) => COUNTED.test(path));
  const files = programs.filter(({ path }) => !isTest(path)).flatMap(fileComplaint);
  const functions = longFunctions(tree).filter(({ key }) => !(key in LONG_FUNCTIONS));
  return [
    ...files,
    ...functions.map(
      ({ path, line, name, lines }) =>
        `${path}:${line}: the function ${name} has ${lines} lines; at most ${MOST_LINES_OF_A_FUNCTION}`,
    ),
  ];
}

/** Exceptions that no function needs any more. */
export function idleSizeExceptions(tree: SourceTree): Complaint[] {
  const keys = longFunctions(tree).map(({ key }) => key);
  return Object.keys(LONG_FUNCTIONS).filter((exception) => !keys.includes(exception));
}

function fileComplaint({ path, text }: { readonly path: string; readonly text: string }): Complaint[] {
  const lines = text.split('\n').length - 1;
  return lines > MOST_LINES_OF_A_FILE ? [`${path}:1: ${lines} lines; at most ${MOST_LINES_OF_A_FILE}`] : [];
}

type LongFunction = FunctionSpan & { readonly path: string; readonly key: string };

function longFunctions(tree: SourceTree): LongFunction[] {
  const long: LongFunction[] = [];
  for (const { path, text } of programsOf(tree, (path) => COUNTED.test(path))) {
    // Most files are shorter than a function may be.
    if (text.split('\n').length <= MOST_LINES_OF_A_FUNCTION) continue;
    for (const span of functionsOf(path, text)) {
      if (span.lines > MOST_LINES_OF_A_FUNCTION) long.push({ ...span, path, key: `${path}#${span.name}` });
    }
  }
  return long;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
/** Their callbacks are sentences with a proof, not functions that somebody calls. */
const TEST_WORDS = new Set(['test', 'describe', 'before', 'after', 'beforeEach', 'afterEach']);
const ANONYMOUS = '(without a name)';

type Node = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>;

/** Every function with a body, counted whole with those inside it, but for the callbacks of tests in a file of tests. */
export function functionsOf(path: string, text: string): FunctionSpan[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const lineStarts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  const lineOf = (offset: number) => lineStarts.findLastIndex((start) => start <= offset) + 1;
  const spans: FunctionSpan[] = [];
  const exempt = new Set<unknown>();

  function visit(node: unknown, name: string): void {
    if (Array.isArray(node)) {
      for (const one of node) visit(one, name);
      return;
    }
    if (!isNode(node)) return;
    if (isTest(path) && isTestCall(node)) for (const one of node.arguments as unknown[]) exempt.add(one);
    if (FUNCTIONS.has(node.type) && isNode(node.body) && !exempt.has(node)) {
      const line = lineOf(node.start);
      spans.push({ name: nameOf(node.id) ?? name, line, lines: lineOf(node.end - 1) - line + 1 });
    }
    const own = nameOf(node.key) ?? nameOf(node.type === 'VariableDeclarator' ? node.id : null);
    for (const value of Object.values(node)) visit(value, own ?? ANONYMOUS);
  }

  visit(program, ANONYMOUS);
  return spans;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function nameOf(node: unknown): string | null {
  return isNode(node) && typeof node.name === 'string' ? node.name : null;
}

/** `test('…', …)`, and `t.test('…', …)` of a subtest. */
function isTestCall({ type, callee }: Node): boolean {
  if (type !== 'CallExpression' || !isNode(callee)) return false;
  const name = callee.type === 'MemberExpression' ? nameOf(callee.property) : nameOf(callee);
  return name !== null && TEST_WORDS.has(name);
}
