import assert from 'node:assert/strict';
import { test } from 'node:test';
import meanings from './decline-codes.json' with { type: 'json' };
import { BRANDS, declineFor } from './decline-codes.ts';

function codeOf(abecsCode: string, brand: (typeof BRANDS)[number]) {
  return declineFor(abecsCode, brand)?.responseCode;
}

test('a meaning is answered in the own code of the brand', () => {
  assert.deepEqual(
    BRANDS.map((brand) => codeOf('51', brand)),
    ['51', '51', '116', '51', '51'],
  );
  assert.equal(codeOf('54', 'amex'), '101');
  assert.equal(codeOf('41', 'amex'), '200');
  assert.equal(codeOf('58', 'visa'), '03');
  assert.equal(codeOf('59', 'mastercard'), '63');
  assert.equal(codeOf('63', 'visa'), 'N7');
});

test('Hipercard speaks the codes of Mastercard', () => {
  for (const abecsCode of Object.keys(meanings.meanings)) {
    assert.equal(codeOf(abecsCode, 'hipercard'), codeOf(abecsCode, 'mastercard'), abecsCode);
  }
});

test('a brand without a code for the meaning answers its generic code', () => {
  assert.equal(codeOf('76', 'visa'), '05');
  assert.equal(codeOf('62', 'amex'), '100');
  assert.equal(codeOf('06', 'mastercard'), '05');
  assert.equal(codeOf('76', 'elo'), '76');
});

test("what is nobody's code is no decline", () => {
  assert.deepEqual(
    ['07', '50', '99', '00', 'toString'].map((code) => declineFor(code, 'visa')),
    [null, null, null, null, null],
  );
});

test('only Mastercard gives advice, and says never to try a lost or stolen card again', () => {
  assert.equal(declineFor('41', 'mastercard')?.adviceCode, '03');
  assert.equal(declineFor('43', 'mastercard')?.adviceCode, '03');
  assert.equal(declineFor('51', 'mastercard')?.adviceCode, null);
  for (const abecsCode of Object.keys(meanings.meanings)) {
    for (const brand of ['visa', 'amex', 'elo', 'hipercard'] as const) {
      assert.equal(declineFor(abecsCode, brand)?.adviceCode, null);
    }
  }
});
