import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertNone, assertOne } from './planted.ts';
import { type Pages, translationComplaints } from './translations.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What is kept in Portuguese and in English: the README and the guides. */
function pagesInTwoLanguages(): Pages {
  const guides = ['docs/pt', 'docs/en'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  const paths = ['README.md', 'README.pt-BR.md', ...guides];
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

test('README and guides say in both languages the same: sections, snippets, lists and tables', () => {
  const pages = pagesInTwoLanguages();
  assert.ok(pages.size >= 12);
  assertNone(translationComplaints(pages));
});

test('a page or a part of it that is in one language only is found', () => {
  const pt = '# Guia\n\n[English](../en/a.md)\n\n## Um\n\n```sh\n# faz\ncurl $U\n```\n\n- um\n';
  const en = '# Guide\n\n[Português](../pt/a.md)\n\n## One\n\n```sh\n# does\ncurl $U\n```\n\n- one\n';
  const complaintsOf = (first: string, second: string | null) =>
    translationComplaints(
      new Map([['docs/pt/a.md', first], ...(second === null ? [] : ([['docs/en/a.md', second]] as const))]),
    );
  assertNone(complaintsOf(pt, en));
  assertOne(complaintsOf(pt, null), /docs\/en\/a\.md is not there/);
  assertOne(complaintsOf(pt.replace('[English](../en/a.md)', ''), null), /names no page/);
  assertOne(complaintsOf(`${pt}\n## Dois\n`, en), /heading 3 is nothing in one and "##" in the other/);
  assertOne(complaintsOf(pt.replace('curl', 'curl -s'), en), /snippet 1 is/);
  assertOne(complaintsOf(pt, `${en}- two\n`), /item or row 2 is "-" in one and nothing/);
});
