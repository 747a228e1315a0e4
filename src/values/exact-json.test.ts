import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decimalParts, ExactNumber, type JsonFault, type JsonValue, readExactJson } from './exact-json.ts';

const NUL = String.fromCharCode(0);

function valueIn(source: string | Uint8Array, limits?: { maxDepth?: number }): JsonValue {
  const reading = readExactJson(source, limits);
  assert.ok(reading.ok, `fault ${JSON.stringify(reading)} in ${JSON.stringify(source)}`);
  return reading.value;
}

function faultIn(
  source: string | Uint8Array,
  limits?: { maxDepth?: number },
): Pick<JsonFault, 'kind' | 'path'> {
  const reading = readExactJson(source, limits);
  assert.ok(!reading.ok, `no fault in ${JSON.stringify(source)}`);
  const { kind, path } = reading.fault;
  return { kind, path };
}

/** What JSON.parse returns for the same text: exact numbers made inexact, negative zero made 0. */
function asParsed(value: unknown): unknown {
  if (value instanceof ExactNumber) return Number(value.source) + 0;
  if (typeof value === 'number') return value + 0;
  if (Array.isArray(value)) return value.map(asParsed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asParsed(member)]));
}

function holds(value: unknown, isWanted: (text: string, isName: boolean) => boolean): boolean {
  if (typeof value === 'string') return isWanted(value, false);
  if (Array.isArray(value)) return value.some((member) => holds(member, isWanted));
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([key, member]) => isWanted(key, true) || holds(member, isWanted));
}

/**
 * Prints a value with the blanks and escapes that `choose` (0 to 99) picks at every place
 * where JSON leaves a choice.
 */
function printed(value: unknown, choose: () => number): string {
  const blank = () => [' ', '\n', '\r\n', '\t', ' \t  '][choose() % 20] ?? '';
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = (content: string) => {
    let out = '"';
    for (const character of content) {
      const choice = choose();
      if (choice < 20) out += character.split('').map(escaped).join('');
      else if (character === '/' && choice < 60) out += '\\/';
      else out += JSON.stringify(character).slice(1, -1);
    }
    return `${out}"`;
  };
  const list = (parts: string[]) => parts.map((part) => blank() + part + blank()).join(',') || blank();
  const print = (part: unknown): string => {
    if (typeof part === 'string') return text(part);
    if (Array.isArray(part)) return `[${list(part.map(print))}]`;
    if (part === null || typeof part !== 'object') return JSON.stringify(part);
    return `{${list(Object.entries(part).map(([key, member]) => `${text(key)}${blank()}:${blank()}${print(member)}`))}}`;
  };
  return blank() + print(value) + blank();
}

const jsonText = fc
  .tuple(
    fc.oneof(
      fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }),
      fc.jsonValue({ maxDepth: 5 }),
      fc.dictionary(
        fc.constantFrom('constructor', 'prototype', '__proto__', 'toString', '0', '1', ''),
        fc.jsonValue(),
        {
          noNullPrototype: true,
        },
      ),
    ),
    fc.infiniteStream(fc.nat(99)),
  )
  .map(([value, choices]) => printed(value, () => choices.next().value ?? 0));

const MUTATION_PIECES = [
  ...'{}[]",:\\/bfnrtu0123456789eE+-. \n\t\u00e9\ud83d',
  ...[
    NUL,
    '\u001f',
    '\u00a0',
    '\ufeff',
    '\u2028',
    '\\u0000',
    '\\ud800',
    '\\udc00',
    '\\u00e9',
    '"a":1,',
    '"a":',
  ],
  ...[
    'true',
    'nul',
    'NaN',
    '1e400',
    '0.10',
    '00',
    '-',
    '-0',
    '__proto__',
    '"__proto__":1',
    '//',
    "'",
    '[[[[[[[[',
  ],
];

const mutatedText = fc
  .tuple(
    jsonText,
    fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...MUTATION_PIECES)), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([text, mutations]) =>
    mutations.reduce((before, [place, removed, piece]) => {
      const at = place % (before.length + 1);
      return before.slice(0, at) + piece + before.slice(at + removed);
    }, text),
  );

