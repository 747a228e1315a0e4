import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf, parseProgram, textsOf } from './program.ts';

const namesIn = (source: string) =>
  parseProgram('a.ts', source).nodes.flatMap(({ node }) => nameOf(node) ?? []);

test('comments, texts and regular expressions are not code', () => {
  const source = [
    '// process.env in a comment',
    "/* fetch() */ const a = 'process'; /* over",
    'two lines */ const b = "fetch(1)";',
    "const c = /fetch('/g.test(b) && a / b / c;",
    "const d = '\\'fetch'; const e = [/[/]fetch/];",
  ].join('\n');
  assert.deepEqual(namesIn(source), 'a b c test b a b c d e'.split(' '));
});

test('the code inside a template is code, its text is not', () => {
  const source = `const a = \`fetch \${now(\`\${deep({ b: "}" })} process\`)} fetch\`; after();`;
  assert.deepEqual(namesIn(source).sort(), ['a', 'after', 'b', 'deep', 'now']);
});

test('texts stand there with their lines, through comments and templates of several lines', () => {
  const program = parseProgram('a.ts', `/*\n*/ f('é');\nf(\`x\n\${'b'}\n\`);\nf("c");`);
  assert.deepEqual(
    textsOf(program).map(({ text, line }) => [text, line]),
    [
      ['é', 2],
      [`x\n\${'b'}\n`, 3],
      ['b', 4],
      ['c', 6],
    ],
  );
});

test('what is no program is named', () => {
  assert.throws(() => parseProgram('src/a.ts', 'const = 1;'), /^Error: src\/a\.ts: /);
});
