import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { ExactNumber } from '../../values/exact-json.ts';
import { FORMATS, isOfFormat } from '../requests/formats.ts';
import { MOST_FAULTS, schemaCheck } from './schema-faults.ts';

const DECIMAL = Type.Unsafe<number>({ exactDecimal: { integerDigits: 12, decimals: 6 } });

/** Each keyword of a request's schema, with a value that it refuses and the sentence for it. */
const cases: [string, TSchema, unknown, string, string][] = [
  ['a text', Type.String(), 5, 'Deve ser um texto.', 'Must be a string.'],
  ['an integer', Type.Integer(), 1.5, 'Deve ser um número inteiro.', 'Must be an integer.'],
  ['an integer', Type.Integer(), '1', 'Deve ser um número inteiro.', 'Must be an integer.'],
  ['a number', Type.Number(), '1', 'Deve ser um número.', 'Must be a number.'],
  ['a boolean', Type.Boolean(), 'true', 'Deve ser true ou false.', 'Must be true or false.'],
  ['an object', Type.Object({}), [], 'Deve ser um objeto.', 'Must be an object.'],
  ['a list', Type.Array(Type.String()), {}, 'Deve ser uma lista.', 'Must be an array.'],
  [
    'a longest text',
    Type.String({ maxLength: 3 }),
    'abcd',
    'Deve ter no máximo 3 caracteres.',
    'Must have at most 3 characters.',
  ],
  [
    'a shortest text',
    Type.String({ minLength: 2 }),
    'a',
    'Deve ter no mínimo 2 caracteres.',
    'Must have at least 2 characters.',
  ],
  [
    'a text that is not empty',
    Type.String({ minLength: 1 }),
    '',
    'Não pode ficar em branco.',
    'Must not be blank.',
  ],
  ['a least number', Type.Integer({ minimum: 1 }), 0, 'Deve ser no mínimo 1.', 'Must be at least 1.'],
  ['a greatest number', Type.Integer({ maximum: 9 }), 10, 'Deve ser no máximo 9.', 'Must be at most 9.'],
  [
    'a longest list',
    Type.Array(Type.Integer(), { maxItems: 1 }),
    [1, 2],
    'Deve ter no máximo 1 itens.',
    'Must have at most 1 items.',
  ],
  ['one of some', Type.Enum(['a', 'b']), 'c', 'Deve ser um de: a, b.', 'Must be one of: a, b.'],
  ['a constant', Type.Literal('a'), 'b', 'Deve ser a.', 'Must be a.'],
  [
    'an exact decimal',
    DECIMAL,
    '1',
    'Deve ser um número com até 12 dígitos inteiros e 6 decimais.',
    'Must be a number of up to 12 integer digits and 6 decimals.',
  ],
];

for (const [story, schema, value, pt, en] of cases) {
  test(`${story} is asked for in both languages (${JSON.stringify(value)})`, () => {
    const faults = schemaCheck(Type.Object({ field: schema }))({ field: value });
    assert.deepEqual(
      faults.filter(({ sentence }) => sentence.pt === pt),
      [{ pointer: '/field', sentence: { pt, en } }],
    );
  });
}

test('a missing field is named at its own place', () => {
  const check = schemaCheck(Type.Object({ card: Type.Object({ brand: Type.String() }) }));
  assert.deepEqual(check({ card: {} }), [
    { pointer: '/card/brand', sentence: { pt: 'Campo obrigatório.', en: 'This field is required.' } },
  ]);
});

test('all faults come at once, at most a hundred', () => {
  const check = schemaCheck(Type.Object({ a: Type.String(), b: Type.Integer(), c: Type.Boolean() }));
  assert.deepEqual(
    check({ a: 1, b: 'x' }).map(({ pointer }) => pointer),
    ['/c', '/a', '/b'],
  );
  const many = schemaCheck(Type.Array(Type.String()));
  assert.equal(many(Array.from({ length: 1_000 }, () => 1)).length, MOST_FAULTS);
});

test('a decimal that must be above zero is refused so, however its zero is written', () => {
  const check = schemaCheck(
    Type.Unsafe<number>({ exactDecimal: { integerDigits: 1, decimals: 2, isPositive: true } }),
  );
  const { pt } = check(0)[0]?.sentence ?? { pt: '' };
  assert.equal(pt, 'Deve ser um número maior que zero com até 1 dígitos inteiros e 2 decimais.');
  assert.deepEqual([check(0.01), check(9.99)], [[], []]);
  for (const value of [new ExactNumber('0e5'), -1, 0.001]) assert.equal(check(value).length, 1);
});

