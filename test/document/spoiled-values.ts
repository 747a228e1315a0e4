import fc, { type Arbitrary } from 'fast-check';
import {
  objectIn,
  resolved,
  type Schema,
  type ServedDocument,
  typesOf,
  type Validate,
} from './served-document.ts';

/** A value that the document refuses, and what was done to it. */
export type Spoiled = {
  readonly value: unknown;
  readonly place: string;
  readonly how: string;
  /** What stands at the place now. */
  readonly wrong: unknown;
  readonly schema: Schema;
  readonly isRequired: boolean;
};

type Place = {
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
  /** Whether the object around it needs it. */
  readonly isRequired: boolean;
};

const WRONG_TYPES: readonly unknown[] = ['texto', 7, 1.5, true, null, {}, [], ['x'], { x: 1 }];

/** The validator knows which of them a field takes all the same. */
const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  date: [
    '1919-12-31',
    '0001-01-01',
    '2027-02-29',
    '2027-13-01',
    '2027-3-1',
    '12027-03-01',
    '2027-03-01T00:00:00Z',
  ],
  'date-time': [
    ...['1919-12-31T23:59:59Z', '1920-01-01T00:00:00Z', '9999-12-31T23:59:59-03:00', '2027-02-29T00:00:00Z'],
    ...['2027-03-01T09:00:00', '2027-03-01T24:00:00Z', '2027-03-01T09:00:60Z', '2027-03-01T09:00:00+15:00'],
  ],
  uuid: ['6f1c4f0e3b554c9c9a570a3a6f1b2c3d', '6f1c4f0e-3b55-4c9c-9a57-0a3a6f1b2c3', 'g'.repeat(36)],
};

/** Changes one thing of a valid value, so that the document refuses it. */
export function spoiledValuesOf(
  document: ServedDocument,
  schema: Schema,
  valid: Arbitrary<unknown>,
  isValid: Validate,
): Arbitrary<Spoiled> {
  return fc
    .tuple(valid, fc.nat(), fc.nat())
    .map(([value, chosenPlace, chosenHow]): Spoiled | null => {
      const places = placesOf(document, schema, value, []);
      const place = places[chosenPlace % places.length];
      if (place === undefined) return null;
      const changes = changesOf(valueAt(value, place.path), place);
      const change = changes[chosenHow % changes.length];
      if (change === undefined) return null;
      const spoiled = changed(value, place.path, change.value);
      const at = place.path.join('.');
      const { schema: own, isRequired } = place;
      if (isValid(schema, spoiled)) return null;
      return { value: spoiled, place: at, how: change.how, wrong: change.value, schema: own, isRequired };
    })
    .filter((spoiled) => spoiled !== null);
}

function placesOf(
  document: ServedDocument,
  schema: Schema,
  value: unknown,
  path: readonly (string | number)[],
  isRequired = true,
): Place[] {
  const whole = resolved(document, schema);
  const branch = objectIn(document, schema);
  const own = { path, schema: { ...branch, ...whole }, isRequired };
  if (value === null || typeof value !== 'object') return [own];
  if (Array.isArray(value))
    return [
      own,
      ...value.flatMap((item, index) =>
        placesOf(document, branch.items ?? {}, item, [...path, index], false),
      ),
    ];
  const inside = Object.entries(branch.properties ?? {})
    .filter(([name]) => Object.hasOwn(value, name))
    .flatMap(([name, field]) =>
      placesOf(
        document,
        field,
        (value as Record<string, unknown>)[name],
        [...path, name],
        branch.required?.includes(name) ?? false,
      ),
    );
  return [own, ...inside];
}

/** In a query everything is a text, an empty choice or number is absent, and there are no objects. */
export function isSpoiledOnTheWire({ place, how, wrong, schema, value }: Spoiled): boolean {
  if (place === '' || place === 'query' || typeof value !== 'object') return false;
  if (place === 'body' && how === 'is missing') return false;
  if (!place.startsWith('query.')) return true;
  if (how === 'is missing') return true;
  if (typeof wrong === 'object' || typeof wrong === 'symbol') return false;
  const isFreeText = [schema.type].flat().includes('string') && schema.enum === undefined;
  if (wrong === '') return isFreeText;
  const fitsAsText = isFreeText && typeof wrong !== 'string';
  return !fitsAsText && !(typeof wrong === 'number' && [schema.type].flat().includes('number'));
}

export const CAPITAL_NAME = 'has a name with a capital letter';
const ABSENT = Symbol('absent');
type Change = { readonly how: string; readonly value: unknown };

function changesOf(value: unknown, { schema, isRequired, path }: Place): Change[] {
  const changes: Change[] = WRONG_TYPES.map((wrong) => ({
    how: `is ${JSON.stringify(wrong)}`,
    value: wrong,
  }));
  if (isRequired && path.length > 0) changes.push({ how: 'is missing', value: ABSENT });
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, maxLength, minLength, maxItems } =
    schema;
  const add = (how: string, wrong: unknown) => changes.push({ how, value: wrong });
  if (minimum !== undefined) add('is below its minimum', minimum - 1);
  if (maximum !== undefined) add('is above its maximum', maximum + 1);
  if (exclusiveMinimum !== undefined) add('is its exclusive minimum', exclusiveMinimum);
  if (exclusiveMaximum !== undefined) add('is its exclusive maximum', exclusiveMaximum);
  if (multipleOf !== undefined) add('has a decimal too many', Number(`${multipleOf / 10}`));
  if (typesOf(schema).includes('integer')) add('is no integer', 1.5);
  if (maxLength !== undefined) add('is too long', 'x'.repeat(maxLength + 1));
  if (minLength !== undefined && minLength > 0) add('is too short', 'x'.repeat(minLength - 1));
  if (schema.enum !== undefined) add('is none of the choices', 'nenhuma');
  for (const text of NEIGHBOURS[schema.format ?? ''] ?? []) add('is beside its format', text);
  if (schema.pattern !== undefined) {
    for (const text of ['#', `${value}#`, `x${value}`, 'ação', '\n', '0']) add('is not of its pattern', text);
  }
  if (maxItems !== undefined && Array.isArray(value) && value.length > 0)
    add(
      'has too many items',
      Array.from({ length: maxItems + 1 }, () => value[0]),
    );
  if (schema.additionalProperties === false && value !== null && typeof value === 'object')
    add('has an unknown field', { ...value, semSentido: 7 });
  const [named] = Object.keys(schema.properties ?? {}).filter((name) => Object.hasOwn(Object(value), name));
  if (named !== undefined) add(CAPITAL_NAME, withCapital(value as object, named));
  for (const name of Object.keys(schema.properties ?? {}))
    if (value !== null && typeof value === 'object' && !Object.hasOwn(value, name))
      add(`has ${name} as a list`, { ...value, [name]: [[7]] });
  return changes;
}

function withCapital(value: object, named: string): object {
  const capital = named.charAt(0).toUpperCase() + named.slice(1);
  return Object.fromEntries(
    Object.entries(value).map(([name, own]) => [name === named ? capital : name, own]),
  );
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inside, part) => (inside as Record<string | number, unknown>)[part], value);
}

function changed(value: unknown, path: readonly (string | number)[], to: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return to;
  if (Array.isArray(value))
    return value.map((item, index) => (index === first ? changed(item, rest, to) : item));
  const entries = Object.entries(value as object).flatMap(([name, own]) => {
    if (name !== first) return [[name, own]];
    const next = changed(own, rest, to);
    return next === ABSENT ? [] : [[name, next]];
  });
  return Object.fromEntries(entries);
}
