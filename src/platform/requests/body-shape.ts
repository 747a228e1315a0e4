import type { TSchema } from 'typebox';
import { isBlank } from '../../values/blank-text.ts';
import { ExactNumber, type JsonValue } from '../../values/exact-json.ts';
import type { Fault } from '../http/endpoint.ts';
import type { Sentence } from '../http/sentence.ts';
import { findForeignFields } from './foreign-fields.ts';
import { EMPTY } from './formats.ts';
import { isEmptyText, readText } from './text-readings.ts';

/**
 * By pointer, the names and indexes that the client wrote differently: `Payment`, or 2 for an item that is
 * now 0 because blank ones are left out. With a slash before it, a name stood at the top of the body
 * (`/payerName`).
 */
export type SentNames = Map<string, string>;

/** `missing`: pointers of required objects that were not sent, and are empty in the value. */
type Findings = { readonly faults: Fault[]; readonly sentNames: SentNames; readonly missing: string[] };

export type ShapedBody = Findings & { readonly value: unknown };

type Shaper = (value: JsonValue, pointer: string, shaped: Findings) => unknown;

type SchemaParts = {
  properties?: Record<string, TSchema>;
  required?: readonly string[];
  items?: TSchema;
  maxItems?: number;
};

/**
 * Makes the reader of a body. It
 * - keeps known names, also with a capital first letter; drops unknown and read-only ones;
 * - treats `null`, a blank optional text and an empty optional list as absent, and an empty list for an
 * object as an empty object;
 * - bounds arrays before the schema checks them, against floods of faults;
 * - makes absent required objects empty, so that each missing field is named.
 *
 * `isExact`: drops nothing, and `null` and a blank text are faults.
 */
export function bodyShaper(schema: TSchema, isExact: boolean): (value: JsonValue) => ShapedBody {
  const shape = shaperOf(schema, isExact);
  return (value) => {
    const shaped: Findings = {
      faults: findForeignFields(schema, value),
      sentNames: new Map(),
      missing: [],
    };
    return { value: shape(value, '', shaped), ...shaped };
  };
}

function shaperOf(schema: TSchema, isExact: boolean): Shaper {
  const { properties, items, maxItems } = schema as SchemaParts;
  if (properties !== undefined) return objectShaper(schema as Required<SchemaParts>, isExact);
  if (items !== undefined) {
    // Without a bound the schema would not report the items that are cut off here.
    if (maxItems === undefined) throw new Error('a list in a body needs maxItems');
    return arrayShaper(items, maxItems, isExact);
  }
  return (value) => readText(schema, value);
}

type FieldShape = {
  readonly name: string;
  readonly capital: string;
  readonly schema: TSchema;
  readonly isRequired: boolean;
  readonly shape: Shaper;
};

function fieldShapes({ properties = {}, required = [] }: SchemaParts, isExact: boolean): FieldShape[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    capital: name.charAt(0).toUpperCase() + name.slice(1),
    schema,
    isRequired: required.includes(name),
    shape: shaperOf(schema, isExact),
  }));
}

function objectShaper(schema: SchemaParts, isExact: boolean): Shaper {
  const fields = fieldShapes(schema, isExact);
  return (value, pointer, shaped) => {
    // The schema would take an ExactNumber for an object. As a number it is a fault.
    if (value instanceof ExactNumber) return Number(value.source);
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value) && value.length > 0) return value;
    const sent = (Array.isArray(value) ? {} : value) as Record<string, JsonValue>;
    if (isExact) shaped.faults.push(...inexactFields(sent, fields, pointer));
    const kept: Record<string, unknown> = {};
    for (const field of fields) {
      const here = `${pointer}/${field.name}`;
      const own = sentValue(sent, field, here, shaped);
      if (own !== undefined) kept[field.name] = field.shape(own, here, shaped);
      else if (field.isRequired && (field.schema as SchemaParts).properties !== undefined) {
        shaped.missing.push(here);
        kept[field.name] = field.shape({}, here, shaped);
      }
    }
    return kept;
  };
}

