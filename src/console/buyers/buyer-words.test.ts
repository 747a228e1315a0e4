import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buyerWords, searchedWords } from './buyer-words.ts';

const searched = (text: string) => searchedWords(text)?.map(({ from }) => from);

test('a name is kept by its words without accents, an address whole', () => {
  assert.deepEqual(buyerWords({ name: "Fábio d'Ávila e Souza", email: 'Fabio@Cliente.example' }), [
    'fabio',
    'avila',
    'souza',
    'fabio@cliente.example',
  ]);
  assert.deepEqual(buyerWords({ name: null, email: null }), []);
  assert.deepEqual(buyerWords({ name: '\u0301', email: '\u0301' }), [], 'marks alone');
  assert.deepEqual(buyerWords({ name: 'Ana Prado 52998224725', email: null }), ['ana', 'prado']);
});

test('what is searched for is read alike, the longest word first', () => {
  assert.deepEqual(searched('Fá Souza'), ['souza', 'fa']);
  assert.deepEqual(searched('FABIO@cliente.example'), ['fabio@cliente.example']);
  assert.deepEqual(searched('ab@c1.io'), ['ab@c1.io']);
  assert.deepEqual(searched('Li Wu'), ['li', 'wu']);
  for (const text of ['12345', 'A-114', 'ab']) assert.equal(searched(text), undefined, text);
  const [range] = searchedWords('fab') ?? [];
  assert.ok(range !== undefined && range.from <= 'fabio' && 'fabio' < range.before && 'faca' > range.before);
});
