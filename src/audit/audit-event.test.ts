import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AuditEvent, writtenEvent } from './audit-event.ts';

const NUMBER = '5155901222280001';
const EVENT: AuditEvent = {
  action: 'console.act',
  outcome: 'success',
  actor: 'user:ana',
  origin: '203.0.113.7',
  resource: 'merchants/loja',
};

test('no text of an entry has a card number, wherever and however it came', () => {
  for (const change of [
    { actor: `user:${NUMBER}` },
    { origin: NUMBER },
    { resource: `merchants/loja/subscriptions/${NUMBER}/cancel` },
    { resource: `a/${'x'.repeat(290)}${NUMBER}` },
    { detail: { note: `card ${NUMBER} cvv 123` } },
    { detail: { [NUMBER]: 'x' } },
    { detail: { typed: Number(NUMBER) } },
    { detail: { note: '5155\u200b9012\u200b2228\u200b0001' } },
    { detail: { note: '5155%209012%202228%200001' } },
  ]) {
    const written = JSON.stringify(writtenEvent({ ...EVENT, ...change }));
    assert.ok(!/5155|9012|2228/.test(written), written);
  }
});

test('a reason names nobody by CPF or e-mail address; other details are as they were given', () => {
  const detail = { reason: 'de 529.982.247-25, zeca@cliente.example', name: 'ana@loja.example', amount: 7 };
  assert.deepEqual(JSON.parse(writtenEvent({ ...EVENT, detail }).detail), {
    reason: 'de ***.***.***-**, ***@***',
    name: 'ana@loja.example',
    amount: 7,
  });
});
