import type { TObject, TSchema } from 'typebox';
import type { Contract } from '../http/endpoint.ts';
import { nameOf } from '../http/named.ts';
import type { ExactDecimal } from '../http/schema-faults.ts';
import { FORMATS } from '../requests/formats.ts';
import { isFreeText } from '../requests/text-readings.ts';
import { exampleOfParameter } from './example-values.ts';
import { AS_DECLARED, type Wording } from './wording.ts';

type Json = Record<string, unknown>;

/** The named objects of a document, each printed once. */
export type PrintedObjects = Map<
  string,
  { readonly of: TSchema; readonly sent: SentBody | null; printed: Json }
>;

/** The wording of a document, and its objects so far. */
export type Printing = Wording & { readonly objects: PrintedObjects };

export const printingIn = (wording: Wording): Printing => ({ ...wording, objects: new Map() });

/** `lenient`: null counts as absent, as in most request bodies. `exact`: no other field is taken. */
type SentBody = 'lenient' | 'exact';

type Printed = Printing & { readonly sent: SentBody | null };

/**
 * Prints JSON Schema 2020-12 with common keywords only. `path` begins with the id of the operation. A named
 * object becomes a reference.
 */
export function printSchema(
  schema: TSchema,
  printing: Printing = printingIn(AS_DECLARED),
  path: readonly string[] = [],
  sent: SentBody | null = null,
): Json {
  return printDescribed(schema, meaningAt(schema, printing, path), { ...printing, sent }, path);
}

export function printObjects({ objects }: Printing): Json {
  const inOrder = [...objects].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(inOrder.map(([name, { printed }]) => [name, printed]));
}

/** Fields of a named object mean the same in every place. */
export function pathWithin(schema: TSchema, path: readonly string[]): readonly string[] {
  const name = nameOf(schema);
  return name === undefined ? path : [name];
}

function printDescribed(
  schema: TSchema,
  meaning: string | undefined,
  printing: Printed,
  path: readonly string[],
): Json {
  const name = nameOf(schema);
  if (name === undefined) return printWhole(schema, meaning, printing, path);
  printOnce(name, schema, printing);
  const reference = { $ref: `#/components/schemas/${name}` };
  return meaning === undefined ? reference : { ...reference, description: meaning };
}

function printOnce(name: string, schema: TSchema, printing: Printed): void {
  const { objects, sent } = printing;
  const known = objects.get(name);
  if (known?.of === schema && known.sent === sent) return;
  const printed = printWhole(schema, ownDescription(schema, printing), printing, [name]);
  if (known !== undefined && JSON.stringify(known.printed) !== JSON.stringify(printed))
    throw new Error(`two objects are called ${name}`);
  objects.set(name, { of: schema, sent, printed });
}

function printWhole(
  schema: TSchema,
  meaning: string | undefined,
  printing: Printed,
  path: readonly string[],
): Json {
  const printed: Json = {};
  const said = [meaning ?? ''];
  for (const [keyword, value] of Object.entries(schema as Json)) {
    if (keyword === 'properties') Object.assign(printed, printFields(schema as FieldsOf, printing, path));
    else if (keyword === 'items') printed[keyword] = printPart(value as TSchema, printing, path);
    else if (keyword === 'anyOf')
      Object.assign(
        printed,
        printAnyOf((value as TSchema[]).map((branch) => printPart(branch, printing, path))),
      );
    else if (keyword === 'enum')
      Object.assign(printed, { type: typeof (value as unknown[])[0], enum: value });
    else if (keyword === 'format') {
      Object.assign(printed, printFormat(String(value), 'reads' in schema));
      const format = FORMATS[String(value)];
      if (format !== undefined) said.push(printing.pick(format.sentence));
    } else if (keyword === 'exactDecimal') {
      Object.assign(printed, printDecimal(value as ExactDecimal));
      said.push(printing.pick(digitsKept(value as ExactDecimal)));
    } else if (keyword === 'checked') Object.assign(printed, value);
    else if (!OWN_KEYWORDS.includes(keyword) && keyword !== 'description') printed[keyword] = value;
  }
  const description = said.filter(Boolean).join(' ');
  return saidOnce(description === '' ? printed : { ...printed, description });
}

