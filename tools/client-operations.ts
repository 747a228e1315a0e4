/** The types and the table of operations that `packages/client` is made of, from the served document. */

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
};
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description?: string;
};
type Answer = { readonly content?: Content };
type Reference = { readonly $ref: string };
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly security?: readonly { readonly bearer: readonly string[] }[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
};
type PrintedOperation = Omit<Operation, 'parameters' | 'responses'> & {
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly responses: Readonly<Record<string, Answer | Reference>>;
};
export type ServedDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PrintedOperation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
};

const METHODS = ['get', 'post', 'put', 'delete'];
/** A client logs in by itself; what needs no login is for browsers and operators. */
const LEFT_OUT = ['logOut'];
/** Whole files are streamed: a client reads pages. */
const LEFT_OUT_PARAMETERS = ['format', 'lang'];

type Called = { readonly path: string; readonly method: string; readonly operation: Operation };

const partOf = <Part extends object>(shared: Readonly<Record<string, Part>>, part: Part | Reference): Part =>
  '$ref' in part ? (shared[nameOf(part.$ref) as string] as Part) : part;

function calledOf({ paths, components }: ServedDocument): Called[] {
  const whole = ({ parameters = [], responses, ...operation }: PrintedOperation): Operation => ({
    ...operation,
    parameters: parameters.map((one) => partOf(components.parameters, one)),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, one]) => [status, partOf(components.responses, one)]),
    ),
  });
  return Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        path,
        method,
        operation: whole(operation),
      })),
    )
    .filter(
      ({ method, operation }) =>
        METHODS.includes(method) &&
        (operation.security ?? []).length > 0 &&
        !LEFT_OUT.includes(operation.operationId) &&
        answersOf(operation).length > 0,
    );
}

/** Of `packages/client`. */
export function clientOperations(document: ServedDocument, note: string): string {
  const called = calledOf(document);
  const names = namesNeeded(document, called);
  const types = Object.entries(document.components.schemas)
    .filter(([name]) => names.has(name))
    .map(
      ([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')};`,
    );
  const operations = called.map(({ operation }) => {
    const given = fieldsText(givenBy(operation), '    ');
    const answer = [...new Set(answersOf(operation).map((schema) => typeOf(schema, '    ')))].join(' | ');
    return `  ${comment(operation.summary, '  ').trimStart()}  ${operation.operationId}: { given: ${given}; answer: ${answer} };`;
  });
  const table = called.map((one) => {
    const { name, row, isKeyed, names } = rowOf(one);
    const texts = [...row, isKeyed ? 'keyed' : 'plain', names.join(' ')];
    return `  ${name}: [${texts.map((text) => `'${text}'`).join(', ')}],`;
  });
  return [
    `// ${note}`,
    '',
    ...types.flatMap((text) => [text, '']),
    '/** What each operation is given (places in its path, its query, and `body`), and what it answers. */',
    'export type Operations = {',
    ...operations,
    '};',
    '',
    "export type Scope = 'gateway' | 'recurrence' | 'integration';",
    '/** Method, path, whose login, whether it takes an Idempotency-Key, and the names of its query. */',
    'export type OperationRow = readonly [',
    "  method: string, path: string, scope: Scope, kind: 'keyed' | 'plain', names: string,",
    '];',
    '',
    'export const OPERATIONS: Readonly<Record<keyof Operations, OperationRow>> = {',
    ...table,
    '};',
    '',
  ].join('\n');
}

type Row = {
  readonly name: string;
  readonly row: readonly string[];
  readonly isKeyed: boolean;
  /** Of the query. */
  readonly names: readonly string[];
};

function rowOf({ path, method, operation }: Called): Row {
  const isKeyed = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
  const row = [method.toUpperCase(), path, scopeOf(path, operation)];
  const names = namedBy(operation)
    .filter(({ name }) => !path.includes(`{${name}}`))
    .map(({ name }) => name);
  return { name: operation.operationId, row, isKeyed, names };
}

/** How a language writes a row of its table. */
const ROWS = {
  php: ({ name, row, isKeyed, names }: Row) =>
    `'${name}' => [${[...row.map((text) => `'${text}'`), isKeyed, `'${names.join(' ')}'`].join(', ')}],`,
  py: ({ name, row, isKeyed, names }: Row) =>
    `"${name}": (${[...row.map((text) => `"${text}"`), isKeyed ? 'True' : 'False', `"${names.join(' ')}"`].join(', ')}),`,
} as const;

/** The source of a client with its table made anew, between the two marks. */
export function withOperations(
  source: string,
  document: ServedDocument,
  language: keyof typeof ROWS,
): string {
  return source.replace(
    /^( *)((?:#|\/\/) )operations\n[\s\S]*?^ *(?:#|\/\/) end of operations$/m,
    (_, indent: string, mark: string) =>
      [
        `${mark}operations`,
        ...calledOf(document).map((one) => ROWS[language](rowOf(one))),
        `${mark}end of operations`,
      ]
        .map((line) => indent + line)
        .join('\n'),
  );
}

/** Without a scope of its own an operation takes the login of its API. */
function scopeOf(path: string, { security }: Operation): string {
  return security?.[0]?.bearer[0] ?? (path.startsWith('/api/') ? 'integration' : 'gateway');
}

function answersOf({ responses }: Operation): Schema[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content }]) => content?.['application/json']?.schema ?? []);
}

