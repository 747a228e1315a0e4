import { pageTexts } from '../../src/platform/postgres/page-of.ts';
import { importsOf } from './imports.ts';
import { MAKERS } from './makers.ts';
import { constantTextOf, isNode, type Node, nameOf, type Program, quasisOf, textsOf } from './program.ts';
import {
  type Complaint,
  isOfService,
  isTest,
  programsOf,
  resolvedPath,
  type SourceFile,
  type SourceTree,
} from './source-tree.ts';

/** A statement as the program gives it to PostgreSQL. */
export type SqlText = {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly text: string;
  /** What stands in `${…}` and is no constant text of the same file: the statement is unknown. */
  readonly unknownParts: readonly string[];
};

/**
 * All texts given to `statement(name, text)`, `pageOf` and the functions of `MAKERS`, with the constants
 * of their files, and of `*.sql.ts` that these import, put in.
 */
export function statementsOf(tree: SourceTree): SqlText[] {
  return programsOf(tree, (path) => isOfService(path) && !isTest(path)).flatMap((file) => {
    const { path, program } = file;
    const isMade = path === PAGES_PATH || Object.values(MAKERS).some((maker) => maker.path === path);
    const calls = isMade ? [] : callsOf(program, 'statement');
    const lists = callsOf(program, 'pageOf');
    const made = Object.keys(MAKERS).flatMap((maker) =>
      callsOf(program, maker).map((call) => ({ maker, call })),
    );
    if (calls.length + lists.length + made.length === 0) return [];
    const constants = new Map([...importedConstantsOf(file, tree), ...constantsOf(program)]);
    return [
      ...calls.map((call) => statementOf(call, file, constants)),
      ...lists.flatMap((call) => pageStatementsOf(call, file, constants)),
      ...made.flatMap(({ maker, call }) => madeStatementsOf(maker, call, file, constants)),
    ];
  });
}

function callsOf(program: Program, name: string): Node[] {
  return program.nodes
    .map(({ node }) => node)
    .filter((node) => node.type === 'CallExpression' && nameOf(node.callee) === name);
}

type Constants = ReadonlyMap<string, ConstantText>;

function statementOf(call: Node, { path, program }: SourceFile, constants: Constants): SqlText {
  const [name, text] = call.arguments as Node[];
  const whole = resolved(sqlOf(text, program), constants, []);
  const unknownParts =
    constantTextOf(name) === null ? [...whole.unknownParts, 'its name'] : whole.unknownParts;
  return {
    path,
    line: program.lineOf(call),
    name: constantTextOf(name) ?? '',
    text: whole.text,
    unknownParts,
  };
}

/** Here lists are put together: their texts are read where their parts stand. */
const PAGES_PATH = 'src/platform/postgres/page-of.ts';
/** The parts of a list that `pageOf` puts together, each a constant text; its order is constant texts. */
const PAGE_TEXTS = ['before', 'keys', 'key', 'shown'] as const;

/** All statements of a list, put together as the program does it. */
function pageStatementsOf(call: Node, { path, program }: SourceFile, constants: Constants): SqlText[] {
  const [described] = call.arguments as Node[];
  const parts = new Map(
    ((described?.properties ?? []) as Node[]).map(({ key, value }) => [nameOf(key), value as Node]),
  );
  const texts = PAGE_TEXTS.map((part) => [part, resolvedPart(parts.get(part), program, constants)] as const);
  const order = (parts.get('order')?.elements as Node[] | undefined) ?? [];
  const name = constantTextOf(parts.get('name'));
  const unknownParts = texts.flatMap(([, whole]) => whole.unknownParts);
  if (name === null) unknownParts.push('its name');
  const whole = pageTexts({
    ...(Object.fromEntries(texts.map(([part, { text }]) => [part, text])) as Record<
      (typeof PAGE_TEXTS)[number],
      string
    >),
    order: order.map((column) => constantTextOf(column) ?? ''),
  });
  return Object.entries(whole).map(([end, text]) => ({
    path,
    line: program.lineOf(call),
    name: `${name ?? ''}_${end}`,
    text,
    unknownParts,
  }));
}

