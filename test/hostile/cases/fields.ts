import type { Contract } from '../../../src/platform/http/endpoint.ts';
import { type JsonTree, Members, treeOf, Written } from './json-tree.ts';

/**
 * The parts of JSON Schema that contracts use; another one ends the generation, see
 * `assertKnownKeywords`.
 */
export type FieldSchema = {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly exactDecimal?: {
    readonly integerDigits: number;
    readonly decimals: number;
    readonly isPositive?: boolean;
    readonly maximum?: number;
  };
  readonly description?: string;
  readonly mayHoldCard?: boolean;
  readonly reads?: string;
};

const KEYWORDS = new Set([
  ...[
    'type',
    'properties',
    'required',
    'items',
    'minItems',
    'maxItems',
    'enum',
    'const',
    'minimum',
    'maximum',
  ],
  ...['minLength', 'maxLength', 'format', 'exactDecimal', 'description', 'default', 'mayHoldCard', 'reads'],
  ...['title', 'examples', 'checked'],
]);

export type Field = {
  readonly place: 'body' | 'query' | 'path';
  /** Names and indexes from the root of the body; one name in a query or path. */
  readonly steps: readonly (string | number)[];
  readonly schema: FieldSchema;
  readonly isRequired: boolean;
};

/**
 * What a field takes without end: a text, a list or a number that nothing bounds; null when all is
 * bounded.
 */
export function missingLimit(schema: FieldSchema): string | null {
  const { type, maxLength, maxItems, minimum, maximum, exactDecimal } = schema;
  if (schema.enum !== undefined || schema.const !== undefined || exactDecimal !== undefined) return null;
  if (type === 'string') return maxLength === undefined ? 'maxLength' : null;
  if (type === 'array') return maxItems === undefined ? 'maxItems' : null;
  if (type !== 'integer' && type !== 'number') return null;
  return minimum === undefined || maximum === undefined ? 'minimum and maximum' : null;
}

/** The path of a field as an error names it: `configSplit[0].percent`. */
export function tagOf(steps: readonly (string | number)[]): string {
  return steps.reduce<string>((tag, step) => {
    if (typeof step === 'number') return `${tag}[${step}]`;
    return tag === '' ? step : `${tag}.${step}`;
  }, '');
}

/** Every field that a caller may send to an endpoint, outer ones before inner ones. */
export function fieldsOf({ body, query, parameters }: Contract): Field[] {
  return [
    ...(body === undefined ? [] : fieldsUnder('body', body as FieldSchema, [])),
    ...(query === undefined ? [] : fieldsUnder('query', query as FieldSchema, [])),
    ...(parameters === undefined ? [] : fieldsUnder('path', parameters as FieldSchema, [])),
  ];
}

function fieldsUnder(
  place: Field['place'],
  { properties = {}, required = [], items }: FieldSchema,
  steps: Field['steps'],
): Field[] {
  if (items !== undefined) {
    return fieldsUnder(place, items, [...steps, 0]);
  }
  return Object.entries(properties).flatMap(([name, schema]) => {
    assertKnownKeywords(schema, [...steps, name]);
    const field: Field = { place, steps: [...steps, name], schema, isRequired: required.includes(name) };
    return [field, ...fieldsUnder(place, schema, field.steps)];
  });
}

/** A keyword that nothing here understands would be a limit that nobody attacks. */
function assertKnownKeywords(schema: FieldSchema, steps: Field['steps']): void {
  for (const keyword of Object.keys(schema)) {
    if (!KEYWORDS.has(keyword)) {
      throw new Error(`test/hostile/cases/fields.ts does not know ${keyword} of the field ${tagOf(steps)}`);
    }
  }
  if (schema.reads !== undefined && !Object.hasOwn(READINGS, schema.reads)) {
    throw new Error(`test/hostile/cases/fields.ts does not know the reading ${schema.reads}`);
  }
  if (schema.format !== undefined && !Object.hasOwn(FORMATS, schema.format)) {
    throw new Error(`test/hostile/cases/fields.ts does not know the format ${schema.format}`);
  }
}

/**
 * The formats, written down a second time from the contract: what the service takes for a GUID must not be
 * judged by the service. `longest` gives a text of this format, as long as allowed.
 */
