import { type FieldSchema, fits, longestText, sampleOf } from './fields.ts';
import { type JsonTree, Members, Written } from './json-tree.ts';

/** One value to be put at a field, and what the contract says of it there. */
export type FieldValue = {
  readonly name: string;
  readonly value: JsonTree;
  /**
   * `fits`: nothing may be said of its shape; `misfits`: 400 that names the field; `unreadable`:
   * 400 that names the
   * field or what is inside it, from the reader of JSON; `broken`: 400, for the text is no JSON or
   * no UTF-8 at all.
   */
  readonly is: 'fits' | 'misfits' | 'unreadable' | 'broken';
};

/** Stands for the byte 0xff, which is no UTF-8, until the body becomes bytes. */
export const BAD_BYTE = '\uf8ff';

const NOT_READABLE: readonly (readonly [string, string])[] = [
  ['NUL', '"a\\u0000b"'],
  ['a NUL as it is', '"a\u0000b"'],
  ['half a surrogate pair', '"\\ud800"'],
  ['the other half of a surrogate pair', '"x\\udfffy"'],
  ['a surrogate pair the wrong way round', '"\\udc00\\ud800"'],
  ['a line break as it is', '"a\nb"'],
  ['an escape that there is not', '"\\x41"'],
  ['NaN', 'NaN'],
  ['Infinity', '-Infinity'],
  ['undefined', 'undefined'],
  ['a number with a leading zero', '012'],
  ['a number with a plus', '+1'],
  ['a number without an integer', '.5'],
  ['a number of 65 digits', '1'.repeat(65)],
  ['lists in each other', `${'['.repeat(40)}${']'.repeat(40)}`],
  ['objects in each other', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`],
  ['a name twice inside', '{"a":1,"a":2}'],
  ['__proto__ inside', '{"__proto__":{"isAdmin":true}}'],
  ['__proto__ written with escapes', '[{"\\u005f_proto__":1}]'],
];

const NUMBERS =
  '0 -0 -1 1 1.0 1.5 1e0 1e2 1E+2 100e-2 1e400 -1e400 1e-400 0.1 9007199254740993 9223372036854775807 9223372036854775808 123456789012345678901234567890 18446744073709551616 2147483648'.split(
    ' ',
  );

/** Texts that look harmless to one reader and not to the next. */
const ODD_TEXTS: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a blank', ' '],
  ['a line break', '\r\nX'],
  ['an override of direction', '\u202e\u2066A'],
  ['control characters', '\u0001\u001b[31m\u007f\u0085'],
  ['a byte order mark', '\ufeffA'],
  ['no visible character', '\u200b\u200d\u00ad'],
  ['a line separator', 'A\u2028B\u2029'],
  ['a quote that ends a statement', "' or 1=1--"],
  ['a formula', '=1+1'],
  ['a template', '\u0024{7*7}{{7*7}}%s%n'],
  ['a lookup', '\u0024{jndi:ldap://x}'],
  ['a way out of the folder', '../../../etc/passwd'],
  ['a word of JavaScript', 'constructor'],
  ['a word of JSON', 'null'],
  ['digits of another script', '١٢٣'],
  ['a number', '123'],
  ['a non-character', '\ufffe\uffff'],
];

/** Everything that is tried at a field of a body. */
export function valuesFor(schema: FieldSchema): FieldValue[] {
  const judged = (name: string, value: JsonTree): FieldValue => ({
    name,
    value,
    is: fits(schema, value) ? 'fits' : 'misfits',
  });
  return [
    ...limitsOf(schema).map(([name, value]) => judged(name, value)),
    ...otherTypes(schema).map(([name, value]) => judged(name, value)),
    ...NUMBERS.map((text) => judged(`the number ${text}`, new Written(text))),
    ...ODD_TEXTS.map(([name, text]) => judged(name, text)),
    ...NOT_READABLE.map(([name, text]): FieldValue => ({ name, value: new Written(text), is: 'unreadable' })),
    { name: 'a hexadecimal number', value: new Written('0x10'), is: 'broken' },
    { name: 'a value without end', value: new Written('"'), is: 'broken' },
    { name: 'bytes that are no UTF-8', value: new Written(`"a${BAD_BYTE}b"`), is: 'broken' },
  ];
}

function otherTypes(schema: FieldSchema): (readonly [string, JsonTree])[] {
  const sample = sampleOf(schema);
  return [
    ['a text', 'Zq7xKv'],
    ['true', true],
    ['false', false],
    ['an empty list', []],
    ['a list of what belongs here', [sample]],
    ['a list of nothing', [null]],
    ['an empty object', new Members([])],
    ['an object with a length', new Members([['length', 3]])],
    [
      'an object that says how to print it',
      new Members([
        ['toString', 'x'],
        ['toJSON', 'y'],
        ['valueOf', 1],
      ]),
    ],
    ['an object in the place of the value', new Members([['value', sample]])],
    ['a list of twenty thousand', new Written(`[${'0,'.repeat(19_999)}0]`)],
  ];
}

type Named = readonly [name: string, value: JsonTree];

function limitsOf(schema: FieldSchema): Named[] {
  const { type, enum: allowed, items, maxItems } = schema;
  if (allowed !== undefined) return allowed.flatMap((value) => enumLimits(value));
  if (type === 'string') return textLimits(schema);
  if (schema.exactDecimal !== undefined) return decimalLimits(schema.exactDecimal);
  if (type === 'integer' || type === 'number') return numberLimits(schema);
  if (type === 'array' && maxItems !== undefined) {
    const list = (length: number) => Array.from({ length }, () => sampleOf(items ?? {}));
    return [
      ['as many as allowed', list(maxItems)],
      ['one more than allowed', list(maxItems + 1)],
    ];
  }
  return [];
}

function enumLimits(value: unknown): Named[] {
  if (typeof value !== 'string') return [['an allowed value', value as JsonTree]];
  return [
    [`the allowed value ${value}`, value],
    [`${value} in other letters`, value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase()],
    [`${value} with a blank behind it`, `${value} `],
    [`${value} in a list`, [value]],
  ];
}

function textLimits(schema: FieldSchema): Named[] {
  const { maxLength, minLength = 0, format } = schema;
  const longest = longestText(schema);
  const over =
    format === undefined || format === 'visibleText' || format === 'filledText' ? '𝒜' : longest.slice(-1);
  return [
    ['as long as allowed', longest],
    ['one character over', longest + over],
    ...(maxLength === undefined
      ? []
      : ([
          ['as long as allowed in plain letters', 'A'.repeat(maxLength)],
          ['one plain letter over', 'A'.repeat(maxLength + 1)],
          ['as long as allowed in digits', '9'.repeat(maxLength)],
          ['one digit over', '9'.repeat(maxLength + 1)],
          ['as long as allowed in blanks', ' '.repeat(maxLength)],
          ['thirty thousand letters', 'A'.repeat(30_000)],
        ] satisfies Named[])),
    ...(minLength > 0 ? ([['one character short', 'A'.repeat(minLength - 1)]] satisfies Named[]) : []),
  ];
}

/** As text: one more than the greatest may be more than JavaScript can count. */
function numberLimits({ minimum, maximum }: FieldSchema): Named[] {
  const beside = (limit: number, step: bigint): Written => new Written(String(BigInt(limit) + step));
  return [
    ...(minimum === undefined
      ? []
      : ([
          ['the least', minimum],
          ['one under the least', beside(minimum, -1n)],
        ] satisfies Named[])),
    ...(maximum === undefined
      ? []
      : ([
          ['the greatest', maximum],
          ['one over the greatest', beside(maximum, 1n)],
          ['a fraction over the greatest', new Written(`${maximum}.5`)],
        ] satisfies Named[])),
  ];
}

function decimalLimits({ integerDigits, decimals }: { integerDigits: number; decimals: number }): Named[] {
  const number = (before: number, after: number) =>
    new Written('9'.repeat(before) + (after === 0 ? '' : `.${'9'.repeat(after)}`));
  return [
    ['all digits', number(integerDigits, decimals)],
    ['one digit more before the point', number(integerDigits + 1, decimals)],
    ['one digit more behind the point', number(integerDigits, decimals + 1)],
    ['zeros behind the last digit', new Written(`1.${'0'.repeat(decimals + 5)}`)],
  ];
}

/** A text of a query or a path as it is written there. `misfits`: 400 that names the parameter. */
export type UrlValue = { readonly name: string; readonly encoded: string; readonly is: 'fits' | 'misfits' };

/**
 * Everything that is tried at a query parameter. All of it is text; an integer is digits; one
 * without a value is not there.
 */
export function queryValuesFor(schema: FieldSchema, isRequired: boolean): UrlValue[] {
  const judged = (name: string, text: string): UrlValue => ({
    name,
    encoded: encodeURIComponent(text),
    is: queryFits(schema, text, isRequired) ? 'fits' : 'misfits',
  });
  const limits = limitsOf(schema).filter(
    ([, value]) => typeof value !== 'object' || value instanceof Written,
  );
  const texts = limits.map(([name, value]) =>
    judged(name, value instanceof Written ? value.text : String(value)),
  );
  // A request line has 16 KiB at most; what is longer is no longer a question of this field.
  const short = texts.filter(({ encoded }) => encoded.length < 8_000);
  return [
    ...short,
    ...ODD_TEXTS.map(([name, text]) => judged(name, text)),
    ...NUMBERS.map((text) => judged(`the number ${text}`, text)),
    { name: 'NUL', encoded: 'a%00b', is: 'misfits' },
    { name: 'a NUL alone', encoded: '%00', is: 'misfits' },
    { name: 'half a surrogate pair', encoded: '%ED%A0%80', is: 'misfits' },
    { name: 'bytes that are no UTF-8', encoded: 'a%FFb', is: 'misfits' },
    { name: 'a longer spelling of a slash', encoded: '%C0%AF', is: 'misfits' },
    { name: 'a percent sign alone', encoded: '100%', is: 'misfits' },
    { name: 'a percent sign and no digits', encoded: '%zz', is: 'misfits' },
  ];
}

/** A choice or number may be empty; of a text nothing is left out by an empty one. */
function queryFits(schema: FieldSchema, text: string, isRequired: boolean): boolean {
  const isFreeText = schema.type === 'string' && schema.enum === undefined && schema.const === undefined;
  if (isFreeText && text.trim() === '') return false;
  if (text === '') return !isRequired;
  if (schema.type !== 'integer' && schema.type !== 'number') return fits(schema, text);
  return /^\d{1,15}$/.test(text) && fits(schema, new Written(text));
}

/** What is tried in the place of an id in a path; all of it is the id of nothing. */
export function pathValues(): readonly (readonly [name: string, encoded: string])[] {
  return [
    ['NUL', '%00'],
    ['an id with a NUL behind it', '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44%00'],
    ['a line break', '%0d%0aSet-Cookie:%20a=b'],
    ['an override of direction', '%E2%80%AE'],
    ['a slash in disguise', '..%2f..%2fhealth%2flive'],
    ['a backslash', '..%5c..%5c'],
    ['dots', '%2e%2e%2e'],
    ['a statement', "'%20or%201=1--"],
    ['a very long id', 'a'.repeat(8_000)],
    ['a blank', '%20'],
    ['a word of JavaScript', '__proto__'],
    ['another word of JavaScript', 'constructor'],
    ['a number', '1'],
    ['a number of 40 digits', '9'.repeat(40)],
    ['null', 'null'],
    ['a list', '%5B%5D'],
    ['an id in braces', '%7B0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44%7D'],
    ['an id without dashes', '0199c1f26a2b7c119a3e5d1f0c7b2a44'],
    ['an id with a letter too many', '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44a'],
    ['an id with a letter too few', '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a4'],
    ['the id of nothing', '00000000-0000-0000-0000-000000000000'],
  ];
}
