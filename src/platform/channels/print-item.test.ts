import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printItem as print } from './change-page.ts';

const FIELDS = ['changeId', 'merchantId', 'reference', 'installmentNumber', 'type', 'amount', 'at'];
const printItem = (item: unknown) => print(item, FIELDS);

test('of an item that cannot be read the fields of the protocol are shown, and of others the names', () => {
  const item = { changeId: '8', merchantId: '01700555550000', type: 'refunded', holder: 'ANA', cvv: '123' };
  assert.equal(
    printItem(item),
    '{"changeId":"8","merchantId":"01700555550000","type":"refunded","otherFields":["holder","cvv"]}',
  );
});

test('a number of a card is shown nowhere', () => {
  for (const number of [
    '4111111111111111',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '0041111111111111110000',
  ]) {
    for (const item of [
      number,
      { reference: number },
      { [number]: 1 },
      { type: `x ${number} y` },
      Number(number),
    ]) {
      const printed = printItem(item);
      assert.doesNotMatch(printed, /\d(?:[ .-]?\d){12}/, printed);
    }
  }
  assert.equal(printItem({ reference: { card: { number: '4111111111111111' } } }), '{"reference":"{…}"}');
});

test('what is shown is bounded, whatever it is', () => {
  for (const item of [null, true, [], 'x'.repeat(9_000), { type: 'x'.repeat(9_000) }, { at: '\u0000' }]) {
    const printed = printItem(item);
    assert.ok(printed.length <= 500 && !printed.includes('\u0000'), printed);
  }
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field ${index}`, index]));
  assert.ok(printItem(wide).length <= 500);
});