const FORMATS: Readonly<Record<string, { fits(text: string): boolean; longest(maxLength: number): string }>> =
  {
    guid: {
      fits: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
      longest: () => 'ABCDEF01-2345-6789-abcd-ef0123456789',
    },
    month: { fits: (text) => /^\d\d$/.test(text) && +text >= 1 && +text <= 12, longest: () => '12' },
    day: { fits: (text) => text === '2026-11-21', longest: () => '2026-11-21' },
    moment: {
      fits: (text) => /^2026-11-2[01]T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text),
      longest: () => '2026-11-21T10:00:00.123456789-03:00',
    },
    twoDigits: { fits: (text) => /^\d\d$/.test(text), longest: () => '99' },
    digits: { fits: (text) => /^\d*$/.test(text), longest: (most) => '9'.repeat(most) },
    securityCode: { fits: (text) => /^\d{3,4}$/.test(text), longest: () => '0123' },
    softDescriptor: {
      fits: (text) => /^[A-Za-z0-9 .*-]*[A-Za-z0-9][A-Za-z0-9 .*-]*$/.test(text),
      longest: (most) => 'LOJA*'.padEnd(most, 'x'),
    },
    eci: { fits: (text) => /^(0?[0-2]|0?[4-7])$/.test(text), longest: () => '07' },
    base64Of20Bytes: {
      fits: (text) => /^[a-z0-9+/]{27}=$/i.test(text),
      longest: () => 'AAABBZEEBgAAAAAAAAQGAAAAAAA=',
    },
    xidOrGuid: {
      fits: (text) => /^([a-z0-9+/]{27}=|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(text),
      longest: () => 'ABCDEF01-2345-6789-abcd-ef0123456789',
    },
    threeDSVersion: { fits: (text) => /^2(\.[0-3](\.\d)?)?$/.test(text), longest: () => '2.3.1' },
    softDescriptorOrNone: {
      fits: (text) => text === '.' || /^[A-Za-z0-9 .*-]*[A-Za-z0-9][A-Za-z0-9 .*-]*$/.test(text),
      longest: (most) => 'LOJA*'.padEnd(most, 'x'),
    },
    cpfOrCnpj: { fits: isNobodys, longest: () => '12.ABC.345/01DE-35' },
    bareCpfOrCnpj: { fits: isNobodys, longest: () => '12ABC34501DE35' },
    postalCode: { fits: (text) => /^\d{8}$/.test(text), longest: () => '01.001-000' },
    emailAddress: {
      fits: (text) => /^[^@\s\p{Cc}]+@([^@\s.\p{Cc}]+\.)+[^@\s.\p{Cc}]+$/u.test(text),
      longest: (most) => `${'a'.repeat(most - 13)}@loja.example`,
    },
    telephone: {
      fits: (text) =>
        /^\+?[0-9 ().-]+$/.test(text) &&
        text.replace(/[^0-9]/g, '').length >= 8 &&
        text.replace(/[^0-9]/g, '').length <= 15,
      longest: (most) => `+${'('.repeat(most - 9)}99990000`,
    },
    webAddress: {
      fits: (text) => /^https?:\/\/[\w.-]+(:\d+)?([/?#][!-~]*)?$/.test(text),
      // Loopback, which needs no look-up of a name.
      longest: (most) => 'http://127.0.0.1:49151/'.padEnd(most, 'a'),
    },
    webOrigin: {
      fits: (text) => /^https?:\/\/[a-z]+(\.[a-z]+)*(:[1-9]\d{3})?$/.test(text),
      longest: (most) => `https://${`${'a'.repeat(60)}.`.repeat(9)}`.slice(0, most - 2).concat('aa'),
    },
    basicAuth: {
      fits: (text) => /^bG9qYTph[A-Za-z0-9]*$/.test(text) && text.length % 4 === 0,
      longest: (most) => Buffer.from('loja:'.padEnd((most * 3) / 4, 'a')).toString('base64'),
    },
    saoPauloTime: {
      // Only days that the calendar has: the rule is tried elsewhere.
      fits: (text) =>
        /^20[2-9]\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,9})?$/.test(text),
      // Not so far that all payments of the service are settled on the way.
      longest: () => `${new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 19)}.123456789`,
    },
    filledText: { fits: (text) => /\S/.test(text), longest: (most) => '𝒜'.repeat(most) },
    visibleText: {
      fits: (text) => /\S/.test(text) && !/\p{Cc}/u.test(text),
      longest: (most) => '𝒜'.repeat(most),
    },
  };

/** Only numbers that nobody has: the rule of the check digits is tried elsewhere. */
function isNobodys(text: string): boolean {
  return ['52998224725', '11222333000181', '12ABC34501DE35'].includes(text);
}

/** How texts are read before they are judged, written down a second time too. */
const READINGS: Readonly<Record<string, (text: string) => string>> = {
  document: (text) => (/^[\dA-Z./\-\s]+$/.test(text) ? text.replaceAll(/[^\dA-Z]/g, '') : text),
  postalCode: (text) => (/^[\d.\-\s]+$/.test(text) ? text.replaceAll(/\D/g, '') : text),
  emailAddress: (text) => text.trim(),
  capitals: (text) => text.trim().toUpperCase(),
  smallLetters: (text) => text.toLowerCase(),
};

const isText = ({ type, enum: words }: FieldSchema): boolean =>
  type === 'string' || (words?.every((word) => typeof word === 'string') ?? false);

/** Whether an optional field is as good as left out. */
export function saysNothing(schema: FieldSchema, tree: JsonTree): boolean {
  return schema.items === undefined ? isBlankText(schema, tree) : Array.isArray(tree) && tree.length === 0;
}

