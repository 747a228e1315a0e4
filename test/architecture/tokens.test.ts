import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSourceTree } from './source-tree.ts';
import { interpolationsOf, tokensOf } from './tokens.ts';

const wordsOf = (source: string) =>
  tokensOf(source)
    .filter(({ kind }) => kind === 'word')
    .map(({ text }) => text);

test('comments, texts and regular expressions are not code', () => {
  const source = [
    '// process.env in a comment',
    "/* fetch() */ const a = 'process'; /* over",
    'two lines */ const b = "fetch(1)";',
    "const c = /fetch('/g.test(b) && a / b / c;",
    "const d = '\\'fetch'; const e = [/[/]fetch/];",
  ].join('\n');
  assert.deepEqual(wordsOf(source), 'const a const b const c test b a b c const d const e'.split(' '));
});

test('the code inside a template is code, its text is not', () => {
  const source = `const a = \`fetch \${now(\`\${deep({ b: "}" })} process\`)} fetch\`; after();`;
  assert.deepEqual(wordsOf(source), ['const', 'a', 'now', 'deep', 'b', 'after']);
  assert.deepEqual(
    interpolationsOf(`\`\${A} and \${b({})}\``).map(({ code }) => code),
    ['A', 'b({})'],
  );
});

test('lines are counted through comments, texts of several lines and templates', () => {
  const tokens = tokensOf(`/*\n*/ a\n\`x\n\${b}\n\`\nc`);
  const lines = Object.fromEntries(tokens.map(({ text, line }) => [text, line]));
  assert.equal(lines.a, 2);
  assert.equal(lines.b, 4);
  assert.equal(lines.c, 6);
});

test('every program of this repository can be cut: its brackets close', () => {
  for (const [path, text] of readSourceTree()) {
    if (!/\.(ts|mjs)$/.test(path)) continue;
    const open: string[] = [];
    for (const { kind, text: mark, line } of tokensOf(text)) {
      if (kind !== 'mark') continue;
      if ('([{'.includes(mark)) open.push(mark);
      if (')]}'.includes(mark)) {
        assert.equal(`${open.pop()}${mark}`, { ')': '()', ']': '[]', '}': '{}' }[mark], `${path}:${line}`);
      }
    }
    assert.deepEqual(open, [], path);
  }
});
