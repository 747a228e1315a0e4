import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOver } from './charge-answers.ts';

const at = (text: string) => Date.parse(text);

test('a charge is over minutes after its seconds, and days after its last day, by its own terms', () => {
  const atOnce = { criacao: '2026-03-02T12:00:00Z', expiracao: 3_600 };
  assert.equal(isOver(atOnce, at('2026-03-02T13:04:59Z')), false);
  assert.equal(isOver(atOnce, at('2026-03-02T13:05:01Z')), true);
  const withDueDay = { dataDeVencimento: '2026-03-02', validadeAposVencimento: 2 };
  assert.equal(isOver(withDueDay, at('2026-03-09T23:59:00-03:00')), false);
  assert.equal(isOver(withDueDay, at('2026-03-10T00:01:00-03:00')), true);
  assert.equal(isOver({ dataDeVencimento: '2026-03-02' }, at('2026-04-06T12:00:00-03:00')), false);
});

test('what does not say when it ends is not over', () => {
  for (const calendar of [undefined, {}, { criacao: '2026-03-02T12:00:00Z' }, { criacao: 'x', expiracao: 1 }])
    assert.equal(isOver(calendar, at('2030-01-01T00:00:00Z')), false);
});