test('a body means the same to us as to everybody, however it is spaced and escaped', () => {
  fc.assert(
    fc.property(jsonText, fc.boolean(), (text, asBytes) => {
      const parsed: unknown = JSON.parse(text);
      const reading = readExactJson(asBytes ? Buffer.from(text) : text);
      if (
        holds(parsed, (content) => content.includes(NUL)) ||
        holds(parsed, (content, isName) => isName && content === '__proto__')
      ) {
        assert.equal(reading.ok, false);
        return;
      }
      assert.ok(reading.ok, text);
      assert.deepEqual(reading.value, asParsed(parsed));
    }),
    { numRuns: 3_000 },
  );
});

test('a damaged body is never understood where others would refuse it, nor refused without one of our reasons', () => {
  fc.assert(
    fc.property(mutatedText, (text) => {
      let parsed: { value: unknown } | undefined;
      try {
        parsed = { value: JSON.parse(text.replace(/^\ufeff/, '')) };
      } catch {}
      const reading = readExactJson(text);
      if (parsed === undefined) assert.equal(reading.ok, false, text);
      else if (reading.ok) assert.deepEqual(asParsed(reading.value), asParsed(parsed.value));
      else assert.ok(!['syntax', 'notUtf8'].includes(reading.fault.kind), `${reading.fault.kind} in ${text}`);
    }),
    { numRuns: 10_000 },
  );
});

test('arbitrary bytes never break the reader', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const reading = readExactJson(bytes);
      if (reading.ok)
        assert.deepEqual(asParsed(reading.value), asParsed(JSON.parse(Buffer.from(bytes).toString())));
    }),
    { numRuns: 3_000 },
  );
});

test('what is not JSON is refused', () => {
  const texts = [
    ...[
      '',
      ' ',
      '{',
      '}',
      '[',
      ']',
      '[1,]',
      '[,1]',
      '[1 2]',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '{,}',
      '{a:1}',
      "{'a':1}",
    ],
    ...[
      '{"a":1 "b":2}',
      '{"a" 1}',
      '{1:2}',
      '[1}',
      '{"a":1]',
      '1 2',
      '{} {}',
      'null,',
      'tru',
      'True',
      'nulll',
      'undefined',
    ],
    ...[
      'NaN',
      'Infinity',
      '-',
      '+1',
      '01',
      '-01',
      '00',
      '.5',
      '5.',
      '1.e2',
      '1e',
      '1e+',
      '0x10',
      '1_000',
      '- 1',
      '1,5',
    ],
    ...[
      '"',
      '"a',
      '"\\',
      '"\\"',
      '"\\x41"',
      '"\\u12"',
      '"\\u12g4"',
      '"\n"',
      '"\t"',
      '"\u001f"',
      '\u00a01',
      '\u20281',
      '/**/1',
    ],
    ...['\ufeff\ufeff{}', ' \ufeff{}', '{}\ufeff', '\ufeff', '"a"b'],
  ];
  for (const text of texts) assert.equal(faultIn(text).kind, 'syntax', text);
});

test('one byte order mark before the text is skipped', () => {
  for (const source of ['\ufeff {}', Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d])])
    assert.deepEqual(readExactJson(source), { ok: true, value: {} });
});

test('a name that occurs twice in an object is refused, also when it is escaped the second time', () => {
  assert.deepEqual(faultIn('{"payment":{"amount":100,"amount":1}}'), {
    kind: 'duplicateKey',
    path: 'payment.amount',
  });
  assert.deepEqual(faultIn('{"payment":{"amount":100,"\\u0061mount":100}}'), {
    kind: 'duplicateKey',
    path: 'payment.amount',
  });
  assert.equal(faultIn('{"constructor":1,"constructor":2}').kind, 'duplicateKey');
  assert.equal(faultIn('{"":1,"":2}').kind, 'duplicateKey');
  assert.equal(faultIn('{"1":1,"1":2}').kind, 'duplicateKey');
  assert.deepEqual(valueIn('[{"a":1},{"a":2}]'), [{ a: 1 }, { a: 2 }]);
});

