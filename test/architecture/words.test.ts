import { test } from 'node:test';
import { assertNone, assertOne, planted } from './planted.ts';
import { readSourceTree } from './source-tree.ts';
import { genderComplaints, widthComplaints } from './words.ts';

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

test('a comment of 111 columns is found', () => {
  assertOne(
    widthComplaints(planted({ 'src/a.ts': `// ${'a'.repeat(108)}` })),
    /more than 110 columns: 1 .*src\/a.ts:1/,
  );
  assertNone(widthComplaints(planted({ 'src/a.ts': `// ${'a'.repeat(107)}` })));
});