export function isBlankText(schema: FieldSchema, tree: JsonTree): boolean {
  return isText(schema) && typeof tree === 'string' && tree.trim() === '';
}

const codePoints = (text: string): number => [...text].length;

/** Without a limit of its own a text is bounded by the body alone. */
const UNBOUNDED_LENGTH = 1_000;

export function longestText({ maxLength = UNBOUNDED_LENGTH, format }: FieldSchema): string {
  return format === undefined ? '𝒜'.repeat(maxLength) : (FORMATS[format]?.longest(maxLength) ?? '');
}

/**
 * Whether the contract takes this value at a place of this schema, before any rule between fields.
 * Of a text that
 * stands letter by letter only numbers are understood.
 */
export function fits(schema: FieldSchema, tree: JsonTree): boolean {
  if (tree instanceof Written) return numberFits(schema, tree.text);
  if (typeof tree === 'number') return numberFits(schema, String(tree));
  if (typeof tree === 'string' && schema.reads !== undefined) {
    const { reads, ...rest } = schema;
    return fits(rest, READINGS[reads]?.(tree) ?? tree);
  }
  if (schema.enum !== undefined) return schema.enum.includes(tree);
  if (schema.const !== undefined) return schema.const === tree;
  if (tree === null) return false;
  if (Array.isArray(tree) && tree.length === 0 && schema.type === 'object')
    return objectFits(schema, new Members([]));
  if (Array.isArray(tree)) return arrayFits(schema, tree);
  if (tree instanceof Members) return objectFits(schema, tree);
  return typeof tree === 'string' ? textFits(schema, tree) : schema.type === 'boolean';
}

function textFits({ type, minLength = 0, maxLength = Infinity, format }: FieldSchema, text: string): boolean {
  if (type !== 'string' || codePoints(text) < minLength || codePoints(text) > maxLength) return false;
  return format === undefined || FORMATS[format]?.fits(text) === true;
}

function arrayFits(
  { type, items, minItems = 0, maxItems = Infinity }: FieldSchema,
  list: JsonTree[],
): boolean {
  if (type !== 'array' || list.length < minItems || list.length > maxItems) return false;
  return list.every((item) => items === undefined || fits(items, item));
}

function objectFits({ type, properties = {}, required = [] }: FieldSchema, { list }: Members): boolean {
  if (type !== 'object') return false;
  const given = list.filter(([, value]) => value !== null);
  return (
    required.every((name) => given.some(([sent]) => sent === name)) &&
    given.every(([name, value]) => !Object.hasOwn(properties, name) || fits(properties[name] ?? {}, value))
  );
}

/** Compared as digits: a number of JavaScript does not hold what is sent here. */
function numberFits(schema: FieldSchema, text: string): boolean {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (parts === null) return false;
  const [, sign, integer = '', fraction = '', exponent = '0'] = parts;
  const shift = Number(exponent);
  if (Math.abs(shift) > 300) return false;
  const digits = (integer + fraction).padEnd(integer.length + shift, '0');
  const point = Math.max(0, integer.length + shift);
  const whole = BigInt(digits.slice(0, point) || '0');
  const rest = digits.slice(point).replace(/0+$/, '');
  const isNegative = sign === '-' && (whole > 0n || rest !== '');
  if (schema.exactDecimal !== undefined) {
    const { integerDigits, decimals, isPositive, maximum = Infinity } = schema.exactDecimal;
    if (isPositive === true && whole === 0n && rest === '') return false;
    if (Number(whole) > maximum || (Number(whole) === maximum && rest !== '')) return false;
    return !isNegative && String(whole).length <= integerDigits && rest.length <= decimals;
  }
  if (schema.enum !== undefined) return schema.enum.includes(Number(text));
  if (schema.const !== undefined) return schema.const === Number(text);
  if (schema.type === 'integer' && rest !== '') return false;
  if (schema.type !== 'integer' && schema.type !== 'number') return false;
  const signed = isNegative ? -whole : whole;
  const { minimum, maximum } = schema;
  if (minimum !== undefined && signed < BigInt(minimum)) return false;
  if (maximum === undefined || signed < BigInt(maximum)) return true;
  return signed === BigInt(maximum) && rest === '';
}

/** Some value that fits: what stands around a field that the valid request does not have. */
export function sampleOf(schema: FieldSchema): JsonTree {
  if (schema.enum !== undefined) return treeOf(schema.enum[0]);
  if (schema.const !== undefined) return treeOf(schema.const);
  const { type, properties = {}, required = [], items = {}, minItems = 0, minimum = 1 } = schema;
  if (type === 'object') {
    return new Members(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
  }
  if (type === 'array') return Array.from({ length: Math.max(1, minItems) }, () => sampleOf(items));
  if (type === 'boolean') return true;
  if (type === 'string') {
    const longest = [...longestText(schema)];
    return schema.format === undefined ? 'A'.repeat(Math.min(8, longest.length)) : longest.join('');
  }
  return minimum;
}