/** All statements of a description, put together as the program does it. */
function madeStatementsOf(
  maker: string,
  call: Node,
  { path, program }: SourceFile,
  constants: Constants,
): SqlText[] {
  const { begin, texts } = MAKERS[maker] as (typeof MAKERS)[string];
  const unknownParts: string[] = [];
  const parts = propertiesOf(call).flatMap(({ key, value }): [string, unknown][] => {
    const name = nameOf(key);
    if (name === null || !isNode(value) || /Function/.test(value.type)) return [];
    if (value.type === 'ObjectExpression') return [[name, namedTexts(value)]];
    const whole = resolvedPart(value, program, constants);
    unknownParts.push(...whole.unknownParts);
    return [[name, whole.text]];
  });
  const described = Object.fromEntries(parts);
  return Object.entries(texts(described)).map(([end, text]) => ({
    path,
    line: program.lineOf(call),
    name: `${described[begin]}.${end}`,
    text,
    unknownParts,
  }));
}

function namedTexts(object: Node): Record<string, string | null> {
  return Object.fromEntries(
    (object.properties as Node[]).map(({ key, value }) => [nameOf(key) ?? '', constantTextOf(value)]),
  );
}

/** A text, the name of one, or code that makes one at load. */
function resolvedPart(value: Node | undefined, program: Program, constants: Constants) {
  const isCode =
    value !== undefined && (value.type === 'MemberExpression' || value.type === 'CallExpression');
  if (isCode) return partOf(program.sourceOf(value), constants, []);
  const name = nameOf(value);
  return resolved(name === null ? sqlOf(value, program) : (constants.get(name) ?? null), constants, []);
}

/** A constant text: what stands between its `${…}`, and the code in each; a string has none. */
type ConstantText = { readonly quasis: readonly string[]; readonly codes: readonly string[] };

const UNKNOWN = { text: '', unknownParts: ['its text'] };

/** A text as it stands in the program; null when it is made in another way. */
function sqlOf(value: unknown, program: Program): ConstantText | null {
  if (isNode(value) && value.type === 'TemplateLiteral') {
    return { quasis: quasisOf(value), codes: (value.expressions as Node[]).map(program.sourceOf) };
  }
  const text = constantTextOf(value);
  return text === null ? null : plain(text);
}

function plain(text: string): ConstantText {
  return { quasis: [text], codes: [] };
}

/**
 * `const NAME = '…'` or a template; `NAME.sql` and the like of `const NAME = inputRows…`, `rowCodec…` or
 * `listsCodec…`, which are constant texts made at load.
 */
function constantsOf(program: Program): Map<string, ConstantText> {
  const constants = new Map<string, ConstantText>();
  for (const { node, parent } of program.nodes) {
    if (node.type !== 'VariableDeclarator' || parent?.kind !== 'const') continue;
    const name = nameOf(node.id);
    const text = sqlOf(node.init, program);
    if (name === null) continue;
    if (text !== null) constants.set(name, text);
    if (isCallOf('inputRows', node.init)) {
      constants.set(`${name}.sql`, inputRowsText(node.init));
      constants.set(`${name}.names`, plain(inputNames(node.init).join(', ')));
      constants.set(`${name}.selected`, plain(inputNames(node.init).join(', ')));
    }
    if (isCallOf('rowCodec', node.init) || isCallOf('listsCodec', node.init))
      constants.set(`${name}.columns`, codecText(node.init, program));
  }
  return constants;
}

function isCallOf(name: string, value: unknown): value is Node {
  return isNode(value) && value.type === 'CallExpression' && nameOf(value.callee) === name;
}

