import { test } from 'node:test';
import { assertNone, assertOne, planted } from './planted.ts';
import { readSourceTree } from './source-tree.ts';
import { transactionComplaints } from './transactions.ts';

test('what holds a transaction waits for nothing else', () => {
  assertNone(transactionComplaints(readSourceTree()));
});

test('work that waits for something else is found', () => {
  const complaints = (source: string) => transactionComplaints(planted({ 'src/cards/card.ts': source }));
  const FOUND = /waits for something else/;
  for (const source of [
    'database.transaction(async (tx) => { await fetch(url); });',
    'commitChange(async (tx) => { await fetch(url); });',
    'database.transaction(async (tx) => { await Promise.all([tx.query(A, [])]); });',
    'async function write(tx: Tx, id: string) { for await (const row of rows) go(row); }',
    'async function write(tx: AuditedTx) { return await read(database); }',
    'const write = async (id: string, tx: Tx) => { rows.map(async () => await log.flushed()); };',
  ])
    assertOne(complaints(source), FOUND);
  assertNone(
    complaints(`
      database.transaction(async (tx) => {
        const rows = await tx.query(A, []);
        if (rows.length === 0) await (isOld ? close(tx) : open(1, tx));
        await judge(tx, rows);
      });
      async function write(database: Database) { await database.query(A, []); }`),
  );
});