test('the name __proto__ is refused, and other famous names are names like all', () => {
  assert.deepEqual(faultIn('{"customer":{"__proto__":{"isAdmin":true}}}'), {
    kind: 'forbiddenKey',
    path: 'customer.__proto__',
  });
  assert.equal(faultIn('{"__pro\\u0074o__":1}').kind, 'forbiddenKey');
  const value = valueIn(
    '{"constructor":{"prototype":{"isAdmin":true}},"toString":1,"hasOwnProperty":2,"prototype":3}',
  );
  assert.deepEqual(Object.keys(value as object), ['constructor', 'toString', 'hasOwnProperty', 'prototype']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(Object.hasOwn(Object.prototype, 'isAdmin'), false);
});

test('NUL is refused in strings and names, raw and escaped', () => {
  assert.deepEqual(faultIn('{"customer":{"firstName":"Jo\\u0000"}}'), {
    kind: 'nul',
    path: 'customer.firstName',
  });
  assert.deepEqual(faultIn(`{"customer":{"firstName":"Jo${NUL}"}}`), {
    kind: 'nul',
    path: 'customer.firstName',
  });
  assert.deepEqual(faultIn(`["\\n${NUL}"]`), { kind: 'nul', path: '[0]' });
  assert.deepEqual(faultIn('{"customer":{"\\u0000":1}}'), { kind: 'nul', path: 'customer' });
  assert.equal(valueIn('"\\\\u0000"'), '\\u0000');
});

test('half a surrogate pair is refused in strings and names, a whole pair is a character', () => {
  assert.deepEqual(faultIn('{"a":["\\ud800"]}'), { kind: 'loneSurrogate', path: 'a[0]' });
  assert.equal(faultIn('"\\udc00\\ud800"').kind, 'loneSurrogate');
  assert.equal(faultIn('"\\ud83dx"').kind, 'loneSurrogate');
  assert.equal(faultIn('{"\\udfff":1}').kind, 'loneSurrogate');
  assert.equal(faultIn('"\ud800"').kind, 'loneSurrogate');
  assert.equal(valueIn('"\\ud83d\\ude00"'), '😀');
  assert.equal(valueIn('"José 𝒜 😀"'), 'José 𝒜 😀');
});

test('bytes that are not UTF-8 are refused', () => {
  const sequences = [
    [0xff],
    [0xc3],
    [0xc0, 0xaf],
    [0xe0, 0x80, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
  ];
  for (const bytes of sequences) {
    assert.deepEqual(faultIn(new Uint8Array([0x22, ...bytes, 0x22])), { kind: 'notUtf8', path: '' });
  }
  assert.equal(valueIn(Buffer.from('xx"São Paulo"').subarray(2)), 'São Paulo');
});

test('32 levels are read and the 33rd is refused, siblings not counted', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  assert.ok(readExactJson(nested(32)).ok);
  assert.deepEqual(faultIn(nested(33)), { kind: 'tooDeep', path: '[0]'.repeat(32) });
  assert.deepEqual(faultIn('{"a":'.repeat(33) + '}'.repeat(33)).kind, 'tooDeep');
  assert.ok(readExactJson(`[${Array(100).fill('[{}]').join(',')}]`, { maxDepth: 3 }).ok);
  assert.deepEqual(faultIn('{"a":{"b":1}}', { maxDepth: 1 }), { kind: 'tooDeep', path: 'a' });
  assert.equal(valueIn('1', { maxDepth: 0 }), 1);
  assert.throws(() => readExactJson('1', { maxDepth: 513 }), RangeError);
  assert.ok(readExactJson(nested(512), { maxDepth: 512 }).ok);
});

test('a fault names the field where it is', () => {
  assert.equal(faultIn('{"configSplit":[{"percent":01}]}').path, 'configSplit[0].percent');
  assert.equal(faultIn('{"configSplit":[{},{"percent":5.}]}').path, 'configSplit[1].percent');
  assert.equal(faultIn('{"a":{"b":1,}}').path, 'a');
  assert.equal(faultIn('{"a":{"b":1}').path, '');
  assert.equal(faultIn('{"a b":{"c.d":x}}').path, '["a b"]["c.d"]');
  assert.equal(faultIn('{"preço":x}').path, 'preço');
});

test('a name in a path can neither forge a line nor grow without end', () => {
  assert.equal(faultIn('{"\\r\\n\u202eevil":x}').path, '["\\r\\n\\u202eevil"]');
  assert.ok(faultIn(`{"${'k'.repeat(60_000)}":x}`).path.length < 80);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const { path } = faultIn(`{"a":{${JSON.stringify(name)}:x}}`);
      assert.doesNotMatch(path, /[\p{C}\p{Zl}\p{Zp}]/u);
      assert.ok(path.length < 64 * 12 + 10);
    }),
  );
});

