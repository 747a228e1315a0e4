import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../../src/platform/reference/openapi.ts';
import { referencePage } from '../../src/platform/reference/reference-page.ts';
import { fieldKeyOf, type Texts, type Wording, wordingIn } from '../../src/platform/reference/wording.ts';
import { CARD_BRANDS } from '../../src/values/card-number.ts';
import { REFERENCE } from '../published.ts';

const { texts } = REFERENCE;
/** Names, which are the same everywhere. */
const NAMES: readonly string[] = CARD_BRANDS;

const said = new Set<string>();
const looked = new Map<string, string | undefined>();
/** Prints everything, and remembers what was asked for. */
const recording: Wording = {
  ...wordingIn('pt', texts),
  say(english) {
    said.add(english);
    return texts.portuguese[english] ?? english;
  },
  meaningOf(path) {
    looked.set(path.join('.'), fieldKeyOf(texts.fields, path));
    return 'x';
  },
};
openApiDocument(REFERENCE, recording);
referencePage(REFERENCE, recording);

test('every English text of the published description has its Portuguese', () => {
  const missing = [...said].filter((text) => !Object.hasOwn(texts.portuguese, text) && !NAMES.includes(text));
  assert.deepEqual(missing, [], 'write its Portuguese into the texts.json of its module');
});

test('every field of every request, answer and message says what it means', () => {
  const bare = [...looked].filter(([, key]) => key === undefined).map(([path]) => path);
  assert.deepEqual(bare, [], 'describe it in its contract, or by the end of its path in a texts.json');
});

test('every text that is kept in two languages is used', () => {
  const stale = Object.keys(texts.portuguese).filter((text) => !said.has(text));
  assert.deepEqual(stale, [], 'the English was changed: change its Portuguese too');
  const used = new Set(looked.values());
  assert.deepEqual(
    Object.keys(texts.fields).filter((key) => !used.has(key)),
    [],
  );
});

test('no field and no text means one thing in one module and another in the next', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const seen = new Map<string, { readonly file: string; readonly meaning: string }>();
  const files = ['src', 'homologation'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('texts.json'))
      .map((path) => join(folder, path)),
  );
  assert.ok(files.length > 5);
  for (const file of files) {
    const { fields, portuguese } = JSON.parse(readFileSync(join(root, file), 'utf8')) as Texts;
    const meanings = [
      ...Object.entries(fields).map(
        ([name, sentence]) => [`field ${name}`, JSON.stringify(sentence)] as const,
      ),
      ...Object.entries(portuguese),
    ];
    for (const [key, meaning] of meanings) {
      const other = seen.get(key);
      assert.ok(
        other === undefined || other.meaning === meaning,
        `${key} differs in ${other?.file} and ${file}`,
      );
      seen.set(key, { file, meaning });
    }
    for (const [name, { pt, en }] of Object.entries(fields)) assert.ok(pt !== '' && en !== '', name);
  }
});
