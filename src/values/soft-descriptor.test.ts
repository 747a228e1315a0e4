import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSoftDescriptor } from './soft-descriptor.ts';

test('a soft descriptor has up to 13 letters, digits, blanks and .-*, and is not blank', () => {
  for (const text of ['A', 'LOJA*PEDIDO 7', 'Loja.com-br', '1234567890123', ' x ']) {
    assert.ok(isSoftDescriptor(text), text);
  }
  for (const text of ['', ' ', '. -*', 'LOJA*PEDIDO 77', 'CAFÉ', 'A\n', 'A_B', 'a/b', '١٢٣', 'A\u00a0B']) {
    assert.ok(!isSoftDescriptor(text), JSON.stringify(text));
  }
});
