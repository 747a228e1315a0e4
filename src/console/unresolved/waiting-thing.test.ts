import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../../values/instant.ts';
import { firstWaiting, MOST_WAITING_SHOWN, type WaitingThing } from './waiting-thing.ts';

const thing = (id: string, since: number, amount: number, kind: WaitingThing['kind'] = 'charge') => ({
  ...{ kind, id, amount, merchantId: 'LOJA', tries: 0, reason: '' },
  since: instant(since),
  dueAt: instant(since),
});

const idsOf = (things: readonly WaitingThing[]) => things.map(({ id }) => id);

test('things of all kinds stand in one order: what waits longest first, or the largest amount', () => {
  const things = [thing('a', 30, 100), thing('b', 10, 200, 'cancel'), thing('c', 20, 300, 'boleto')];
  assert.deepEqual(idsOf(firstWaiting(things, 'age')), ['b', 'c', 'a']);
  assert.deepEqual(idsOf(firstWaiting(things, 'money')), ['c', 'b', 'a']);
});

test('of very many those are shown that stand first, whatever their kind', () => {
  const many = Array.from({ length: MOST_WAITING_SHOWN }, (_, index) => thing(`charge ${index}`, 100, 1));
  const shown = firstWaiting([...many, thing('boleto', 1, 1, 'boleto')], 'age');
  assert.equal(shown.length, MOST_WAITING_SHOWN);
  assert.equal(shown[0]?.id, 'boleto');
});