function propertiesOf(call: Node): readonly Node[] {
  return ((call.arguments as Node[])[0]?.properties ?? []) as readonly Node[];
}

/** Also those of `...own({ … })`, which are the fields of the row. */
function inputNames(call: Node): string[] {
  return propertiesOf(call).flatMap(({ key, argument }) =>
    isCallOf('own', argument) ? inputNames(argument).map(inSnakeCase) : (nameOf(key) ?? []),
  );
}

function inSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The columns that the rows of a codec are selected by. */
function codecText(call: Node, program: Program): ConstantText {
  const columns = propertiesOf(call).map((property): ConstantText => {
    if (property.type === 'SpreadElement')
      return {
        quasis: ['', ''],
        codes: [program.sourceOf(property.argument as Node).replace(/fields$/, 'columns')],
      };
    const name = inSnakeCase(nameOf(property.key) ?? '');
    const given = sqlOfColumn(property.value);
    const constant = nameOf(given);
    const sql = constant === null ? sqlOf(given, program) : { quasis: ['', ''], codes: [constant] };
    return sql === null ? plain(name) : joined([sql, plain(` as ${name}`)], '');
  });
  return joined(columns, ', ');
}

/** Where a column says its SQL: `nullable(day("b.due_on"))`, `oneOf(STATES, "b.state")`. */
function sqlOfColumn(column: unknown): unknown {
  if (!isNode(column) || column.type !== 'CallExpression') return undefined;
  const [first, second] = column.arguments as Node[];
  const { callee } = column;
  const kind = isNode(callee) && callee.type === 'MemberExpression' ? callee.property : callee;
  const name = nameOf(kind) ?? '';
  if (name === 'nullable' || name === 'listOf') return sqlOfColumn(first);
  return name === 'oneOf' || name === 'parsedBy' ? second : first;
}

function joined(texts: readonly ConstantText[], separator: string): ConstantText {
  const [quasis, codes]: [string[], string[]] = [[''], []];
  for (const [index, text] of texts.entries()) {
    const [first = '', ...rest] = text.quasis;
    quasis.push(`${quasis.pop()}${index === 0 ? '' : separator}${first}`, ...rest);
    codes.push(...text.codes);
  }
  return { quasis, codes };
}

/** What a fence must see of such rows: that they are parameters, and their name. */
function inputRowsText(call: Node): ConstantText {
  const options = (call.arguments as Node[])[1]?.properties as readonly Node[] | undefined;
  const as = options?.find(({ key }) => nameOf(key) === 'as')?.value;
  return plain(`unnest($1) as ${constantTextOf(as) ?? 'i'}`);
}

/**
 * Constant texts that other files of SQL give, each whole: what is private to those files, or of
 * others again, is put in already.
 */
function importedConstantsOf(
  { path, program }: SourceFile,
  tree: SourceTree,
  importers: readonly string[] = [],
): Map<string, ConstantText> {
  const imported = importsOf(program).flatMap(({ specifier, names }) => {
    const from = resolvedPath(path, specifier);
    if (from === null || !from.endsWith('.sql.ts') || importers.includes(from)) return [];
    const [source] = programsOf(tree, (candidate) => candidate === from);
    if (source === undefined) return [];
    const theirs = new Map([
      ...importedConstantsOf(source, tree, [...importers, path]),
      ...constantsOf(source.program),
    ]);
    return names
      .flatMap((name) => [name, ...MEMBERS.map((member) => `${name}.${member}`)])
      .flatMap((name): [string, ConstantText][] => {
        const whole = resolved(theirs.get(name) ?? null, theirs, [name]);
        return whole.unknownParts.length > 0 ? [] : [[name, plain(whole.text)]];
      });
  });
  return new Map(imported);
}

/** Constant texts of `inputRows` and `rowCodec`. */
const MEMBERS = ['sql', 'names', 'selected', 'columns'] as const;
/** The same columns under another alias. */
const OTHER_ALIAS = /\.columnsOf\('\w+'\)$/;

