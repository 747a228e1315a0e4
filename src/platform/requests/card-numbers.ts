import type { TSchema } from 'typebox';
import { readBasicAuth } from '../../values/basic-auth.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import type { PointedFault } from '../http/schema-faults.ts';
import type { Sentence } from '../http/sentence.ts';

export const CARD_NUMBER_IN_TEXT: Sentence = {
  pt:
    'Não pode conter um número de cartão, nem algo que passe por um. Se for um número seu (pedido, referência), ponha uma ' +
    'letra entre os dígitos, como em 12345678P90123456.',
  en:
    'Must not hold a card number, nor what passes for one. If it is a number of yours (order, reference), put a letter ' +
    'between the digits, as in 12345678P90123456.',
};

type SchemaParts = {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly mayHoldCard?: boolean;
};

type Finder = (value: unknown, pointer: string) => PointedFault[];

/** Finds texts with a card number, which must not be stored. Skips fields with `mayHoldCard`. */
export function cardNumberFinder(schema: TSchema): (value: unknown) => PointedFault[] {
  const find = finderOf(schema);
  return (value) => find(value, '');
}

const NOTHING: Finder = () => [];

function finderOf(schema: TSchema): Finder {
  const { type, properties, items, mayHoldCard, enum: allowed, format } = schema as SchemaParts;
  if (properties !== undefined) return objectFinder(properties);
  if (items !== undefined) return listFinder(items);
  if (type !== 'string' || mayHoldCard === true || allowed !== undefined) return NOTHING;
  const textOf = format === 'basicAuth' ? readBasicAuth : (text: string) => text;
  return (value, pointer) => {
    const text = typeof value === 'string' ? textOf(value) : null;
    return text !== null && holdsCardNumber(text) ? [{ pointer, sentence: CARD_NUMBER_IN_TEXT }] : [];
  };
}

function objectFinder(properties: Readonly<Record<string, TSchema>>): Finder {
  const finders = Object.entries(properties)
    .map(([name, schema]) => ({ name, find: finderOf(schema) }))
    .filter(({ find }) => find !== NOTHING);
  return (value, pointer) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    const fields = value as Record<string, unknown>;
    return finders.flatMap(({ name, find }) => find(fields[name], `${pointer}/${name}`));
  };
}

function listFinder(items: TSchema): Finder {
  const find = finderOf(items);
  if (find === NOTHING) return NOTHING;
  return (value, pointer) =>
    Array.isArray(value) ? value.flatMap((item, index) => find(item, `${pointer}/${index}`)) : [];
}