/** The value under either spelling; undefined: absent. */
function sentValue(
  sent: Record<string, JsonValue>,
  { name, capital, schema, isRequired }: FieldShape,
  pointer: string,
  shaped: Findings,
): JsonValue | undefined {
  const isCapital = capital !== name && Object.hasOwn(sent, capital);
  if (isCapital) {
    shaped.sentNames.set(pointer, capital);
    if (Object.hasOwn(sent, name)) shaped.faults.push({ tag: pointer, sentence: DUPLICATE });
  }
  const own = Object.hasOwn(sent, name) ? sent[name] : isCapital ? sent[capital] : undefined;
  if (own === undefined || own === null) return undefined;
  // An empty text in a required field is invalid, not missing.
  return !isRequired && (isEmptyText(schema, own) || isEmptyList(schema, own)) ? undefined : own;
}

const isEmptyList = (schema: TSchema, value: JsonValue) =>
  (schema as SchemaParts).items !== undefined && Array.isArray(value) && value.length === 0;

function inexactFields(
  sent: Record<string, JsonValue>,
  fields: readonly FieldShape[],
  pointer: string,
): Fault[] {
  const unknown = unknownName(fields.map(({ name }) => name));
  return Object.entries(sent).flatMap(([name, value]) => {
    const isKnown = fields.some((field) => field.name === name || field.capital === name);
    if (!isKnown) return [{ tag: `${pointer}/${name}`, sentence: unknown }];
    // A blank text is a fault like null: it may be a variable that was not set.
    if (isBlank(value)) return [{ tag: `${pointer}/${name}`, sentence: EMPTY }];
    return value === null ? [{ tag: `${pointer}/${name}`, sentence: NULL }] : [];
  });
}

function arrayShaper(items: TSchema, maxItems: number, isExact: boolean): Shaper {
  const shape = shaperOf(items, isExact);
  return (value, pointer, shaped) => {
    if (!Array.isArray(value)) return value;
    const sent = value.map((item, index) => ({ item, index }));
    const filled = sent.filter(({ item }) => !isEmptyText(items, item));
    // One more than allowed is kept, so that the schema reports too many.
    return filled.slice(0, maxItems + 1).map(({ item, index }, place) => {
      const here = `${pointer}/${place}`;
      if (index !== place) shaped.sentNames.set(here, String(index));
      return shape(item, here, shaped);
    });
  };
}

export const DUPLICATE: Sentence = {
  pt: 'Campo informado mais de uma vez.',
  en: 'The field was sent more than once.',
};

/** For exact bodies. `known`: the fields of the body. */
export function unknownName(known: readonly string[]): Sentence {
  const pt = known.length === 0 ? 'não há campos' : known.join(', ');
  const en = known.length === 0 ? 'there are none' : known.join(', ');
  return {
    pt: `Campo ou parâmetro desconhecido, e nada foi feito. Campos do corpo: ${pt}.`,
    en: `Unknown field or parameter, and nothing was done. Fields of the body: ${en}.`,
  };
}
export const NULL: Sentence = {
  pt: 'Não pode ser null, e nada foi feito. Para o valor inteiro, não envie o campo.',
  en: 'Must not be null, and nothing was done. For all of it leave the field out.',
};

/** `/configSplit/0/percent` as the client wrote it: `configSplit[0].percent`. */
export function tagOf(pointer: string, sentNames: SentNames): string {
  let tag = '';
  let walked = '';
  for (const part of pointer.split('/').slice(1)) {
    walked += `/${part}`;
    const sent = sentNames.get(walked) ?? part;
    if (sent.startsWith('/')) tag = sent.slice(1);
    else if (/^\d+$/.test(part)) tag += `[${sent}]`;
    else tag += `${tag === '' ? '' : '.'}${sent}`;
  }
  return tag;
}
