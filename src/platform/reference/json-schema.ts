import type { TObject, TSchema } from 'typebox';
import type { ExactDecimal } from '../http/schema-faults.ts';
import { FORMATS } from '../requests/formats.ts';
import { isFreeText } from '../requests/text-readings.ts';
import { AS_DECLARED, type Wording } from './wording.ts';

type Json = Record<string, unknown>;

type Printing = {
  readonly wording: Wording;
  /** Null counts as absent, as in most request bodies. */
  readonly takesNull: boolean;
};

/** In JSON Schema 2020-12, common keywords only. `path` begins with the id of the operation. */
export function printSchema(
  schema: TSchema,
  wording: Wording = AS_DECLARED,
  path: readonly string[] = [],
  takesNull = false,
): Json {
  return printDescribed(schema, describedAs(schema, wording, path), { wording, takesNull }, path);
}

function printDescribed(
  schema: TSchema,
  meaning: string | undefined,
  printing: Printing,
  path: readonly string[],
): Json {
  const { wording } = printing;
  const printed: Json = {};
  const said = [meaning ?? ''];
  for (const [keyword, value] of Object.entries(schema as Json)) {
    if (keyword === 'properties') printed[keyword] = printFields(schema as FieldsOf, printing, path);
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
      if (format !== undefined) said.push(wording.pick(format.sentence));
    } else if (keyword === 'exactDecimal') {
      Object.assign(printed, printDecimal(value as ExactDecimal));
      said.push(wording.pick(digitsKept(value as ExactDecimal)));
    } else if (!OWN_KEYWORDS.includes(keyword) && keyword !== 'description') printed[keyword] = value;
  }
  const description = said.filter(Boolean).join(' ');
  return description === '' ? printed : { ...printed, description };
}

/** `isRead`: the text is normalized before it is checked. */
function printFormat(name: string, isRead: boolean): Json {
  const format = FORMATS[name];
  if (format === undefined) return { format: name };
  const { pattern, sentPattern = pattern, standard, also } = format;
  return {
    ...(standard === undefined ? {} : { format: standard }),
    ...(standard === 'uuid' ? {} : { pattern: isRead ? sentPattern : pattern }),
    ...(also === undefined ? {} : { examples: [also.example] }),
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

const OWN_KEYWORDS = ['mayHoldCard', 'reads'];

/** By contract or path. The schema at the head of a path is no field. */
export function describedAs(schema: TSchema, wording: Wording, path: readonly string[]): string | undefined {
  return ownDescription(schema, wording) ?? (path.length > 1 ? wording.meaningOf(path) : undefined);
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
function printPart(schema: TSchema, printing: Printing, path: readonly string[]): Json {
  return printDescribed(schema, ownDescription(schema, printing.wording), printing, path);
}

type FieldsOf = TSchema & {
  readonly properties: Record<string, TSchema>;
  readonly required?: readonly string[];
};

function printFields(
  { properties, required = [] }: FieldsOf,
  printing: Printing,
  path: readonly string[],
): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const own = [...path, name];
      const printed = printDescribed(schema, describedAs(schema, printing.wording, own), printing, own);
      return [name, printing.takesNull && !required.includes(name) ? orNull(printed) : printed];
    }),
  );
}

function orNull(printed: Json): Json {
  const { type, enum: words, anyOf } = printed;
  if (Array.isArray(anyOf)) return { ...printed, anyOf: [...anyOf, { type: 'null' }] };
  if (typeof type !== 'string') return printed;
  return { ...printed, type: [type, 'null'], ...(Array.isArray(words) ? { enum: [...words, null] } : {}) };
}

/** "A string or null" is shorter as one type with two names. */
function printAnyOf(branches: readonly Json[]): Json {
  const isBare = branches.every((branch) => Object.keys(branch).join() === 'type');
  return isBare ? { type: branches.map((branch) => branch.type) } : { anyOf: branches };
}

/** In a query an empty choice or number counts as absent. */
export function printParameters(
  place: 'path' | 'query',
  schema: TObject | undefined,
  wording: Wording,
  id: string,
): Record<string, unknown>[] {
  if (schema === undefined) return [];
  const required = (schema.required ?? []) as readonly string[];
  const mayBeEmpty = (name: string, property: TSchema) =>
    place === 'query' && !required.includes(name) && !isFreeText(property);
  return Object.entries(schema.properties as Record<string, TSchema>).map(([name, property]) => {
    const { description, ...printed } = printSchema(property, wording, [id, name]);
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      ...(mayBeEmpty(name, property) ? { allowEmptyValue: true } : {}),
      schema: printed,
    };
  });
}
