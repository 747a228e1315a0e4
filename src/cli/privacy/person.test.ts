import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesPerson, readDocument } from './person.ts';

test('a document is one document with and without its mask', () => {
  assert.equal(readDocument('529.982.247-25'), '52998224725');
  assert.equal(readDocument(' 52998224725 '), '52998224725');
  assert.equal(readDocument('11.222.333/0001-81'), '11222333000181');
  assert.equal(readDocument('12.abc.345/01de-35'), '12ABC34501DE35');
});

test('what is no CPF and no CNPJ is no person', () => {
  for (const text of ['', '52998224724', '11111111111', '5299822472', 'ana@cliente.example'])
    assert.equal(readDocument(text), null);
});

test('a text names a person by document or e-mail address, masked and in an address too', () => {
  const names = (text: string) => namesPerson(text, '52998224725', ['Ana@Cliente.example']);
  assert.equal(names('PEDIDO-529.982.247-25'), true);
  assert.equal(names('https://loja.example/cb?m=ana%40cliente.example'), true);
  assert.equal(names('https://loja.example/cb?m=%E0%A4%A'), false);
  assert.equal(names('PEDIDO-1001'), false);
});
