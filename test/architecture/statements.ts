import { importsOf } from './imports.ts';
import {
  type Complaint,
  isTest,
  programsOf,
  resolvedPath,
  type SourceFile,
  type SourceTree,
} from './source-tree.ts';
import { interpolationsOf, isToken, type Token } from './tokens.ts';

/** A statement as the program gives it to PostgreSQL. */
export type SqlText = {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly text: string;
  /** What stands in `${…}` and is no constant text of the same file: nobody can say what the statement is. */
  readonly unknownParts: readonly string[];
};

/** All texts given to `statement(name, text)`, with the constants of their files, and of `*.sql.ts` that these import, put in. */
export function statementsOf(tree: SourceTree): SqlText[] {
  return programsOf(tree, (path) => path.startsWith('src/') && !isTest(path)).flatMap((file) => {
    const constants = new Map([...importedConstantsOf(file, tree), ...constantsOf(file.tokens)]);
    return file.tokens.flatMap((token, index) => {
      const isCall = isToken(token, 'statement') && isToken(file.tokens[index + 1], '(');
      if (!isCall || ['function', '.'].includes(file.tokens[index - 1]?.text ?? '')) return [];
      const [name, , text] = file.tokens.slice(index + 2, index + 5);
      const whole = text === undefined ? UNKNOWN : resolved(text, constants, []);
      const isNamed = name?.kind === 'string';
      const unknownParts = isNamed ? whole.unknownParts : [...whole.unknownParts, 'its name'];
      return [{ path: file.path, line: token.line, name: name?.text ?? '', text: whole.text, unknownParts }];
    });
  });
}

const UNKNOWN = { text: '', unknownParts: ['its text'] };

/** `const NAME = '…'` or a template; `NAME.sql` of `const NAME = inputRows…`, which is a constant text made at load. */
function constantsOf(tokens: readonly Token[]): Map<string, Token> {
  const constants = new Map<string, Token>();
  for (const [index, token] of tokens.entries()) {
    const [name, equals, value] = tokens.slice(index + 1, index + 4);
    if (!isToken(token, 'const') || name?.kind !== 'word' || !isToken(equals, '=')) continue;
    if (value?.kind === 'string' || value?.kind === 'template') constants.set(name.text, value);
    if (isToken(value, 'inputRows')) constants.set(`${name.text}.sql`, inputRowsText(tokens.slice(index)));
  }
  return constants;
}

/** What a fence must see of such rows: that they are parameters, and their name. */
function inputRowsText(tokens: readonly Token[]): Token {
  const end = tokens.findIndex((token) => isToken(token, ';'));
  const as = tokens.slice(0, end).findIndex((token) => isToken(token, 'as'));
  const alias = as < 0 ? 'i' : (tokens[as + 2]?.text ?? '');
  return { kind: 'string', text: `unnest($1) as ${alias}`, line: tokens[0]?.line ?? 0 };
}

/**
 * Constant texts that other files of SQL give, each whole: what is private to those files, or of others again, is put in already.
 */
function importedConstantsOf(
  { path, tokens }: SourceFile,
  tree: SourceTree,
  importers: readonly string[] = [],
): Map<string, Token> {
  const imported = importsOf(tokens).flatMap(({ specifier, names, line }) => {
    const from = resolvedPath(path, specifier);
    if (from === null || !from.endsWith('.sql.ts') || importers.includes(from)) return [];
    const [source] = programsOf(tree, (candidate) => candidate === from);
    if (source === undefined) return [];
    const theirs = new Map([
      ...importedConstantsOf(source, tree, [...importers, path]),
      ...constantsOf(source.tokens),
    ]);
    return names
      .flatMap((name) => [name, `${name}.sql`])
      .flatMap((name): [string, Token][] => {
        const constant = theirs.get(name);
        const whole = constant === undefined ? UNKNOWN : resolved(constant, theirs, [name]);
        return whole.unknownParts.length > 0 ? [] : [[name, { kind: 'string', text: whole.text, line }]];
      });
  });
  return new Map(imported);
}

/** The only calls that stand in a text: the states before events of a table, made at load. */
const NAMES_STATES = /^from(Other)?States\([A-Z_]+(, '[a-zA-Z]+')+\)$/;

