import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsCpfOrEmail, withoutCpfAndEmail } from './card-number-in-text.ts';

test('a CPF and an e-mail address are masked however they stand in a text', () => {
  for (const [text, masked] of [
    ['pedido de 529.982.247-25', 'pedido de ***.***.***-**'],
    ['52998224725', '***********'],
    ['CPF:529 982 247 25, carta', 'CPF:*** *** *** **, carta'],
    ['escreveu zeca.silva+loja@cliente.example ontem', 'escreveu ***@*** ontem'],
    ['<zeca@cliente.example>', '<***@***>'],
  ] as const) {
    assert.equal(withoutCpfAndEmail(text), masked);
    assert.ok(holdsCpfOrEmail(text));
  }
});

test('other numbers and signs stay', () => {
  for (const text of [
    'protocolo 52998224726',
    '952998224725',
    'a52998224725',
    '11222333000181',
    'R$ 3 @ 10',
    '',
  ])
    assert.equal(holdsCpfOrEmail(text), false, text);
});