function namedBy({ parameters }: Operation): Parameter[] {
  return parameters.filter((one) => one.in !== 'header' && !LEFT_OUT_PARAMETERS.includes(one.name));
}

function givenBy(operation: Operation): Schema {
  const { requestBody } = operation;
  const named = namedBy(operation);
  const body = requestBody?.content['application/json']?.schema;
  return {
    properties: {
      ...Object.fromEntries(named.map(({ name, schema, description }) => [name, { ...schema, description }])),
      ...(body && { body }),
    } as Record<string, Schema>,
    required: [
      ...named.filter(({ required }) => required).map(({ name }) => name),
      ...(body ? ['body'] : []),
    ],
  };
}

/** Those that the operations speak of, and those that these are made of. */
function namesNeeded(document: ServedDocument, called: readonly Called[]): Set<string> {
  const names = new Set<string>();
  const note = (schema: Schema | undefined): void => {
    if (schema === undefined) return;
    const name = nameOf(schema.$ref);
    if (name !== null && !names.has(name)) {
      names.add(name);
      note(document.components.schemas[name]);
    }
    for (const one of schema.anyOf ?? []) note(one);
    note(schema.items);
    for (const one of Object.values(schema.properties ?? {})) note(one);
  };
  for (const { operation } of called)
    for (const one of [givenBy(operation), ...answersOf(operation)]) note(one);
  for (const name of ['Decline', 'LoginRequest', 'Problem']) note({ $ref: `#/components/schemas/${name}` });
  return names;
}

const nameOf = ($ref: string | undefined) => ($ref === undefined ? null : ($ref.split('/').at(-1) as string));

function typeOf(schema: Schema, indent: string): string {
  const name = nameOf(schema.$ref);
  if (name !== null) return name;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, indent)).join(' | ');
  const { type } = schema;
  if (typeof type !== 'string' && type !== undefined)
    return type.map((one) => typeOf({ ...schema, type: one }, indent)).join(' | ');
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return schema.items === undefined
        ? 'readonly unknown[]'
        : `readonly (${typeOf(schema.items, indent)})[]`;
    default:
      return schema.properties === undefined
        ? 'Readonly<Record<string, unknown>>'
        : fieldsText(schema, indent);
  }
}

function fieldsText({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isGiven = required.includes(name);
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
    const type = typeOf(schema, inner);
    return `${comment(schema.description, inner)}${inner}readonly ${key}${isGiven ? '' : '?'}: ${type}${isGiven ? '' : ' | undefined'};`;
  });
  return fields.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${fields.join('\n')}\n${indent}}`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}

const LONGEST = 102;

/** On one line, or on lines of a block. */
function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return '';
  const lines: string[] = [];
  for (const word of text.replaceAll('*/', '* /').split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || indent.length + last.length + word.length > LONGEST) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}