/** The only other calls that stand in a text: the states before events of a table, made at load. */
const NAMES_STATES = /^from(Other)?States\([A-Z_]+(, '[a-zA-Z]+')+\)$/;

function resolved(
  constant: ConstantText | null,
  constants: Constants,
  within: readonly string[],
): { text: string; unknownParts: string[] } {
  if (constant === null) return { ...UNKNOWN };
  let text = constant.quasis[0] ?? '';
  const unknownParts: string[] = [];
  for (const [index, code] of constant.codes.entries()) {
    const part = partOf(code, constants, within);
    text += part.text + (constant.quasis[index + 1] ?? '');
    unknownParts.push(...part.unknownParts);
  }
  return { text, unknownParts };
}

/** What one `${…}` puts into a text. */
function partOf(
  code: string,
  constants: Constants,
  within: readonly string[],
): { text: string; unknownParts: string[] } {
  if (NAMES_STATES.test(code)) return { text: "''", unknownParts: [] };
  const name = code.replace(OTHER_ALIAS, '.columns');
  const constant = within.includes(name) ? undefined : constants.get(name);
  if (constant === undefined) return { text: ' ', unknownParts: [code] };
  return resolved(constant, constants, [...within, name]);
}

/**
 * Statements into which a value could be written as text. Values are bound; only constants stand in
 * a text.
 */
export function injectionComplaints(tree: SourceTree): Complaint[] {
  const declared = statementsOf(tree).flatMap(({ path, line, name, unknownParts }) =>
    unknownParts.map(
      (part) => `${path}:${line}: ${part} stands in the statement ${name} and is no constant text`,
    ),
  );
  const files = programsOf(tree, (path) => isOfService(path) && !isTest(path));
  return [...declared, ...files.flatMap(queryComplaints)];
}

/** `query` with a text of its own: in the platform, where statements are not declared. */
function queryComplaints({ path, program }: SourceFile): Complaint[] {
  const constants = constantsOf(program);
  return program.nodes.flatMap(({ node }) => {
    const callee = node.type === 'CallExpression' && isNode(node.callee) ? node.callee : null;
    const [text] = callee === null ? [] : (node.arguments as Node[]);
    const isQuery = callee?.type === 'MemberExpression' && nameOf(callee.property) === 'query';
    if (!isQuery || text?.type !== 'TemplateLiteral') return [];
    const line = program.lineOf(callee.property as Node);
    const { unknownParts } = resolved(sqlOf(text, program), constants, []);
    return unknownParts.map((part) => `${path}:${line}: ${part} stands in a query and is no constant text`);
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
    path.endsWith('.sql.ts') ||
    /^(src\/platform\/(postgres|migrations)|homologation\/embedded-postgres)\//.test(path)
  );
}

/** SQL outside of `*.sql.ts` and of the platform's own folders. */
export function sqlPlaceComplaints(tree: SourceTree): Complaint[] {
  const files = programsOf(
    tree,
    (path) => /^(src|homologation|simulators)\//.test(path) && !isTest(path) && !maySpeakSql(path),
  );
  return files.flatMap(({ path, program }) => {
    const texts = textsOf(program).filter(({ text }) => LOOKS_LIKE_SQL.some((pattern) => pattern.test(text)));
    const imports = importsOf(program).filter(
      ({ specifier, names, isTypeOnly }) =>
        (specifier === 'pg' && !isTypeOnly) ||
        (resolvedPath(path, specifier) === 'src/platform/postgres/database.ts' &&
          names.includes('statement')) ||
        (resolvedPath(path, specifier) === PAGES_PATH && names.includes('pageOf')),
    );
    return [
      ...texts.map(({ line }) => `${path}:${line}: SQL stands in *.sql.ts only`),
      ...imports.map(({ line, specifier }) => `${path}:${line}: brings in ${specifier} to speak SQL`),
    ];
  });
}
