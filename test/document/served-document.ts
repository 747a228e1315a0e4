import { Ajv2020 } from 'ajv/dist/2020.js';

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly examples?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly not?: Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema: Schema;
};

type Answer = {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
};

export type Operation = {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, Answer>>;
};

export type ServedDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'method' | 'path'>>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
};

/** In the order of the document. */
export function operationsOf({ paths, components }: ServedDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      parameters: (operation.parameters ?? []).map((parameter) =>
        '$ref' in parameter
          ? (components.parameters[String(parameter.$ref).split('/').at(-1) ?? ''] as Parameter)
          : parameter,
      ),
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** Of what is sent as JSON. */
export function bodySchemaOf({ requestBody }: Operation): Schema | null {
  return requestBody?.content['application/json']?.schema ?? null;
}

export function resolved(document: ServedDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = document.components.schemas[name];
  if (found === undefined) throw new Error(`${schema.$ref} leads nowhere`);
  return found;
}

export const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? [] : [type].flat());

export type Validate = (schema: Schema, value: unknown) => boolean;

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^t([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

function isCalendarDay(text: string): boolean {
  const [, year = '', month = '', day = ''] = DAY.exec(text) ?? [];
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return DAY.test(text) && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** What JSON Schema's own names mean, with which nothing else of a text is said. */
const STANDARD_FORMATS = {
  date: isCalendarDay,
  'date-time': (text: string) => isCalendarDay(text.slice(0, 10)) && TIME.test(text.slice(10)),
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
  ...Object.fromEntries(['uri', 'email', 'int64'].map((name) => [name, true as const])),
};

/** Of values that are sent; compiles each schema once. */
export function validatorOf({ components }: ServedDocument): Validate {
  const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 9, formats: STANDARD_FORMATS });
  ajv.addSchema({ $id: 'document', components });
  const compiled = new Map<Schema, (value: unknown) => boolean>();
  return (schema, value) =>
    compiled.getOrInsertComputed(schema, () =>
      ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))),
    )(value);
}

/** All parameters of a query, as the fields of one object. Of others the document says nothing. */
export function querySchemaOf({ parameters }: Operation): Schema {
  const asked = parameters.filter((parameter) => parameter.in === 'query');
  return {
    type: 'object',
    properties: Object.fromEntries(asked.map(({ name, schema }) => [name, schema])),
    required: asked.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** The schema at a tag such as `configSplit[0].percent`; undefined: the document names no such field. */
export function schemaAt(document: ServedDocument, schema: Schema, tag: string): Schema | undefined {
  const parts = tag.replaceAll(/\[\d+\]/g, '.[]').split('.');
  return parts.reduce<Schema | undefined>((inside, part) => {
    const whole = inside && objectIn(document, inside);
    return part === '[]' ? whole?.items : whole?.properties?.[part];
  }, schema);
}

/** Behind a reference, and beside null. */
export function objectIn(document: ServedDocument, schema: Schema): Schema {
  const whole = resolved(document, schema);
  const branches = (whole.anyOf ?? []).map((one) => resolved(document, one));
  return branches.find(({ type }) => type !== 'null') ?? whole;
}
