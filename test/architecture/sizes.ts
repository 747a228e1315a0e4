import { isNode, type Node, nameOf, type Program, parseProgram } from './program.ts';
import { type Complaint, isTest, programsOf, type SourceTree } from './source-tree.ts';

const COUNTED = /^(src|homologation|packages|simulators|conformance|tools|bench|chaos|test)\//;
const MOST_LINES_OF_A_FILE = 400;
/** Nobody edits it. */
const PRINTED = '// Printed from the code';
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
  return lines > MOST_LINES_OF_A_FILE && !text.startsWith(PRINTED)
    ? [`${path}:1: ${lines} lines; at most ${MOST_LINES_OF_A_FILE}`]
    : [];
}

type LongFunction = FunctionSpan & { readonly path: string; readonly key: string };

function longFunctions(tree: SourceTree): LongFunction[] {
  const long: LongFunction[] = [];
  for (const file of programsOf(tree, (path) => COUNTED.test(path))) {
    const { path, text } = file;
    // Most files are shorter than a function may be.
    if (text.split('\n').length <= MOST_LINES_OF_A_FUNCTION) continue;
    for (const span of functionsIn(path, file.program)) {
      if (span.lines > MOST_LINES_OF_A_FUNCTION) long.push({ ...span, path, key: `${path}#${span.name}` });
    }
  }
  return long;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
/** Their callbacks are sentences with a proof, not functions that somebody calls. */
const TEST_WORDS = new Set(['test', 'describe', 'before', 'after', 'beforeEach', 'afterEach']);
const ANONYMOUS = '(without a name)';

/**
 * Every function with a body, counted whole with those inside it, but for the callbacks of tests in
 * a file of tests.
 */
export function functionsOf(path: string, text: string): FunctionSpan[] {
  return functionsIn(path, parseProgram(path, text));
}

function functionsIn(path: string, { nodes, text, lineOf }: Program): FunctionSpan[] {
  const exempt = new Set<unknown>(
    isTest(path) ? nodes.flatMap(({ node }) => (isTestCall(node) ? (node.arguments as unknown[]) : [])) : [],
  );
  return nodes.flatMap(({ node, parent }) => {
    if (!FUNCTIONS.has(node.type) || !isNode(node.body) || exempt.has(node)) return [];
    const name = nameOf(node.id) ?? (parent === null ? null : ownName(parent)) ?? ANONYMOUS;
    const lines = text.slice(node.start, node.end).split('\n').length;
    return [{ name, line: lineOf(node), lines }];
  });
}

function ownName(node: Node): string | null {
  return nameOf(node.key) ?? nameOf(node.type === 'VariableDeclarator' ? node.id : null);
}

/** `test('…', …)`, and `t.test('…', …)` of a subtest. */
function isTestCall({ type, callee }: Node): boolean {
  if (type !== 'CallExpression' || !isNode(callee)) return false;
  const name = callee.type === 'MemberExpression' ? nameOf(callee.property) : nameOf(callee);
  return name !== null && TEST_WORDS.has(name);
}
