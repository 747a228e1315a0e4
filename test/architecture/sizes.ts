import { type Complaint, isTest, programsOf, type SourceFile, type SourceTree } from './source-tree.ts';
import { closingIndex, isToken, type Token } from './tokens.ts';

const MOST_LINES_OF_A_FILE = 400;
const MOST_LINES_OF_A_FUNCTION = 60;

/** Functions that are longer on purpose, and why: `path#name`. */
const LONG_FUNCTIONS: Readonly<Record<string, string>> = {};

export type FunctionSpan = { readonly name: string; readonly line: number; readonly ownLines: number };

/** Files over 400 lines and functions over 60: the rule that one looks for hides in the biggest. */
export function sizeComplaints(tree: SourceTree): Complaint[] {
  const files = programsOf(
    tree,
    (path) => /^(src|simulators|conformance|tools|bench|chaos|test)\//.test(path) && !isTest(path),
  );
  return files.flatMap((file) => [...fileComplaint(file), ...functionComplaints(file)]);
}

function fileComplaint({ path, text }: SourceFile): Complaint[] {
  const lines = text.split('\n').length - 1;
  return lines > MOST_LINES_OF_A_FILE ? [`${path}:1: ${lines} lines; at most ${MOST_LINES_OF_A_FILE}`] : [];
}

function functionComplaints({ path, tokens }: SourceFile): Complaint[] {
  return functionsOf(tokens)
    .filter(
      ({ name, ownLines }) => ownLines > MOST_LINES_OF_A_FUNCTION && !(`${path}#${name}` in LONG_FUNCTIONS),
    )
    .map(
      ({ name, line, ownLines }) =>
        `${path}:${line}: the function ${name} has ${ownLines} lines; at most ${MOST_LINES_OF_A_FUNCTION}`,
    );
}

/** Exceptions that no function needs any more. */
export function idleSizeExceptions(tree: SourceTree): Complaint[] {
  return Object.keys(LONG_FUNCTIONS).filter((exception) => {
    const [path = '', name = ''] = exception.split('#');
    const [file] = programsOf(tree, (candidate) => candidate === path);
    const spans = file === undefined ? [] : functionsOf(file.tokens);
    return !spans.some((span) => span.name === name && span.ownLines > MOST_LINES_OF_A_FUNCTION);
  });
}

type Body = { readonly name: string; readonly start: number; readonly open: number; readonly close: number };

/**
 * Every function with a body of its own. The lines of a named function inside another (a closure of a factory) are its
 * own and not the outer one's; callbacks without a name belong to the text that they stand in.
 */
export function functionsOf(tokens: readonly Token[]): FunctionSpan[] {
  const bodies = bodiesOf(tokens);
  const lineOf = (index: number) => tokens[Math.min(index, tokens.length - 1)]?.line ?? 0;
  return bodies.map((body) => {
    const lines = lineOf(body.close) - lineOf(body.start) + 1;
    const inner = bodies.filter(
      (other) => other.start > body.start && other.close < body.close && other.name !== ANONYMOUS,
    );
    const outermost = inner.filter(
      (other) => !inner.some((wider) => wider.start < other.start && wider.close > other.close),
    );
    const theirs = outermost.reduce((sum, other) => sum + lineOf(other.close) - lineOf(other.start) + 1, 0);
    return { name: body.name, line: lineOf(body.start), ownLines: lines - theirs };
  });
}

const ANONYMOUS = '(without a name)';
/** A parenthesis and a block after these is no function. */
const STATEMENT_WORDS = new Set('if for while switch catch with await function'.split(' '));

function bodiesOf(tokens: readonly Token[]): Body[] {
  const bodies: Body[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token;
    const body =
      token.kind === 'mark' && token.text === '=>'
        ? arrowAt(tokens, index)
        : token.kind === 'word'
          ? namedAt(tokens, index)
          : null;
    if (body !== null) bodies.push(body);
  }
  return bodies;
}

function arrowAt(tokens: readonly Token[], arrow: number): Body | null {
  if (!isToken(tokens[arrow + 1], '{')) return null;
  return { name: ANONYMOUS, start: arrow, open: arrow + 1, close: closingIndex(tokens, arrow + 1) };
}

/** `function name(…) {` and the method `name(…) {`. */
function namedAt(tokens: readonly Token[], index: number): Body | null {
  const token = tokens[index] as Token;
  const isDeclared = isToken(tokens[index - 1], 'function') || isToken(tokens[index - 2], 'function');
  const isUnnamed = token.text === 'function' && isToken(tokens[index + 1], '(');
  if (!isUnnamed && (STATEMENT_WORDS.has(token.text) || isToken(tokens[index - 1], '.'))) return null;
  const parameters = afterTypeParameters(tokens, index + 1);
  if (!isToken(tokens[parameters], '(')) return null;
  const open = bodyAfter(tokens, closingIndex(tokens, parameters) + 1, isDeclared);
  if (open === null) return null;
  const name = isUnnamed ? ANONYMOUS : token.text;
  return { name, start: index, open, close: closingIndex(tokens, open) };
}

function afterTypeParameters(tokens: readonly Token[], start: number): number {
  if (!isToken(tokens[start], '<')) return start;
  let depth = 0;
  for (let index = start; index < tokens.length; index += 1) {
    if (isToken(tokens[index], '<')) depth += 1;
    if (isToken(tokens[index], '>')) depth -= 1;
    if (depth === 0) return index + 1;
    if (isToken(tokens[index], ';')) break;
  }
  return tokens.length;
}

/** The brace that opens the body, after the parameters and the type of the result; null when there is none. */
function bodyAfter(tokens: readonly Token[], start: number, isDeclared: boolean): number | null {
  if (isToken(tokens[start], '{')) return start;
  if (!isToken(tokens[start], ':')) return null;
  let typeDepth = 0;
  for (let index = start + 1; index < tokens.length; index += 1) {
    const token = tokens[index] as Token;
    if (isToken(token, '<')) typeDepth += 1;
    if (isToken(token, '>')) typeDepth -= 1;
    if (isToken(token, ',') && typeDepth === 0 && !isDeclared) return null;
    if (token.kind === 'mark' && ';=)]}'.includes(token.text)) return null;
    if (isToken(token, '{') && typeDepth === 0 && !TYPE_CONTINUES.has(tokens[index - 1]?.text ?? ''))
      return index;
    if (isToken(token, '{') || isToken(token, '(') || isToken(token, '['))
      index = closingIndex(tokens, index);
  }
  return null;
}

/** A brace after these opens the type of an object, not a body. */
const TYPE_CONTINUES = new Set([':', '|', '&', '<', ',', '=>', 'is', 'readonly', 'extends', 'keyof', '?']);
