import type { TSchema } from 'typebox';
import { ExactNumber, type JsonValue } from '../../values/exact-json.ts';
import type { Fault } from '../http/endpoint.ts';

/**
 * The paths that the client wrote with a capital first letter, as `/payment/amount` →
 * `Payment.Amount`'s own names.
 */
export type SentNames = Map<string, string>;

/** `missing`: pointers of required objects that were not sent, and stand empty in the value. */
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
 * Makes the reader of one body: keeps the names that the schema knows (unknown and read-only ones
 * are dropped, never stored), takes the same name with a capital first letter, and lets `null` mean
 * absent. Arrays are bounded here, before the schema checks them: a hostile array would otherwise
 * make tens of thousands of faults. A required object that is absent is made, empty: the check
 * names each field that is missing in it.
 */
export function bodyShaper(schema: TSchema): (value: JsonValue) => ShapedBody {
  const shape = shaperOf(schema);
  return (value) => {
    const shaped: Findings = { faults: [], sentNames: new Map(), missing: [] };
    return { value: shape(value, '', shaped), ...shaped };
  };
}

function shaperOf(schema: TSchema): Shaper {
  const { properties, required, items, maxItems } = schema as SchemaParts;
  if (properties !== undefined) return objectShaper(properties, required ?? []);
  if (items !== undefined) {
    // Without a bound the schema would not report the items that are cut off here.
    if (maxItems === undefined) throw new Error('a list in a body needs maxItems');
    return arrayShaper(items, maxItems);
  }
  return (value) => value;
}

function objectShaper(properties: Record<string, TSchema>, required: readonly string[]): Shaper {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    capital: name.charAt(0).toUpperCase() + name.slice(1),
    shape: shaperOf(schema),
    isNeededObject: required.includes(name) && (schema as SchemaParts).properties !== undefined,
  }));
  return (value, pointer, shaped) => {
    // To the schema an ExactNumber looks like an object, which is expected here: as a number it is
    // a fault.
    if (value instanceof ExactNumber) return Number(value.source);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    const sent = value as Record<string, JsonValue>;
    const kept: Record<string, unknown> = {};
    for (const { name, capital, shape, isNeededObject } of fields) {
      const here = `${pointer}/${name}`;
      const isCapital = capital !== name && Object.hasOwn(sent, capital);
      if (isCapital) {
        shaped.sentNames.set(here, capital);
        if (Object.hasOwn(sent, name)) shaped.faults.push({ tag: here, sentence: DUPLICATE });
      }
      const own = Object.hasOwn(sent, name) ? sent[name] : isCapital ? sent[capital] : undefined;
      if (own !== undefined && own !== null) kept[name] = shape(own, here, shaped);
      else if (isNeededObject) {
        shaped.missing.push(here);
        kept[name] = shape({}, here, shaped);
      }
    }
    return kept;
  };
}

function arrayShaper(items: TSchema, maxItems: number): Shaper {
  const shape = shaperOf(items);
  return (value, pointer, shaped) => {
    if (!Array.isArray(value)) return value;
    // One more than allowed is kept, so that the schema still reports that there are too many.
    return value.slice(0, maxItems + 1).map((item, index) => shape(item, `${pointer}/${index}`, shaped));
  };
}

const DUPLICATE = {
  pt: 'Campo informado mais de uma vez.',
  en: 'The field was sent more than once.',
};

/** `/configSplit/0/percent` as the client wrote it: `configSplit[0].percent`. */
export function tagOf(pointer: string, sentNames: SentNames): string {
  let tag = '';
  let walked = '';
  for (const part of pointer.split('/').slice(1)) {
    walked += `/${part}`;
    if (/^\d+$/.test(part)) tag += `[${part}]`;
    else tag += `${tag === '' ? '' : '.'}${sentNames.get(walked) ?? part}`;
  }
  return tag;
}
