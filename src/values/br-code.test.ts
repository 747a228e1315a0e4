import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type BrCodeReading, brCodeCheckSum, LONGEST_BR_CODE, readBrCode } from './br-code.ts';
import { cents } from './cents.ts';

const NOTHING = { url: null, recurrenceUrl: null, key: null, amount: null, txid: null, isOneTime: false };
const FULANO = { receiverName: 'Fulano de Tal', receiverCity: 'BRASILIA' };
const TAIL = '5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***';

/**
 * Published by the central bank: two in its manual of initiation, then those in the API's specification
 * 2.9.0.
 */
const PUBLISHED = [
  {
    name: 'with a key',
    text: `00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000${TAIL}63041D3D`,
    says: { key: '123e4567-e12b-12d1-a456-426655440000' },
  },
  {
    name: 'with the address of a charge',
    text: `00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd441${TAIL}630464E4`,
    says: { url: 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441', isOneTime: true },
  },
  {
    name: 'with the address of an authorization alone',
    text: `00020126180014br.gov.bcb.pix${TAIL}80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002630462C9`,
    says: { recurrenceUrl: 'pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002' },
  },
  {
    name: 'with a charge at once and an authorization',
    text: `00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441${TAIL}80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741`,
    says: {
      url: 'pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441',
      recurrenceUrl: 'pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890',
      isOneTime: true,
    },
  },
  {
    name: 'with a charge that has a due day and an authorization',
    text: `00020101021226810014br.gov.bcb.pix2559pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7${TAIL}80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d06304A441`,
    says: {
      url: 'pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7',
      recurrenceUrl: 'pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d0',
      isOneTime: true,
    },
  },
];

for (const { name, text, says } of PUBLISHED) {
  test(`the published code ${name} is read`, () => {
    assert.deepEqual(readBrCode(text), { kind: 'brCode', ...NOTHING, ...FULANO, ...says });
    assert.equal(brCodeCheckSum(text.slice(0, -4)), text.slice(-4));
    assert.equal(readBrCode(text.slice(0, -4) + text.slice(-4).toLowerCase()).kind, 'brCode');
  });
}

test('the check sum is that of the published vector of CRC-16/CCITT-FALSE', () => {
  assert.equal(brCodeCheckSum('123456789'), '29B1');
});

const field = (id: string, value: string) => `${id}${String([...value].length).padStart(2, '0')}${value}`;
const sealed = (body: string) => `${body}6304${brCodeCheckSum(`${body}6304`)}`;
const faultOf = (reading: BrCodeReading) => (reading.kind === 'fault' ? reading.fault : null);

/** A valid code with the given fields changed; null leaves one out. */
function code(changed: Readonly<Record<string, string | null>> = {}): string {
  const fields = {
    '00': '01',
    '26': field('00', 'br.gov.bcb.pix') + field('25', 'pix.example.com/1'),
    '52': '0000',
    '53': '986',
    '54': '12.34',
    '58': 'BR',
    '59': 'LOJA',
    '60': 'SAO PAULO',
    '62': field('05', '***'),
    ...changed,
  };
  const ids = Object.keys(fields).sort() as (keyof typeof fields)[];
  return sealed(ids.map((id) => (fields[id] === null ? '' : field(id, fields[id]))).join(''));
}

test('amounts are exact, and names may have accents', () => {
  const amountOf = (text: string | null) => {
    const reading = readBrCode(code({ '54': text, '59': 'PADARIA SÃO JOSÉ' }));
    return reading.kind === 'brCode' ? reading.amount : reading.fault;
  };
  assert.deepEqual(['0.01', '1', '1.5', '1.', '9999999999.99', null].map(amountOf), [
    1,
    100,
    150,
    100,
    999_999_999_999,
    null,
  ]);
  for (const wrong of ['1,00', '-1', '1.234', '12345678901', ' 1']) assert.equal(amountOf(wrong), 'amount');
});

test('what is no code says what is wrong with it', () => {
  const pix = field('00', 'br.gov.bcb.pix');
  assert.equal(faultOf(readBrCode('')), 'fields');
  assert.equal(faultOf(readBrCode(code().slice(0, -1))), 'fields');
  assert.equal(faultOf(readBrCode(`${code()}0`)), 'fields');
  assert.equal(faultOf(readBrCode(sealed(`${code().slice(0, -8)}${field('59', 'OUTRA')}`))), 'fields');
  assert.equal(faultOf(readBrCode(code({ '26': `${pix}2599x` }))), 'fields');
  assert.equal(faultOf(readBrCode(code({ '59': 'a\nb' }))), 'notText');
  assert.equal(faultOf(readBrCode(code().padEnd(LONGEST_BR_CODE + 1, '0'))), 'tooLong');
  assert.equal(faultOf(readBrCode(code({ '00': '02' }))), 'format');
  assert.equal(faultOf(readBrCode(code({ '53': '840' }))), 'currency');
  assert.equal(faultOf(readBrCode(code({ '58': 'PT' }))), 'country');
  assert.equal(faultOf(readBrCode(code({ '26': pix }))), 'noPix');
  assert.equal(faultOf(readBrCode(code({ '26': field('00', 'com.other') + field('25', 'x') }))), 'noPix');
  assert.equal(faultOf(readBrCode(code({ '59': null }))), 'receiver');
});

const word = fc.string({ unit: fc.constantFrom(...'abcXYZ059.-/é '), minLength: 1, maxLength: 25 });

test('whatever was written is read, beside schemes and fields that others add', () => {
  const written = fc.record({
    url: word,
    amount: fc.integer({ min: 0, max: 999_999_999_999 }),
    txid: fc.string({ unit: fc.constantFrom(...'aZ09'), minLength: 1, maxLength: 25 }),
    receiverName: word,
    other: word,
    slot: fc.integer({ min: 26, max: 51 }),
  });
  fc.assert(
    fc.property(written, ({ url, amount, txid, receiverName, other, slot }) => {
      const reais = `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
      const of = field('00', 'BR.GOV.BCB.PIX') + field('25', url);
      const templates = {
        '26': field('00', 'com.other') + field('25', 'x'),
        [slot]: of,
        '91': field('00', other),
      };
      const text = code({ ...templates, '54': reais, '59': receiverName, '62': field('05', txid) });
      const reading = readBrCode(text);
      const says = { url, amount: cents(amount), txid, receiverName, receiverCity: 'SAO PAULO' };
      assert.deepEqual(reading, { kind: 'brCode', ...NOTHING, ...says });
    }),
  );
});

test('no single changed or swapped character is taken for a sound code', () => {
  const text = code();
  const at = fc.integer({ min: 0, max: text.length - 1 });
  fc.assert(
    fc.property(at, fc.constantFrom(...'0123456789ABCDEFabz*./'), (index, character) => {
      const changed = text.slice(0, index) + character + text.slice(index + 1);
      fc.pre(changed.toUpperCase() !== text.toUpperCase());
      assert.equal(readBrCode(changed).kind, 'fault');
    }),
  );
  fc.assert(
    fc.property(at, (index) => {
      const swapped = `${text.slice(0, index)}${text[index + 1] ?? ''}${text[index]}${text.slice(index + 2)}`;
      fc.pre(swapped !== text);
      assert.equal(readBrCode(swapped).kind, 'fault');
    }),
  );
});

test('any text at all is a code or a fault', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => void readBrCode(text)));
});
