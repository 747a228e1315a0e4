import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { linkComplaints } from './links.ts';
import { assertNone, assertOne } from './planted.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('every relative link of a Markdown page leads to a file, and its anchor to a heading', () => {
  const exclude = (path: string) => /(^|\/)(node_modules|\.[^/]+)$/.test(path);
  const paths = globSync('**/*.md', { cwd: ROOT, exclude });
  const pages = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
  assertNone(linkComplaints(pages, (path) => existsSync(join(ROOT, path))));
});

test('a link to no file, and an anchor to no heading, are found', () => {
  const complaintsOf = (link: string) =>
    linkComplaints(
      new Map([
        [
          'README.md',
          `# Parcela\n\nSee [it](${link}), \`[code](none.md)\` and [all](https://a.example/b#c).\n`,
        ],
        ['docs/keys.md', '# Keys\n\n```sh\n# No heading\n```\n\n## `npm test`: why, how\n\n## Keys\n'],
      ]),
      (path) => path === 'docs/proxy/nginx.conf',
    );
  for (const link of ['docs/keys.md', '#parcela', 'docs/keys.md#npm-test-why-how', 'docs/keys.md#keys-1']) {
    assertNone(complaintsOf(link));
  }
  assertNone(complaintsOf('docs/proxy/nginx.conf'));
  assertOne(complaintsOf('docs/key.md'), /^README\.md:3: docs\/key\.md leads to no file$/);
  assertOne(complaintsOf('../docs/keys.md'), /no file/);
  assertOne(complaintsOf('docs/keys.md#no-heading'), /no heading/);
  assertOne(complaintsOf('#keys'), /no heading/);
});