test('a number that stays what it was sent as is an ordinary number', () => {
  const ordinary: [string, number][] = [
    ['0', 0],
    ['1.0', 1],
    ['1e2', 100],
    ['1E+2', 100],
    ['100', 100],
    ['0.1', 0.1],
    ['10.50', 10.5],
    ['-5', -5],
    ['-1.5e-3', -0.0015],
    ['9999999999', 9_999_999_999],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', 2 ** 53],
    ['1e21', 1e21],
    ['1000000000000000000000', 1e21],
    ['5e-324', 5e-324],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['0e999999999', 0],
    ['1e0000000000000000002', 100],
  ];
  for (const [text, number] of ordinary) assert.equal(valueIn(text), number, text);
});

test('negative zero is nothing but zero', () => {
  for (const text of ['-0', '-0.0', '-0e5', '-0e-999']) assert.ok(Object.is(valueIn(text), 0), text);
});

test('a number that would change is kept and printed digit for digit', () => {
  const exact = [
    ...[
      '123456789012.123456',
      '9999999999999999999',
      '9007199254740993',
      '1e400',
      '-1e400',
      '1e-400',
      '4.9e-324',
    ],
    ...[
      '123456789012.1234560',
      '0.1000000000000000055511151231257827',
      '1e99999999999999999999',
      '1e-99999999999999999999',
    ],
    ...['1'.repeat(64), `0.${'1'.repeat(62)}`],
  ];
  for (const text of exact) {
    const value = valueIn(`[${text}]`);
    assert.deepEqual(value, [new ExactNumber(text)], text);
    assert.equal(JSON.stringify(value), `[${text}]`);
  }
});

test('a number of more than 64 characters is refused', () => {
  assert.equal(valueIn(`1e${'0'.repeat(62)}`), 1);
  for (const text of ['1'.repeat(65), `1e${'0'.repeat(63)}`, `0.${'0'.repeat(63)}`, `-${'9'.repeat(64)}`]) {
    assert.deepEqual(faultIn(`{"plan":{"amount":${text}}}`), { kind: 'numberTooLong', path: 'plan.amount' });
  }
});

const digitText = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 20 });
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    digitText.map((digits) => digits.replace(/^0+(?=\d)/, '')),
    fc.option(digitText, { nil: '' }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat(400)), {
      nil: undefined,
    }),
  )
  .map(([sign, integer, fraction, exponent]) => {
    return `${sign}${integer}${fraction && `.${fraction}`}${exponent === undefined ? '' : exponent.join('')}`;
  });

/** The token times 10^600, computed exactly in another way. */
function scaled(token: string): bigint {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  const [integer = '', fraction = ''] = mantissa.split('.');
  return BigInt(integer + fraction) * 10n ** BigInt(600 + Number(exponent) - fraction.length);
}

test('no number changes its value on the way through, and none is kept apart without need', () => {
  fc.assert(
    fc.property(numberText, (text) => {
      const value = valueIn(text);
      assert.equal(scaled(JSON.stringify(value)), scaled(text));
      const double = Number(text);
      const isHeldByDouble = Number.isFinite(double) && scaled(String(double)) === scaled(text);
      assert.equal(typeof value === 'number', isHeldByDouble, text);
    }),
    { numRuns: 5_000 },
  );
});

test('every double that is printed is read back as itself', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      assert.equal(valueIn(JSON.stringify(number)), number + 0);
    }),
    { numRuns: 3_000 },
  );
});

test('an exact number cannot be made of anything but a number, nor changed', () => {
  for (const text of ['', '01', '1 ', '1,5', 'NaN', '"1"', '1'.repeat(65), '1\n']) {
    assert.throws(() => new ExactNumber(text), RangeError, JSON.stringify(text));
  }
  assert.ok(Object.isFrozen(new ExactNumber('1.10')));
});

