import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isCardNumber } from './card-number.ts';
import {
  deeplyWithoutCardNumbers,
  holdsCardNumber,
  holdsNumber,
  withoutCardNumbers,
} from './card-number-in-text.ts';

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });

/** Numbers of every network, length and kind of first digits, each with its check digit. */
const cardNumber = fc
  .tuple(
    fc.constantFrom(
      ...([
        ['4', 13],
        ['4', 16],
        ['4', 19],
        ['51', 16],
        ['2221', 16],
        ['34', 15],
        ['37', 15],
        ['650031', 16],
        ['657000', 16],
        ['606282', 16],
      ] as const),
    ),
    digits(19),
  )
  .map(([[prefix, length], more]) => {
    const start = (prefix + more).slice(0, length - 1);
    return start + [...'0123456789'].find((last) => isCardNumber(start + last));
  });

const SEPARATORS = [...' _.-·\u00a0\u2007\u2009\u202f\u3000\u2010\u2013\u2212\u200b\u00ad\t', ' - ', '. '];
const SCRIPTS = ['0', '\uff10', '\u0660', '\u0966', '\u{1d7ce}', '\u{1d7d8}', '\u{1d7f6}'];

const grouped = (number: string, size: number, separator: string) =>
  (number.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(separator);
const inScript = (number: string, zero: string) =>
  number.replaceAll(/\d/g, (digit) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)));
const asAmex = (number: string, separator: string) =>
  [number.slice(0, 4), number.slice(4, 10), number.slice(10)].join(separator);

/** Every way in which a number may appear in a text. */
const written = fc
  .tuple(
    cardNumber,
    fc.constantFrom(1, 2, 3, 4, 5, 19),
    fc.constantFrom(...SEPARATORS),
    fc.constantFrom(...SCRIPTS),
    fc.boolean(),
    fc.nat(2),
  )
  .map(([number, size, separator, zero, isAmex, encodings]) => {
    const apart =
      isAmex && number.length === 15 ? asAmex(number, separator) : grouped(number, size, separator);
    let text = inScript(apart, zero);
    for (let time = 0; time < encodings; time += 1) text = encodeURIComponent(text);
    return { number, text };
  });

test('a card number is found however it is written and whatever letters stand around it', () => {
  const around = fc.constantFrom(
    ['', ''],
    ['ANA ', ''],
    ['cartao', 'x'],
    ['', ', 12/39'],
    ['https://a.example/?n=', '&b'],
  );
  fc.assert(
    fc.property(written, around, ({ text }, [before, behind]) => {
      assert.ok(holdsCardNumber(`${before}${text}${behind}`), `${before}${text}${behind}`);
    }),
    { numRuns: 3_000 },
  );
});

test('a number in the usual groups is found with its expiry or its code beside it', () => {
  fc.assert(
    fc.property(cardNumber, fc.constantFrom(' ', '_', '.', '-'), (number, separator) => {
      const beside = ['123', '12 39 123', '1239'];
      for (const more of beside) {
        for (const text of [grouped(number, 4, separator), grouped(number, 1, separator), number]) {
          assert.ok(holdsCardNumber(`${text} ${more}`), `${text} ${more}`);
          assert.ok(holdsCardNumber(`${more} ${text}`), `${more} ${text}`);
        }
      }
    }),
  );
});

test('the number of one certain card is found whatever stands between its digits', () => {
  fc.assert(
    fc.property(written, fc.constantFrom('/', ', ', ' | '), ({ number, text }, separator) => {
      assert.ok(holdsNumber(text, number), text);
      assert.ok(holdsNumber(`x${grouped(number, 3, separator)}y`, number));
    }),
  );
  assert.equal(holdsNumber('ANA', '4111111111111111'), false);
});

const lettersOr = (unit: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...unit), minLength: length, maxLength: length });
const masked = (mask: string) =>
  digits([...mask].filter((sign) => sign === '#').length).map((given) => {
    let next = 0;
    return mask.replaceAll('#', () => given.charAt(next++));
  });
