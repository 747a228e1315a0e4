import assert from 'node:assert/strict';
import { test } from 'node:test';
import { archiveBytes, archiveFileName, archiveLine, parseArchiveLine } from './archive.ts';

const ENTRY = {
  entryNumber: 7,
  occurredAtSeconds: '1795000000.123456',
  actor: 'ana',
  action: 'card.read',
  outcome: 'success',
  origin: '203.0.113.7',
  resource: 'merchants/loja/cards/1',
  detail: '{"reason":"“prova”"}',
  dataKeyId: 3,
  previousSeal: Buffer.alloc(32, 1),
  seal: Buffer.alloc(32, 2),
} as const;

test('an entry is one line, and the line is the entry again', () => {
  const line = archiveLine(ENTRY);
  assert.equal(line.indexOf('\n'), line.length - 1);
  assert.deepEqual(parseArchiveLine(line), ENTRY);
});

test('what is no line of an archive is none', () => {
  for (const line of ['', 'null', '7', '[]', '{}', '{', archiveLine(ENTRY).replace('"ana"', '7')])
    assert.equal(parseArchiveLine(line), null, line);
});

test('files stand in the order of their entries', () => {
  const first = archiveFileName({ firstNumber: 1, lastNumber: 999 });
  assert.equal(first, 'audit-000000000001-000000000999.jsonl');
  assert.ok(first < archiveFileName({ firstNumber: 1_000, lastNumber: 1_000 }));
});

test('every field of an anchor is sealed', () => {
  const archive = {
    firstNumber: 1,
    lastNumber: 9,
    lastSeal: Buffer.alloc(32, 1),
    lastKeyId: 3,
    fileSha256: Buffer.alloc(32, 2),
  };
  const others = [
    { firstNumber: 2 },
    { lastNumber: 8 },
    { lastSeal: Buffer.alloc(32) },
    { lastKeyId: 4 },
    { fileSha256: Buffer.alloc(32) },
  ];
  for (const other of others)
    assert.notDeepEqual(archiveBytes({ ...archive, ...other }), archiveBytes(archive));
});