test('the parts of a decimal are its plain digits', () => {
  const parts = (value: number | string) => {
    const decimal = decimalParts(typeof value === 'number' ? value : new ExactNumber(value));
    return (
      decimal &&
      `${decimal.negative ? '-' : ''}${decimal.integer}${decimal.fraction && `.${decimal.fraction}`}`
    );
  };
  assert.deepEqual(decimalParts(new ExactNumber('-0.50')), {
    negative: true,
    integer: '0',
    fraction: '5',
  });
  assert.equal(parts('123456789012.123456'), '123456789012.123456');
  assert.equal(parts('10.500'), '10.5');
  assert.equal(parts('1.50e1'), '15');
  assert.equal(parts('-0.0'), '0');
  assert.equal(parts('-0'), '0');
  assert.equal(parts(-0), '0');
  assert.equal(parts(0.1), '0.1');
  assert.equal(parts(1e-7), '0.0000001');
  assert.equal(parts(1e21), '1000000000000000000000');
  assert.equal(parts(-12.25), '-12.25');
  assert.equal(parts('1e63'), `1${'0'.repeat(63)}`);
  assert.equal(parts('1e-63'), `0.${'0'.repeat(62)}1`);
  for (const wide of ['1e64', '1e-64', '1e400', '1e99999999999999999999', '1e-99999999999999999999'])
    assert.equal(parts(wide), null);
  for (const number of [Number.NaN, Infinity, -Infinity, 5e-324]) assert.equal(parts(number), null);
});

test('the parts of a decimal have the value of the decimal', () => {
  fc.assert(
    fc.property(numberText, (text) => {
      const decimal = decimalParts(new ExactNumber(text));
      if (decimal === null) return;
      const { negative, integer, fraction } = decimal;
      assert.match(integer, /^(?:0|[1-9]\d*)$/);
      assert.match(fraction, /^(?:|\d*[1-9])$/);
      assert.equal(scaled(`${negative ? '-' : ''}${integer}.${fraction}`), scaled(text));
    }),
    { numRuns: 3_000 },
  );
});

test('a hostile body of a megabyte is read to its end or to its fault', () => {
  const many = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length));
  const named = (name: (index: number) => number | string) =>
    `{${Array.from({ length: 80_000 }, (_, index) => `"${name(index)}":0`).join(',')}}`;
  const bodies: [string, string][] = [
    [many('['), 'tooDeep'],
    [many('{"a":'), 'tooDeep'],
    [`"${many('\\')}`, 'syntax'],
    [`"${many('\\u0041')}"`, 'ok'],
    [`"${many('\\ud800')}"`, 'loneSurrogate'],
    [`["${many('\\n')}`, 'syntax'],
    [many('1'), 'numberTooLong'],
    [`1e${many('0')}`, 'numberTooLong'],
    [many(' '), 'syntax'],
    [`[${many('"\\n",')}""]`, 'ok'],
    [`[${many('0.1234567890123456789,')}0]`, 'ok'],
    [`[${many('{},')}0]`, 'ok'],
    [named((index) => `k${index}`), 'ok'],
    [named((index) => index * 50_021), 'ok'],
    [`{"${many('k')}":x}`, 'syntax'],
  ];
  // Work that grows with the square of the length would outlast the runner's time limit.
  for (const [body, expected] of bodies) {
    const reading = readExactJson(body);
    assert.equal(reading.ok ? 'ok' : reading.fault.kind, expected, `${body.slice(0, 20)}…`);
  }
});

test('a fault reports the line and the column where reading stopped', () => {
  const places: [string, number, number][] = [
    ['', 1, 1],
    ['{"a":1', 1, 7],
    ['{"a":1}}', 1, 8],
    ['{\n  "a": 12x\n}', 2, 10],
    ['{"a":\n\n"b', 3, 3],
    ['{"a":\r\n tru}', 2, 2],
    ['[1,\n2,]', 2, 3],
    ['{"a":"\\x"}', 1, 6],
  ];
  for (const [text, line, column] of places) {
    const reading = readExactJson(text);
    assert.ok(!reading.ok, text);
    assert.deepEqual([reading.fault.line, reading.fault.column], [line, column], JSON.stringify(text));
  }
});