const day = fc
  .date({ min: new Date('1950-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** What honest Brazilian merchants write; nothing of it may be refused. */
const HONEST: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'a mobile number': masked('+55 11 9####-####'),
  'a mobile number in brackets': masked('(##) 9####-####'),
  'a mobile number in digits': masked('55##9########'),
  'a foreign number': masked('+49 15# ########'),
  'a landline': masked('+55 (##) ####-####'),
  'a CPF': masked('###.###.###-##'),
  'a CPF in digits': masked('###########'),
  'a CNPJ': masked('##.###.###/####-##'),
  'a CNPJ in digits': masked('##############'),
  'a CNPJ of letters': lettersOr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', 12).map((body) => `${body}35`),
  'a CEP': masked('#####-###'),
  'the line of a boleto': masked('#####.##### #####.###### #####.###### # ##############'),
  'the line of a boleto in digits': masked('###############################################'),
  'the line of a utility bill': masked('###########-# ###########-# ###########-# ###########-#'),
  'the line of a utility bill in digits': masked('################################################'),
  "an invoice's key": masked('############################################'),
  "an invoice's key in fours": masked('#### #### #### #### #### #### #### #### #### #### ####'),
  'a number of a court case': masked('#######-##.####.#.##.####'),
  'an id': fc.uuid(),
  'an id of digits': masked('########-####-7###-8###-############'),
  'a digest': lettersOr('0123456789abcdef', 40).filter((text) => /[a-f]/.test(text)),
  'an id of PIX': masked('E####################').map((text) => `${text}a1b2C3d4e5F`),
  'a moment': day,
  'a moment in digits': day.map((text) => text.replaceAll(/\D/g, '').slice(0, 14)),
  'a day and a sequence': fc.tuple(day, digits(4)).map(([text, more]) => `${text.slice(0, 10)}-${more}`),
  'a day and a long sequence': fc
    .tuple(day, digits(8))
    .map(([text, more]) => `PEDIDO-${text.slice(0, 10).replaceAll('-', '')}${more}`),
  'milliseconds since 1970': masked('17###########'),
  'microseconds since 1970': masked('17##############'),
  'an account and its NSU': masked('10########').chain((account) =>
    masked('000###').map((nsu) => account + nsu),
  ),
  'a masked card': masked('######******####'),
  'an address': masked('Rua das Flores, ####, ap ### - ####'),
  'an amount': masked('R$ #.###.###,##'),
};

for (const [what, arbitrary] of Object.entries(HONEST)) {
  test(`${what} is no card number, alone and in a text`, () => {
    fc.assert(
      fc.property(arbitrary, (text) => {
        assert.equal(holdsCardNumber(text), false, text);
        assert.equal(holdsCardNumber(`Ref. ${text}; obrigado`), false, text);
        assert.equal(holdsCardNumber(`https://loja.example/r?a=${encodeURIComponent(text)}`), false, text);
      }),
      { numRuns: 300 },
    );
  });
}

test('other digits are no card number', () => {
  for (const text of [
    '',
    'Clube do Livro 2026',
    '5155901222280002',
    '515590122228',
    '11 4000-0000 / 11 4000-0001',
    'pedido51559012222800011',
    '515590122228000155155901222280001',
  ])
    assert.equal(holdsCardNumber(text), false, text);
});

test('the search takes no time over a hostile text as large as a body', () => {
  const number = '5155901222280002';
  for (const part of [
    '1',
    '1 ',
    '1234 ',
    '%31',
    '%2531',
    '1   ',
    '\u0661',
    '\ufdfa',
    'a1',
    `${number} `,
    '0-',
    '%',
  ]) {
    const text = part.repeat(Math.floor(65_536 / part.length));
    const start = performance.now();
    holdsCardNumber(text);
    assert.ok(performance.now() - start < 1_000, JSON.stringify(part));
  }
});

test('a masked text has no digit of the number left, and all else that stood around it', () => {
  fc.assert(
    fc.property(written, ({ number, text }) => {
      const masked = withoutCardNumbers(`${text} ok`);
      assert.ok(!holdsCardNumber(masked) && !holdsNumber(masked, number), `${text} became ${masked}`);
      assert.ok(masked.endsWith(' ok'));
    }),
    { numRuns: 1_000 },
  );
  assert.equal(
    withoutCardNumbers('pedido 7 de 01990000-0000-7000-8000-000000000001: card 4111 1111 1111 1111, 12/39'),
    'pedido 7 de 01990000-0000-7000-8000-000000000001: card **** **** **** ****, 12/39',
  );
});

test('a value is masked at every depth, numbers too', () => {
  const value = { a: ['4111111111111111', { b: 4111111111111111 }], c: 1_795_000_000_000, d: null, e: true };
  assert.deepEqual(deeplyWithoutCardNumbers(value), {
    a: ['****************', { b: '****************' }],
    c: 1_795_000_000_000,
    d: null,
    e: true,
  });
});
