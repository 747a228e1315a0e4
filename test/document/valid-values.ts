import fc, { type Arbitrary } from 'fast-check';
import { resolved, type Schema, type ServedDocument, typesOf, type Validate } from './served-document.ts';

/** Of a text, list or number whose schema has no bound. */
const LONGEST_TEXT = 40;
const MOST_ITEMS = 3;
const FEW_FIELDS = 3;
const LARGEST_NUMBER = 1_000_000;
/** Of ten tries: where the document has an example for what no pattern says. */
const EXAMPLES_OF_TEN = 8;

/** Makes values that a schema of the document allows, from nothing but the document. */
export function valuesOf(document: ServedDocument, schema: Schema, isValid: Validate): Arbitrary<unknown> {
  const make = (inner: Schema): Arbitrary<unknown> => {
    const whole = resolved(document, inner);
    const { anyOf, enum: words, const: only } = whole;
    if (only !== undefined) return fc.constant(only);
    if (words !== undefined) return fc.constantFrom(...words);
    if (anyOf !== undefined && whole.properties === undefined) return fc.oneof(...anyOf.map(make));
    const types = typesOf(whole);
    return fc.oneof(
      ...types.map((type) => ({ weight: type === 'null' ? 1 : 4, arbitrary: ofType(type, whole, make) })),
    );
  };
  return make(schema).filter((value) => isValid(schema, value));
}

function ofType(
  type: string,
  schema: Schema,
  make: (inner: Schema) => Arbitrary<unknown>,
): Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'array':
      return fc.array(make(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? MOST_ITEMS, Math.max(MOST_ITEMS, schema.minItems ?? 0)),
      });
    case 'object':
      return objectOf(schema, make);
    default:
      throw new Error(`the document has the type ${type}, which is none of JSON Schema's`);
  }
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: Schema,
  make: (inner: Schema) => Arbitrary<unknown>,
): Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, own]) => [name, make(own)]));
  const optional = Object.keys(fields).filter((name) => !required.includes(name));
  // Of many at once, some never go together: half of the objects have few.
  const few = fc
    .subarray(optional, { maxLength: Math.min(FEW_FIELDS, optional.length) })
    .chain((some) =>
      fc.record(
        Object.fromEntries(Object.entries(fields).filter(([name]) => [...required, ...some].includes(name))),
      ),
    );
  const known = fc.oneof(fc.record(fields, { requiredKeys: [...required] }), few);
  if (additionalProperties === false) return known;
  return fc.oneof(
    { weight: 9, arbitrary: known },
    { weight: 1, arbitrary: known.map((value) => ({ ...value, ...UNKNOWN_FIELDS })) },
  );
}

/** Where an object may have more, it may have these. */
const UNKNOWN_FIELDS = { semSentido: { a: [1, { b: null }] } };

const dayText = (date: Date) => date.toISOString().slice(0, 10);
const ANY_DAY = fc
  .date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map(dayText);
/** Of which fewer than all are allowed; the validator knows them. */
const EDGE_DAYS = fc.constantFrom(
  '1919-12-31',
  '1920-01-01',
  '1920-01-02',
  '2028-02-29',
  '9999-12-30',
  '9999-12-31',
);
const TIMES = fc
  .tuple(fc.date({ noInvalidDate: true }), fc.constantFrom('', '.5', '.123456789', '.1234567890'))
  .chain(([date, fraction]) =>
    fc
      .constantFrom('Z', 'z', '-03:00', '+14:59', '-14:59', '+15:00', '-23:59')
      .map((offset) => `${date.toISOString().slice(-13, -5)}${fraction}${offset}`),
  );

function textOf({ format, pattern, minLength = 0, maxLength, examples }: Schema): Arbitrary<string> {
  if (format === 'uuid')
    return fc.oneof(
      fc.uuid(),
      fc.uuid().map((text) => text.toUpperCase()),
    );
  if (format === 'date') return fc.oneof(ANY_DAY, EDGE_DAYS);
  if (format === 'date-time')
    return fc.tuple(fc.oneof(ANY_DAY, EDGE_DAYS), TIMES).map((parts) => parts.join('T'));
  const longest = maxLength ?? Math.max(LONGEST_TEXT, minLength);
  // JSON Schema counts code points.
  const fits = (text: string) => [...text].length >= minLength && [...text].length <= longest;
  const made =
    pattern === undefined
      ? fc.string({
          unit: 'binary',
          minLength,
          maxLength: Math.min(longest, Math.max(LONGEST_TEXT, minLength)),
        })
      : matchesOf(new RegExp(pattern, 'u'), minLength, longest);
  const texts = made.filter((text) => fits(text) && !text.includes('\0') && text.isWellFormed());
  if (examples === undefined) return texts;
  const known = fc.constantFrom(...(examples as string[]));
  return fc.oneof(
    { weight: EXAMPLES_OF_TEN, arbitrary: known },
    { weight: 10 - EXAMPLES_OF_TEN, arbitrary: texts },
  );
}

/** A generated match is short: where more is asked, matches in a row that are one again. */
function matchesOf(pattern: RegExp, minLength: number, longest: number): Arbitrary<string> {
  const one = fc.stringMatching(pattern, { maxLength: longest });
  if (minLength <= LONGEST_TEXT) return one;
  return fc
    .array(one, { minLength, maxLength: minLength })
    .map((texts) => [...texts.join('')].slice(0, longest).join(''))
    .filter((text) => pattern.test(text));
}

function numberOf(schema: Schema): Arbitrary<number> {
  const step = schema.multipleOf ?? 1;
  const inSteps = (value: number) => Math.round(value / step);
  const least = schema.minimum ?? schema.exclusiveMinimum ?? 0;
  const most = schema.maximum ?? schema.exclusiveMaximum ?? LARGEST_NUMBER;
  const min = inSteps(least) + (schema.exclusiveMinimum === undefined ? 0 : 1);
  const max = inSteps(most) - (schema.exclusiveMaximum === undefined ? 0 : 1);
  const decimals = step < 1 ? Math.round(-Math.log10(step)) : 0;
  const steps = fc.oneof(
    fc.integer({ min, max: Math.min(max, min + LARGEST_NUMBER) }),
    // The largest are digits that a floating number still tells apart.
    fc.constantFrom(min, ...(max <= Number.MAX_SAFE_INTEGER ? [max] : [])),
  );
  return steps.map((count) => (decimals === 0 ? count * step : Number(`${count}e-${decimals}`)));
}
