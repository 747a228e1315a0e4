import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BrokenLedger, Ledger, openLedgerFile } from './ledger.ts';
import { temporaryFolder } from './temporary-folder.ts';

function openLedger(t: TestContext, folder: string, sync = true): Ledger {
  const file = openLedgerFile(folder, () => {});
  t.after(() => fs.closeSync(file));
  return new Ledger(file, sync, (error) => {
    throw error;
  });
}

function linesOf(folder: string): string[] {
  const lines: string[] = [];
  fs.closeSync(openLedgerFile(folder, (line) => lines.push(line)));
  return lines;
}

function durable(ledger: Ledger): Promise<void> {
  return new Promise((resolve) => ledger.afterDurable(resolve));
}

for (const sync of [true, false]) {
  test(`what was appended is in the file when it is called durable (sync ${sync})`, async (t) => {
    const folder = temporaryFolder(t);
    const ledger = openLedger(t, folder, sync);
    const seen: number[] = [];
    const waits: Promise<void>[] = [];
    for (let index = 0; index < 50; index += 1) {
      ledger.append(`line ${index}`);
      waits.push(durable(ledger).then(() => void seen.push(linesOf(folder).length - index)));
      if (index % 10 === 9) await new Promise(setImmediate);
    }
    await Promise.all(waits);
    assert.equal(linesOf(folder).length, 50);
    assert.ok(seen.every((ahead) => ahead >= 1));
  });
}

test('appends that come during an fsync share the next one', async (t) => {
  const folder = temporaryFolder(t);
  const syncs = t.mock.method(fs, 'fdatasync');
  const ledger = openLedger(t, folder);
  ledger.append('first');
  const first = durable(ledger);
  await new Promise(setImmediate);
  for (let index = 0; index < 20; index += 1) ledger.append(`gathered ${index}`);
  await first;
  await durable(ledger);
  assert.equal(linesOf(folder).length, 21);
  assert.equal(syncs.mock.callCount(), 2);
});

test('who only reads waits for what is being written', async (t) => {
  const ledger = openLedger(t, temporaryFolder(t));
  const order: string[] = [];
  ledger.append('line');
  ledger.afterDurable(() => order.push('writer'));
  await new Promise(setImmediate);
  ledger.afterDurable(() => order.push('reader'));
  order.push('asked');
  await durable(ledger);
  assert.deepEqual(order, ['asked', 'writer', 'reader']);
  ledger.afterDurable(() => order.push('at once'));
  assert.equal(order.at(-1), 'at once');
});

test('a line that was torn by a kill is cut off, whatever it holds', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'ledger.jsonl');
  for (const torn of ['{"ty', '{"type":"undo"}', '\0\0\0', 'é'.repeat(100)]) {
    fs.writeFileSync(path, `whole 1\nwhole 2\n${torn}`);
    assert.deepEqual(linesOf(folder), ['whole 1', 'whole 2']);
    assert.equal(fs.readFileSync(path, 'utf8'), 'whole 1\nwhole 2\n');
  }
});

test('lines are whole over the borders of what is read at once', (t) => {
  const folder = temporaryFolder(t);
  const lines = Array.from({ length: 3_000 }, (_, index) => `${index} ${'ação'.repeat(250)}`);
  fs.writeFileSync(join(folder, 'ledger.jsonl'), `${lines.join('\n')}\n`);
  assert.deepEqual(linesOf(folder), lines);
});

test('a line without end is refused', (t) => {
  const folder = temporaryFolder(t);
  fs.writeFileSync(join(folder, 'ledger.jsonl'), 'x'.repeat(70_000));
  assert.throws(() => linesOf(folder), BrokenLedger);
});