function resolved(
  token: Token,
  constants: ReadonlyMap<string, Token>,
  within: readonly string[],
): { text: string; unknownParts: string[] } {
  if (token.kind === 'string') return { text: token.text, unknownParts: [] };
  if (token.kind !== 'template') return { ...UNKNOWN };
  let text = token.text;
  const unknownParts: string[] = [];
  for (const { code } of interpolationsOf(`\`${token.text}\``)) {
    if (NAMES_STATES.test(code)) {
      text = text.replace(`\${${code}}`, () => "''");
      continue;
    }
    const constant = within.includes(code) ? undefined : constants.get(code);
    const part = constant === undefined ? null : resolved(constant, constants, [...within, code]);
    if (part === null) unknownParts.push(code);
    else unknownParts.push(...part.unknownParts);
    text = text.replace(`\${${code}}`, () => part?.text ?? ' ');
  }
  return { text, unknownParts };
}

/** Statements into which a value could be written as text. Values are bound; only constants stand in a text. */
export function injectionComplaints(tree: SourceTree): Complaint[] {
  const declared = statementsOf(tree).flatMap(({ path, line, name, unknownParts }) =>
    unknownParts.map(
      (part) => `${path}:${line}: ${part} stands in the statement ${name} and is no constant text`,
    ),
  );
  const files = programsOf(tree, (path) => path.startsWith('src/') && !isTest(path));
  return [...declared, ...files.flatMap(queryComplaints)];
}

/** `query` with a text of its own: in the platform, where statements are not declared. */
function queryComplaints({ path, tokens }: SourceFile): Complaint[] {
  const constants = constantsOf(tokens);
  return tokens.flatMap((token, index) => {
    const isQuery = isToken(token, 'query') && isToken(tokens[index - 1], '.');
    if (!isQuery) return [];
    const text = tokens.slice(index + 1, index + 12).find(({ kind }) => kind === 'template');
    const open = tokens.slice(index + 1).findIndex((candidate) => isToken(candidate, '('));
    if (text === undefined || tokens[index + 2 + open] !== text) return [];
    const { unknownParts } = resolved(text, constants, []);
    return unknownParts.map(
      (part) => `${path}:${token.line}: ${part} stands in a query and is no constant text`,
    );
  });
}

const LOOKS_LIKE_SQL = [
  /^\s*select\s[\s\S]*\sfrom\s/i,
  /^\s*select\s+[\w$(*]+[\s\S]*\bwhere\b/i,
  /^\s*insert\s+into\s+\w/i,
  /^\s*update\s+\w+\s+(as\s+)?(\w+\s+)?set\s/i,
  /^\s*delete\s+from\s+\w/i,
  /^\s*with\s+(recursive\s+)?\w+(\s*\([^)]*\))?\s+as\s+(not\s+)?(materialized\s+)?\(/i,
  /^\s*(create|alter|drop)\s+(unique\s+)?(table|index|sequence|database|role|function|view|type|schema)\s/i,
  /^\s*(truncate|lock)\s+table\s/i,
  /^\s*(listen|notify)\s+\w+\s*;?\s*$/i,
];

function maySpeakSql(path: string): boolean {
  return (
    path.endsWith('.sql.ts') || /^src\/(platform\/postgres|homologation\/embedded-postgres)\//.test(path)
  );
}

/** SQL outside of `*.sql.ts` and of the platform's own folder. */
export function sqlPlaceComplaints(tree: SourceTree): Complaint[] {
  const files = programsOf(
    tree,
    (path) => /^(src|simulators)\//.test(path) && !isTest(path) && !maySpeakSql(path),
  );
  return files.flatMap(({ path, tokens }) => {
    const texts = tokens.filter(
      ({ kind, text }) =>
        (kind === 'string' || kind === 'template') && LOOKS_LIKE_SQL.some((pattern) => pattern.test(text)),
    );
    const imports = importsOf(tokens).filter(
      ({ specifier, names, isTypeOnly }) =>
        (specifier === 'pg' && !isTypeOnly) ||
        (resolvedPath(path, specifier) === 'src/platform/postgres/database.ts' &&
          names.includes('statement')),
    );
    return [
      ...texts.map(({ line }) => `${path}:${line}: SQL stands in *.sql.ts only`),
      ...imports.map(({ line, specifier }) => `${path}:${line}: brings in ${specifier} to speak SQL`),
    ];
  });
}