test('sizes count characters as people do', () => {
  const check = schemaCheck(Type.String({ maxLength: 2 }));
  assert.deepEqual(check('💳💳'), []);
  assert.equal(check('💳💳💳').length, 1);
});

test('an integer too large to be held exactly is too large, not "no integer"', () => {
  const check = schemaCheck(Type.Integer({ minimum: 1, maximum: 9_999_999_999 }));
  const [large] = check(new ExactNumber('12345678901234567890'));
  assert.equal(large?.sentence.en, 'Must be at most 9999999999.');
  const [small] = check(new ExactNumber('-12345678901234567890'));
  assert.equal(small?.sentence.en, 'Must be at least 1.');
  const [broken] = check(new ExactNumber('1.00000000000000000001'));
  assert.equal(broken?.sentence.en, 'Must be an integer.');
});

test('an exact decimal is measured as it was written', () => {
  const check = schemaCheck(DECIMAL);
  for (const good of [0, 0.1, 5, 123_456_789_012, new ExactNumber('123456789012.123456')]) {
    assert.deepEqual(check(good), [], String(good));
  }
  for (const bad of [-1, 1e12, 0.1234567, new ExactNumber('123456789012.1234567'), Number.NaN, '1', {}]) {
    assert.equal(check(bad).length, 1, String(bad));
  }
});

const DOCUMENTS = {
  good: ['52998224725', '11222333000181', '12ABC34501DE35'],
  bad: ['', '52998224724', '529.982.247-25', '11222333000182', '12abc34501de35', '00000000000', 'A'],
};

