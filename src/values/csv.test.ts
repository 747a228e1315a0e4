import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from './csv.ts';

test('cells are divided by semicolons, and quoted where their text holds one, a quote or a line break', () => {
  assert.equal(csvLine(['a', 1, true, null, undefined, 'ção']), 'a;1;true;;;ção\r\n');
  assert.equal(csvLine(['a;b', 'say "x"', 'two\nlines']), '"a;b";"say ""x""";"two\nlines"\r\n');
});

test('a text that a spreadsheet would take for a formula is made harmless, and a number stays one', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '\t1', '\r1', '\n1'])
    assert.equal(csvLine([text]), `"'${text}"\r\n`);
  assert.equal(csvLine(['=HYPERLINK("x")']), '"\'=HYPERLINK(""x"")"\r\n');
  assert.equal(csvLine([-1, 'a=1']), '-1;a=1\r\n');
  assert.equal(csvLine(['a,=1', 'a"=1']), `"a,'=1";"a""'=1"\r\n`);
  assert.equal(csvLine(['\t=1', 'a\n-1']), `"'\t'=1";"a\n'-1"\r\n`);
});
