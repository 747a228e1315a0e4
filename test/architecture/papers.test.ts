import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ASVS_ITEMS, ASVS_STATES, itemComplaints, PCI_STATES, rowComplaints } from './papers.ts';
import { assertNone, assertOne } from './planted.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

function isThere(path: string): boolean {
  return existsSync(join(ROOT, path));
}

test('docs/security.md has every item of levels 1 and 2 once, and every file that it names is there', () => {
  const text = read('docs/security.md');
  assert.equal(ASVS_ITEMS.length, 253);
  assertNone(itemComplaints('docs/security.md', text));
  assertNone(rowComplaints('docs/security.md', text, ASVS_STATES, isThere));
});

test('every file that docs/pci.md names is there, and what the software does names one', () => {
  assertNone(rowComplaints('docs/pci.md', read('docs/pci.md'), PCI_STATES, isThere));
});

test('an item that is missing, stands twice or is none is found', () => {
  const of = (rows: string) => itemComplaints('page', rows, ['1.1.1', '1.1.2', '1.1.10', '1.2.1']);
  const all = '| 1.1.1–1.1.10 | asks | n/a | none |\n| 1.2.1 | asks | met | `a/b.ts` |\n';
  assertNone(of(all));
  assertOne(of(all.replace('1.1.10', '1.1.2')), /lacks 1\.1\.10/);
  assertOne(of(`${all}| 1.1.2, 1.1.3 | asks | n/a | none |\n`), /1\.1\.2 stands twice/);
  assertOne(of(`${all}| 2.1.1 | asks | n/a | none |\n`), /2\.1\.1 is no item/);
});

test('a row without a state, a reason or a file, and a file that is not there, are found', () => {
  const of = (row: string) => rowComplaints('page', row, ASVS_STATES, (path) => path === 'test/a.test.ts');
  assertNone(of('| 1.1.1 | asks | met | so: `test/a.test.ts`, `npm test`, `/metrics` |'));
  assertNone(of('| 1.1.1 | asks | not met | a reason |'));
  assertOne(of('| 1.1.1 | asks | met | so |'), /names no file/);
  assertOne(of('| 1.1.1 | asks | almost | `test/a.test.ts` |'), /"almost", which is no state/);
  assertOne(of('| 1.1.1 | asks | n/a |  |'), /says nothing/);
  assertOne(of('| 1.1.1 | asks | not met | `test/b.test.ts` |'), /test\/b\.test\.ts, which is not there/);
});