const formatCases: Record<keyof typeof FORMATS, { good: string[]; bad: string[] }> = {
  guid: {
    good: ['6f1c4f0e-3b55-4c9c-9a57-0a3a6f1b2c3d', '6F1C4F0E-3B55-4C9C-9A57-0A3A6F1B2C3D'],
    bad: ['', '6f1c4f0e3b554c9c9a570a3a6f1b2c3d', '{6f1c4f0e-3b55-4c9c-9a57-0a3a6f1b2c3d}', 'x'],
  },
  month: { good: ['01', '09', '12'], bad: ['', '00', '13', '1', '1 ', '012', '01\n'] },
  day: {
    good: ['2026-11-21', '2028-02-29', '1920-01-01', '9999-12-31'],
    bad: [
      '',
      '2026-02-30',
      '2026-11-21T00:00:00',
      '21/11/2026',
      '2026-1-2',
      ' 2026-11-21',
      '2026-11-21\n',
      '1919-12-31',
    ],
  },
  moment: {
    good: ['2026-11-21T10:00:00-03:00', '2026-11-21T13:00:00.123456789Z', '2026-11-21T13:00:00+05:30'],
    bad: [
      '',
      '2026-11-21',
      '2026-11-21T10:00:00',
      '2026-11-21T24:00:00Z',
      '2026-11-21T10:00:00-15:00',
      '1920-01-01T10:00:00Z',
      '2026-11-21t10:00:00z',
      'now',
    ],
  },
  twoDigits: { good: ['00', '30'], bad: ['', '3', '2030', 'ab', '٣٠'] },
  digits: { good: ['', '0123'], bad: ['1a', '1 ', '-1'] },
  securityCode: { good: ['123', '1234'], bad: ['', '12', '12345', '12a', '123\n'] },
  eci: { good: ['05', '5', '00', '07'], bad: ['', '03', '8', '005', 'a'] },
  base64Of20Bytes: {
    good: ['AAECAwQFBgcICQoLDA0ODxAREhM='],
    bad: ['', 'AAECAwQFBgcICQoLDA0ODxAREhMU', 'AAECAwQFBgcICQoLDA0ODxAREh=='],
  },
  xidOrGuid: {
    good: ['AAECAwQFBgcICQoLDA0ODxAREhM=', 'c5b808e7-1de1-4069-a17b-f70d3b3b1645'],
    bad: ['', 'c5b808e7', 'c5b808e71de14069a17bf70d3b3b1645'],
  },
  threeDSVersion: { good: ['2', '2.2', '2.2.0'], bad: ['', '1.0.2', '2.4', '2.2.0.1', '3'] },
  softDescriptor: {
    good: ['LOJA*PEDIDO 7', 'a.b-c'],
    bad: ['', ' ', '.-*', 'CAFÉ', 'A\n'],
  },
  cpfOrCnpj: DOCUMENTS,
  bareCpfOrCnpj: DOCUMENTS,
  postalCode: { good: ['13010000'], bad: ['', '1301000', '130100000', '13010-000', '1301000a'] },
  emailAddress: {
    good: ['ana@loja.example', 'ana.souza+1@mail.loja.example'],
    bad: ['', 'ana', 'ana@loja', '@loja.example', 'a b@loja.example', 'ana@loja.', 'ana@@loja.example'],
  },
  telephone: { good: ['5511990000000', '+55 (11) 99000-0000'], bad: ['', '123', 'ligue', '1'.repeat(16)] },
  webOrigin: {
    good: ['https://loja.example', 'http://127.0.0.1:9000', 'https://uma_loja.example:8443'],
    bad: [
      ...['', 'loja.example', 'ftp://loja.example', 'null', 'https://', 'https://*', 'https://*.example'],
      ...[
        'https://loja.example/',
        'https://loja.example:443',
        'https://loja.example:0',
        'https://Loja.example',
      ],
      ...[
        "https://'self'",
        'https://a;report-uri',
        'https://a,b',
        'https://a..b',
        'https://999',
        'https://ana@a',
      ],
    ],
  },
  webAddress: {
    good: ['https://loja.example/retorno?pedido=1', 'http://127.0.0.1:9000/', 'HTTPS://loja.example'],
    bad: [
      '',
      'loja.example',
      'ftp://loja.example',
      'javascript:alert(1)',
      'https://',
      'https://user:secret@loja.example',
      'https://user@loja.example',
      'https:loja.example',
      'https:\\\\loja.example',
      ' https://loja.example',
      'https://loja.example/a b',
      'https://loja.ex\nample/',
      'https://loja.example/\u0001',
    ],
  },
  saoPauloTime: {
    good: ['2027-03-01T09:00:00', '2027-03-01T09:00:00.123', '2028-02-29T23:59:59.123456789'],
    bad: [
      '',
      '2027-03-01',
      '2027-03-01T09:00',
      '2027-02-29T09:00:00',
      '2027-03-01T24:00:00',
      '2027-03-01T09:00:00Z',
    ],
  },
  basicAuth: {
    good: ['Og==', 'bG9qYTpzZW5oYQ==', 'Basic bG9qYTpzZW5oYQ==', 'basic  bG9qYTpzZW5oYQ==', 'bG9qYTrDpw=='],
    bad: [
      '',
      'Basic ',
      'loja:senha',
      'bG9qYTpzZW5oYQ',
      'bG9qYTpzZW5oYQ==\n',
      'Bearer bG9qYTpzZW5oYQ==',
      // Without a colon, with a line break, with a control character of two bytes, in Latin-1.
      'bG9qYQ==',
      'bG9qYToNCg==',
      'bG9qYTrChQ==',
      'bG9qYTrn',
    ],
  },
  softDescriptorOrNone: { good: ['.', 'LOJA*NATAL'], bad: ['', '..', '-', 'CAFÉ'] },
  filledText: { good: ['A', ' a ', 'uma\nduas'], bad: ['', ' ', '\t\n\u00a0'] },
  visibleText: {
    good: ['ANA', ' a ', 'JOSÉ\u200d'],
    bad: ['', ' ', '\t\n\u00a0', '\r\nX', 'A\u0001', 'A\u007f', 'A\u0085'],
  },
};

for (const [name, { good, bad }] of Object.entries(formatCases)) {
  test(`the format ${name} takes what it should and nothing else`, () => {
    const isGood = isOfFormat(name);
    for (const text of good) assert.ok(isGood(text), JSON.stringify(text));
    for (const text of bad) assert.ok(!isGood(text), JSON.stringify(text));
  });
}

test('a schema that names a reading which there is not is refused', () => {
  const checkWith = (reads: string) => schemaCheck(Type.Object({ document: Type.String({ reads }) }))({});
  assert.equal(checkWith('document').length, 1);
  assert.throws(() => checkWith('documnet'), /reads/);
});

test('every format is tried here', () => {
  assert.deepEqual(Object.keys(formatCases).sort(), Object.keys(FORMATS).sort());
});

test('no format takes long over a hostile text as large as a body', () => {
  const parts = ['a', '0', ' ', '-', '\n', '\\', 'https://a/', 'https://a@', '0-', '0a', '\u00a0', '💳'];
  for (const name of Object.keys(FORMATS)) {
    const isGood = isOfFormat(name);
    for (const part of parts) {
      for (const end of ['', '!', '\n']) {
        const text = part.repeat(Math.floor(65_536 / part.length)) + end;
        const start = performance.now();
        isGood(text);
        assert.ok(performance.now() - start < 250, `${name} takes too long over ${JSON.stringify(part)}…`);
      }
    }
  }
});
