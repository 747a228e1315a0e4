import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBrCode } from '../../src/values/br-code.ts';
import { addressesIn, type CodeParts, writeBrCode } from './br-code.ts';

const FULANO = { name: 'Fulano de Tal', city: 'BRASILIA' };
const CHARGE = 'pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441';
const RECURRENCE = 'pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890';
const ALONE = 'pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002';

test('the published codes of the central bank are written to the letter', () => {
  const tail = '5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***';
  const published: [string, CodeParts][] = [
    [
      `00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000${tail}63041D3D`,
      { account: { key: '123e4567-e12b-12d1-a456-426655440000' }, ...FULANO },
    ],
    [
      `00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd441${tail}630464E4`,
      { account: { url: 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441' }, ...FULANO },
    ],
    [
      `00020126180014br.gov.bcb.pix${tail}80800014br.gov.bcb.pix2558${ALONE}630462C9`,
      { account: null, recurrenceUrl: ALONE, ...FULANO },
    ],
    [
      `00020101021226760014br.gov.bcb.pix2554${CHARGE}${tail}80800014br.gov.bcb.pix2558${RECURRENCE}63047741`,
      { account: { url: CHARGE }, recurrenceUrl: RECURRENCE, ...FULANO },
    ],
  ];
  for (const [text, parts] of published) assert.equal(writeBrCode(parts), text);
  assert.deepEqual(addressesIn(published[3]?.[0] ?? ''), [CHARGE, RECURRENCE]);
});

test('a code with key, amount and txid is read by the other reader', () => {
  const text = writeBrCode({
    account: { key: 'loja@example.com' },
    amount: '12.34',
    txid: 'PEDIDO1',
    name: 'Padaria São José dos Campos Elísios',
    city: 'São José do Rio Preto',
  });
  const reading = readBrCode(text);
  assert.deepEqual(reading, {
    kind: 'brCode',
    ...{
      url: null,
      recurrenceUrl: null,
      key: 'loja@example.com',
      amount: 1_234,
      txid: 'PEDIDO1',
      isOneTime: false,
    },
    ...{ receiverName: 'Padaria Sao Jose dos Camp', receiverCity: 'Sao Jose do Rio' },
  });
});
