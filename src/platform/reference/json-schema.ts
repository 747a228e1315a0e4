import type { TSchema } from 'typebox';
import { FORMATS } from '../http/schema-faults.ts';
import { AS_DECLARED, type Wording } from './wording.ts';

type Json = Record<string, unknown>;

/**
 * A schema of ours in the words of JSON Schema 2020-12: only what any reader understands. Formats keep
 * their name and describe themselves in words. `path`: where the schema stands, from the id of its
 * operation on.
 */
export function printSchema(
  schema: TSchema,
  wording: Wording = AS_DECLARED,
  path: readonly string[] = [],
): Json {
  return printDescribed(schema, describedAs(schema, wording, path), wording, path);
}

function printDescribed(
  schema: TSchema,
  meaning: string | undefined,
  wording: Wording,
  path: readonly string[],
): Json {
  const printed: Json = {};
  const said = [meaning ?? ''];
  for (const [keyword, value] of Object.entries(schema as Json)) {
    if (keyword === 'properties')
      printed[keyword] = printEach(value as Record<string, TSchema>, wording, path);
    else if (keyword === 'items') printed[keyword] = printPart(value as TSchema, wording, path);
    else if (keyword === 'anyOf')
      Object.assign(
        printed,
        printAnyOf((value as TSchema[]).map((branch) => printPart(branch, wording, path))),
      );
    else if (keyword === 'enum')
      Object.assign(printed, { type: typeof (value as unknown[])[0], enum: value });
    else if (keyword === 'format') {
      printed[keyword] = value === 'guid' ? 'uuid' : value;
      const format = FORMATS[String(value)];
      if (format !== undefined) said.push(wording.pick(format.sentence));
    } else if (keyword === 'exactDecimal') {
      const { isPositive } = value as ExactDecimal;
      Object.assign(printed, { type: 'number', [isPositive === true ? 'exclusiveMinimum' : 'minimum']: 0 });
      said.push(wording.pick(digitsKept(value as ExactDecimal)));
    } else if (!OWN_KEYWORDS.includes(keyword) && keyword !== 'description') printed[keyword] = value;
  }
  const description = said.filter(Boolean).join(' ');
  return description === '' ? printed : { ...printed, description };
}

/** Of our readers. */
const OWN_KEYWORDS = ['mayHoldCard', 'reads'];

/** What a field means, by its contract or by its path. A schema at the head of a path is no field. */
export function describedAs(schema: TSchema, wording: Wording, path: readonly string[]): string | undefined {
  return ownDescription(schema, wording) ?? (path.length > 1 ? wording.meaningOf(path) : undefined);
}

function ownDescription(schema: TSchema, { say }: Wording): string | undefined {
  const { description } = schema as { readonly description?: string };
  return description === undefined ? undefined : say(description);
}

export type ExactDecimal = {
  readonly integerDigits: number;
  readonly decimals: number;
  readonly isPositive?: boolean;
};

function digitsKept({ integerDigits, decimals }: ExactDecimal) {
  return {
    pt: `Até ${integerDigits} dígitos inteiros e ${decimals} decimais, guardados dígito por dígito.`,
    en: `Up to ${integerDigits} integer digits and ${decimals} decimals, kept digit for digit.`,
  };
}

/** An entry of a list, or a branch: the field around it has the meaning, a part its own description. */
function printPart(schema: TSchema, wording: Wording, path: readonly string[]): Json {
  return printDescribed(schema, ownDescription(schema, wording), wording, path);
}

function printEach(properties: Record<string, TSchema>, wording: Wording, path: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, printSchema(schema, wording, [...path, name])]),
  );
}

/** "A string or null" is shorter as one type with two names. */
function printAnyOf(branches: readonly Json[]): Json {
  const isBare = branches.every((branch) => Object.keys(branch).join() === 'type');
  return isBare ? { type: branches.map((branch) => branch.type) } : { anyOf: branches };
}
