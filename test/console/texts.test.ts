import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HOMOLOGATION_PAGES } from '../../homologation/console/homologation-screens.ts';
import { CONSOLE_TEXTS } from '../../src/console/console-wording.ts';
import { reasonIn } from '../../src/console/parts/reason-in.ts';
import { wordingIn } from '../../src/console/parts/wording.ts';
import { CONNECTION_WORDS } from '../../src/platform/channels/connection-words.ts';

const home = fileURLToPath(new URL('../..', import.meta.url));
const src = join(home, 'src');
/** The console's, and those with refusals that it and the command line say. */
const isSpoken = ({ path, text }: { readonly path: string; readonly text: string }) =>
  /^(src\/console|homologation\/(console|first-steps))\//.test(path) ||
  /satisfies .*SpokenRefusal|, SpokenRefusal>>/.test(text);
const ofConsole = sourcesIn('src').filter(isSpoken);
const ofHomologation = sourcesIn('homologation').filter(isSpoken);
const sources = [...ofConsole, ...ofHomologation];
const HOMOLOGATION_TEXTS = HOMOLOGATION_PAGES.texts;
const ALL_TEXTS = { ...CONSOLE_TEXTS, ...HOMOLOGATION_TEXTS };

function sourcesIn(folder: string) {
  return readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(home, folder, path), 'utf8') }));
}

/** Of a page's title, of a table of words, and what is said. */
const SAID = [/\bsay\(\s*'((?:[^'\\]|\\.)*)'/g, /\b(?:title|text|done): '((?:[^'\\]|\\.)*)'/g];
/** The same in every language. */
const NAMES = ['R$', 'NSU', 'CNPJ', 'txid', 'endToEndId', 'E-mail'];

/** Tables that give every member of a closed set its words: the compiler holds that none is missing. */
const TABLES = /const \w*WORDS\b[^=]*= \{([^}]*)\}/g;
const tabled = sources.flatMap(({ path, text }) =>
  [...text.matchAll(TABLES)].flatMap(([, table = '']) =>
    [...table.matchAll(/: '((?:[^'\\]|\\.)*)'/g)].map(([, english = '']) => ({ path, english })),
  ),
);

const said = sources.flatMap(({ path, text }) =>
  SAID.flatMap((pattern) => [...text.matchAll(pattern)].map(([, english = '']) => ({ path, english }))),
);

test('every text of the console has its Portuguese', () => {
  assert.ok(said.length > 100 && tabled.length > 100);
  const missing = [...said, ...tabled].filter(
    ({ path, english }) =>
      !Object.hasOwn(path.startsWith('src/') ? CONSOLE_TEXTS : ALL_TEXTS, english) &&
      !NAMES.includes(english),
  );
  assert.deepEqual(missing, []);
});

test('no state, class or kind is shown as it is called inside', () => {
  // A table without a word, or one that is asked for any text, would show the word of the program.
  const loose = sources.flatMap(({ path, text }) =>
    [
      /\w*(?:WORDS|STATES)\b: Readonly<Record<string,/g,
      /\w*(?:WORDS|STATES)\[[^\]]*\] \?\?/g,
      /\bas States<string>/g,
    ].flatMap((pattern) => [...text.matchAll(pattern)].map(([found]) => `${path}: ${found}`)),
  );
  assert.deepEqual(loose, []);
});

test('every Portuguese of the console is that of a text which is said, with the same values in it', () => {
  const wholeOf = (all: typeof sources) => all.map(({ text }) => text).join('\n');
  const [whole, itsOwn] = [wholeOf(ofConsole), wholeOf(ofHomologation)];
  const valuesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort();
  for (const english of Object.keys(HOMOLOGATION_TEXTS)) {
    assert.ok(itsOwn.includes(`'${english}'`), `homologation does not say ${english}`);
    assert.ok(!whole.includes(`'${english}'`), `production says ${english}, and has no Portuguese of it`);
  }
  for (const [english, portuguese] of Object.entries(ALL_TEXTS)) {
    assert.ok(`${whole}${itsOwn}`.includes(`'${english}'`), `nothing says ${english}`);
    assert.deepEqual(valuesOf(portuguese), valuesOf(english), english);
  }
});

test('every reason why no clear answer came is shown in Portuguese', () => {
  const asking = /^(providers|antifraud|transactions|recurrence|platform\/(channels|feeds))\//;
  const found = (isSql: boolean, pattern: RegExp) =>
    readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => asking.test(path) && path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .filter((path) => !isSql || path.endsWith('.sql.ts'))
      .flatMap((path) => [...readFileSync(join(src, path), 'utf8').matchAll(pattern)])
      .map(([, plain, template = '']) => (plain ?? template).replaceAll(/\$\{(?:[^{}`]|`[^`]*`)*\}/g, 'X'));
  const WORDED =
    /(?:\b(?:unknown|unusable|notSent|ProviderSilent|failing|unfit)\(\s*|\breason(?: =|:) )(?:'([^'\n]+ [^'\n]+)'|`((?:[^`\n$]|\$\{(?:[^{}`]|`[^`]*`)*\})+)`)/g;
  // Constants have no dots and signs, as SQL and scopes have; SQL has its reasons as texts in it.
  const named = found(false, /const [A-Z_]+ =\s*'([a-z][^'\n._$/]* [^'\n._$/]+)'/g).filter(
    (text) => !/\b(?:null|order)\b/.test(text),
  );
  const reasons = [
    ...found(false, WORDED),
    ...named,
    ...found(true, /(?<!Error\()'((?:the|it) [a-z ]+[a-z])'/g),
  ];
  assert.ok(reasons.length > 120 && named.length > 4);
  // Its end is one of a table.
  const isWhole = (reason: string) => reason !== 'the bank X';
  const wording = wordingIn('pt', CONSOLE_TEXTS);
  const all = [...new Set([...reasons, ...Object.values(CONNECTION_WORDS)])].filter(isWhole);
  const isEnglish = (text: string) =>
    /\b(?:the|of|that|is|an|not|another|its?|has|had|was|which|for|and|with|there|known|can|no [a-z]+ that)\b/.test(
      text,
    );
  assert.deepEqual(
    all.filter((reason) => isEnglish(reasonIn(reason, wording)) || reasonIn(reason, wording) === reason),
    [],
  );
  for (const half of [
    'it has no event that is known',
    'the bank answered 422 (no answer in time)',
    'Cielo aborted it (without a code)',
  ])
    assert.ok(!isEnglish(reasonIn(half, wording)), half);
  assert.equal(
    reasonIn('the answer had no such strange thing', wording),
    'the answer had no such strange thing',
  );
});

test('no page names a file of the documentation, which nobody opens from there', () => {
  const named = sources.flatMap(({ path, text }) =>
    [...text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').matchAll(/docs\/[\w/-]+\.md/g)].map(
      ([file]) => `${path}: ${file}`,
    ),
  );
  assert.deepEqual(named, []);
});

test('no text of the console has its Portuguese in two files', () => {
  const files = ['src/console', 'homologation/console', 'homologation/first-steps'].flatMap((folder) =>
    readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('texts.json'))
      .map((path) => join(home, folder, path)),
  );
  assert.ok(files.length > 5);
  const keys = files.flatMap((path) =>
    Object.values(JSON.parse(readFileSync(path, 'utf8')) as Record<string, object>).flatMap((texts) =>
      Object.keys(texts),
    ),
  );
  assert.deepEqual(
    keys.filter((key, index) => keys.indexOf(key) !== index),
    [],
  );
});