/** Leaves out the lengths where a pattern or standard format says them, and says how large integers are. */
function saidOnce({ minLength, maxLength, ...printed }: Json): Json {
  const { format, pattern } = printed;
  if (TYPED_FORMATS.includes(format)) return printed;
  const isFilled = minLength === 1 && pattern !== undefined && !fitsEmpty(pattern);
  return {
    ...(minLength === undefined || isFilled ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(isLong(printed) ? { format: 'int64' } : {}),
    ...printed,
  };
}

/** Generators make types of these formats. Such types have no length and no pattern. */
const TYPED_FORMATS: readonly unknown[] = ['uuid', 'date', 'date-time'];

const LARGEST_OF_32_BITS = 2_147_483_647;

/** Whether an integer may be larger than the 32 bits that generators of clients take it for. */
const isLong = ({ type, maximum, enum: words }: Json) =>
  [type].flat().includes('integer') &&
  words === undefined &&
  Number(maximum ?? Infinity) > LARGEST_OF_32_BITS;

const fitsEmpty = (pattern: unknown) => new RegExp(String(pattern), 'u').test('');

/** `isRead`: the text is normalized before the check. */
function printFormat(name: string, isRead: boolean): Json {
  const format = FORMATS[name];
  if (format === undefined) return { format: name };
  const { pattern, sentPattern = pattern, standard, never, also } = format;
  return {
    ...(standard === undefined ? {} : { format: standard }),
    ...(TYPED_FORMATS.includes(standard) ? {} : { pattern: isRead ? sentPattern : pattern }),
    ...(never === undefined ? {} : { not: { type: 'string', pattern: never } }),
    ...(also?.example === undefined ? {} : { examples: [also.example] }),
  };
}

function printDecimal({ integerDigits, decimals, isPositive, maximum }: ExactDecimal): Json {
  return {
    type: 'number',
    [isPositive === true ? 'exclusiveMinimum' : 'minimum']: 0,
    ...(maximum === undefined ? { exclusiveMaximum: 10 ** integerDigits } : { maximum }),
    multipleOf: Number(`1e-${decimals}`),
  };
}

const OWN_KEYWORDS = ['mayHoldCard', 'reads', 'title'];

/** The meaning of a field, from its contract or by its path. A path of one part leads to no field. */
export function describedAs(schema: TSchema, wording: Wording, path: readonly string[]): string | undefined {
  return ownDescription(schema, wording) ?? (path.length > 1 ? wording.meaningOf(path) : undefined);
}

/** Beside a reference stands the meaning of the field, not that of the object. */
function meaningAt(schema: TSchema, wording: Wording, path: readonly string[]): string | undefined {
  if (nameOf(schema) === undefined) return describedAs(schema, wording, path);
  return path.length > 1 && ownDescription(schema, wording) === undefined
    ? wording.meaningOf(path)
    : undefined;
}

function ownDescription(schema: TSchema, { say }: Wording): string | undefined {
  const { description } = schema as { readonly description?: string };
  return description === undefined ? undefined : say(description);
}

function digitsKept({ integerDigits, decimals, maximum }: ExactDecimal) {
  if (maximum !== undefined)
    return {
      pt: `De 0 a ${maximum}, até ${decimals} decimais.`,
      en: `0 to ${maximum}, up to ${decimals} decimals.`,
    };
  return {
    pt: `Até ${integerDigits} dígitos inteiros e ${decimals} decimais, guardados dígito por dígito.`,
    en: `Up to ${integerDigits} integer digits and ${decimals} decimals, kept digit for digit.`,
  };
}

/** For a list item or a branch: the field around it has the meaning. */
function printPart(schema: TSchema, printing: Printed, path: readonly string[]): Json {
  const meaning = nameOf(schema) === undefined ? ownDescription(schema, printing) : undefined;
  return printDescribed(schema, meaning, printing, path);
}

type FieldsOf = TSchema & {
  readonly properties: Record<string, TSchema>;
  readonly required?: readonly string[];
};

function printFields(
  { properties, required = [] }: FieldsOf,
  printing: Printed,
  path: readonly string[],
): Json {
  const { sent } = printing;
  const printed = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const own = [...path, name];
      const printed = printDescribed(schema, meaningAt(schema, printing, own), printing, own);
      return [name, sent === 'lenient' && !required.includes(name) ? orNull(orEmpty(printed)) : printed];
    }),
  );
  return { properties: printed, ...(sent === 'exact' ? { additionalProperties: false } : {}) };
}

/** Without a minimum: an optional list that is empty counts as absent. */
function orEmpty({ minItems: _, ...printed }: Json): Json {
  return printed;
}

function orNull({ description, ...printed }: Json): Json {
  const said = description === undefined ? {} : { description };
  return { ...printAnyOf([...branchesOf(printed), { type: 'null' }]), ...said };
}

function branchesOf(printed: Json): Json[] {
  const { anyOf } = printed;
  return Array.isArray(anyOf) ? anyOf : [printed];
}

const IS_NULL = JSON.stringify({ type: 'null' });

/** "A string or null" becomes one type with two names, which every reader knows. */
function printAnyOf(all: readonly Json[]): Json {
  const branches = all.filter((branch) => JSON.stringify(branch) !== IS_NULL);
  const isBare = all.every((branch) => Object.keys(branch).join() === 'type');
  if (isBare) return { type: all.flatMap(({ type }) => type) };
  const [first = {}] = branches;
  if (branches.length > 1 || typeof first.type !== 'string') return { anyOf: all };
  const { type, enum: words, ...others } = first;
  return { type: [type, 'null'], ...(Array.isArray(words) ? { enum: [...words, null] } : {}), ...others };
}

/** A blank text is refused: an empty variable of a script would read everything. */
function notBlank(printed: Json): Json {
  if (TYPED_FORMATS.includes(printed.format)) return printed;
  return saidOnce({ ...(printed.pattern === undefined ? { pattern: '\\S' } : { minLength: 1 }), ...printed });
}

/** In a query an empty choice or number counts as absent. */
export function printParameters(
  place: 'path' | 'query',
  schema: TObject | undefined,
  printing: Printing,
  { id, answers }: Pick<Contract, 'id' | 'answers'>,
): Record<string, unknown>[] {
  if (schema === undefined) return [];
  const required = (schema.required ?? []) as readonly string[];
  const mayBeEmpty = (name: string, property: TSchema) =>
    place === 'query' && !required.includes(name) && !isFreeText(property);
  return Object.entries(schema.properties as Record<string, TSchema>).map(([name, property]) => {
    const { description, ...printed } = printSchema(property, printing, [id, name]);
    return {
      name,
      in: place,
      ...(place === 'path' || required.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      ...(mayBeEmpty(name, property) ? { allowEmptyValue: true } : {}),
      ...(place === 'path' || required.includes(name) ? exampleOfParameter(place, name, answers) : {}),
      schema: place === 'query' && isFreeText(property) ? notBlank(printed) : printed,
    };
  });
}
