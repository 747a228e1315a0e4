import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNone, assertOne, planted } from './planted.ts';
import { readSourceTree } from './source-tree.ts';
import { genderComplaints, widthComplaints, wordComplaints } from './words.ts';

test('comments and titles of tests say the words of the trade', () => {
  assertNone(wordComplaints(readSourceTree()));
});

test('comments fit into 110 columns', () => {
  assertNone(widthComplaints(readSourceTree()));
});

test('an acquirer has one gender in Portuguese', () => {
  assertNone(genderComplaints(readSourceTree()));
  const bad = { 'src/texts.json': '{\n"Of it.": "Do adquirente, e ao Adquirente."\n}' };
  assertOne(genderComplaints(planted(bad)), /says o adquirente: 2 times: src\/texts.json:2/);
  const page = { 'docs/pt/pagamentos.md': '# Pagar\n\nPelo adquirente.\n' };
  assertOne(genderComplaints(planted(page)), /1 times: docs\/pt\/pagamentos.md:3/);
});

test('each word that is not said is found where it stands', () => {
  for (const [text, name] of [
    ['/** Whoever asks, pays. */', 'Whoever'],
    ['// It ends. Nobody asks.', 'Nobody'],
    ['const a = 1; // Who asks is answered.', 'Who'],
    [' * What the merchant is told.', 'told'],
    ['/** Tells of it. */', 'tells'],
    ['// In the rooms of the service.', 'room'],
  ] as const) {
    assertOne(
      wordComplaints(planted({ 'src/a.ts': `\n${text}` })),
      new RegExp(`says ${name}: 1 .*src/a.ts:2`),
    );
  }
  assertOne(wordComplaints(planted({ 'test/a.test.ts': '// Whoever' })), /says Whoever: 1/);
  const titled = "\ntest('it is paid', run);\ntest(\n  \"a file that doesn't tell, tells\",\n  run,\n);\n";
  assertOne(wordComplaints(planted({ 'test/a.test.ts': titled })), /says tells: 1 .*test\/a.test.ts:3/);
  assert.deepEqual(wordComplaints(planted({ 'test/a.ts': titled })), []);
});

test('text that is no comment, and those words inside of others, pass', () => {
  const good = `const undo = 'house'; const url = 'http://rooms';\n// A bathroom untold, for those who ask.\n`;
  assert.deepEqual(wordComplaints(planted({ 'src/a.ts': good })), []);
});

test('a comment of 111 columns is found', () => {
  assertOne(
    widthComplaints(planted({ 'src/a.ts': `// ${'a'.repeat(108)}` })),
    /more than 110 columns: 1 .*src\/a.ts:1/,
  );
  assertNone(widthComplaints(planted({ 'src/a.ts': `// ${'a'.repeat(107)}` })));
});
