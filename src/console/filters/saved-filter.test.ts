import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptQuery, readKept } from './saved-filter.ts';

test('what is kept of an address is its filters, not where its reader stands', () => {
  assert.equal(keptQuery({ status: 'Paga', page: '3', lastFour: '0001' }), 'status=Paga&lastFour=0001');
  assert.equal(keptQuery({ page: '3' }), '');
});

test('a name and a query are kept as far as there are such, and within their bounds', () => {
  assert.deepEqual(readKept('Negadas', 'status=Negada&page=2'), { name: 'Negadas', query: 'status=Negada' });
  assert.equal(readKept('', 'status=Negada'), 'noName');
  assert.equal(readKept('x'.repeat(41), 'status=Negada'), 'noName');
  assert.equal(readKept('Nada', ''), 'noFilter');
  assert.equal(readKept('Muito', `reference=${'x'.repeat(500)}`), 'noFilter');
});

test('a query that is none becomes names and values, whatever stands in it', () => {
  assert.deepEqual(readKept('Estranha', '"><script>=1'), {
    name: 'Estranha',
    query: '%22%3E%3Cscript%3E=1',
  });
});
