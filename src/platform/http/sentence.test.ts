import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Language, languageOf } from './sentence.ts';

const cases: [string | undefined, Language, string][] = [
  [undefined, 'pt', 'nobody asked'],
  ['', 'pt', 'an empty wish'],
  ['en', 'en', 'English'],
  ['EN-us', 'en', 'English of a region, in any case'],
  ['pt-BR', 'pt', 'Portuguese'],
  ['fr, de;q=0.9', 'pt', 'only languages that we do not speak'],
  ['fr, en;q=0.4', 'en', 'English is the only one that we speak'],
  ['pt;q=0.5, en;q=0.8', 'en', 'English weighs more'],
  ['pt;q=0.8, en;q=0.5', 'pt', 'Portuguese weighs more'],
  ['en-US,en;q=0.9,pt-BR;q=0.8', 'en', 'a browser in English'],
  ['pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7', 'pt', 'a browser in Brazil'],
  ['en;q=0', 'pt', 'English is excluded'],
  ['*', 'pt', 'anything'],
  ['en;q=0.5, *;q=0.1', 'en', 'English before anything else'],
  ['en;q=much', 'pt', 'a weight that is no number'],
  [';;;,,,q=1', 'pt', 'nonsense'],
];

for (const [header, language, story] of cases) {
  test(`${story} (${header ?? 'no header'}) gives ${language}`, () => {
    assert.equal(languageOf(header), language);
  });
}

test('an overlong request is not read', () => {
  assert.equal(languageOf(`en,${'x,'.repeat(200)}`), 'pt');
});
