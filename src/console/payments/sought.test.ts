import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../values/instant.ts';
import { readSought } from './sought.ts';

const read = (text: string) => readSought(text, '2026-11-29' as Day);
const NOTHING = { amount: null, day: null, lastFour: null };

test('amount, day and last four are read in any order', () => {
  for (const text of ['259,90', 'R$ 259,90', 'R$259,90'])
    assert.deepEqual(read(text), { ...NOTHING, amount: 25_990 }, text);
  assert.deepEqual(read('R$ 1.200'), { ...NOTHING, amount: 120_000 });
  assert.deepEqual(read('28/11'), { ...NOTHING, day: '2026-11-28' });
  assert.deepEqual(read('30/11'), { ...NOTHING, day: '2025-11-30' }, 'not one to come');
  assert.deepEqual(read('2026-11-28'), { ...NOTHING, day: '2026-11-28' });
  assert.deepEqual(read('final 0001 28/11/2026 R$ 10,00'), {
    amount: 1_000,
    day: '2026-11-28',
    lastFour: '0001',
  });
  assert.deepEqual(read('•••• 0001 28/11'), { ...NOTHING, day: '2026-11-28', lastFour: '0001' });
});

test('what else is said is a name or a number, not one of these', () => {
  for (const text of [
    '0001',
    '259',
    'A-114',
    '31/02',
    '10,00 20,00',
    '10,00 Souza',
    '',
    '999.999.999.999.999.999,00',
  ])
    assert.equal(read(text), null, text);
});
