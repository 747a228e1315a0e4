import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import type { SheetCell } from './xlsx.ts';
import { xlsxStream } from './xlsx-stream.ts';

async function* inPieces(...pieces: (readonly (readonly SheetCell[])[])[]) {
  yield* pieces;
}

async function entriesOf(stream: AsyncIterable<Uint8Array>): Promise<Record<string, string>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  const zip = Buffer.concat(pieces);
  const end = zip.length - 22;
  assert.equal(zip.readUInt32LE(end), 0x06054b50);
  const entries: Record<string, string> = {};
  let at = zip.readUInt32LE(end + 16);
  for (let count = zip.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [packed, size] = [zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24)];
    const name = zip.toString('utf8', at + 46, at + 46 + zip.readUInt16LE(at + 28));
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const text = inflateRawSync(zip.subarray(start, start + packed));
    assert.equal(text.length, size);
    entries[name] = text.toString();
    at += 46 + zip.readUInt16LE(at + 28);
  }
  return entries;
}

test('amounts, days and moments are numbers of a spreadsheet, and texts stay texts whatever they hold', async () => {
  const row: SheetCell[] = [
    '=1+1',
    { kind: 'amount', text: '-1234.56' },
    { kind: 'day', text: '2026-11-30' },
    { kind: 'moment', text: '2026-11-30T12:00:00' },
    12,
    null,
    'a<b>&\u0000_x0041_\ud800',
    { kind: 'portion', text: '2.4900' },
  ];
  const entries = await entriesOf(xlsxStream(['Referência'], inPieces([row])));
  assert.deepEqual(Object.keys(entries).toSorted(), [
    '[Content_Types].xml',
    '_rels/.rels',
    'xl/_rels/workbook.xml.rels',
    'xl/styles.xml',
    'xl/workbook.xml',
    'xl/worksheets/sheet1.xml',
  ]);
  const sheet = entries['xl/worksheets/sheet1.xml'] ?? '';
  const cells = [...sheet.matchAll(/<c r="(\w+)"[^>]*>(.*?)<\/c>/g)].map(([, place, content = '']) => [
    place,
    content.replaceAll(/<[^>]+>/g, ''),
  ]);
  assert.deepEqual(cells, [
    ['A1', 'Referência'],
    ['A2', '=1+1'],
    ['B2', '-1234.56'],
    ['C2', '46356'],
    ['D2', '46356.5'],
    ['E2', '12'],
    ['G2', 'a&lt;b&gt;&amp;\ufffd_x005F_x0041_\ufffd'],
    ['H2', '2.4900'],
  ]);
  assert.match(sheet, /<c r="A2" s="1" t="inlineStr">/, 'a text, not a formula');
  assert.match(entries['xl/styles.xml'] ?? '', /<xf numFmtId="49" [^>]*quotePrefix="1"/);
});

test('rows beyond one sheet go on in the next, each with its heads', async () => {
  const rows = Array.from({ length: 5 }, (_, index) => [index + 1]);
  const entries = await entriesOf(xlsxStream(['n'], inPieces(rows.slice(0, 1), [], rows.slice(1)), 3));
  const sheets = Object.entries(entries).filter(([name]) => name.startsWith('xl/worksheets/'));
  assert.deepEqual(
    sheets.map(([, sheet]) => [...sheet.matchAll(/<v>(\d+)/g)].map(([, value]) => Number(value))),
    [[1, 2], [3, 4], [5]],
  );
  assert.ok(sheets.every(([, sheet]) => sheet.includes('>n</t>')));
  assert.match(entries['[Content_Types].xml'] ?? '', /sheet3\.xml/);
});

test('a workbook whose rows fail has no end, and its rows are closed when nobody reads on', async () => {
  async function* failing(): AsyncGenerator<SheetCell[][]> {
    yield [['a']];
    throw new Error('the database went away');
  }
  await assert.rejects(entriesOf(xlsxStream(['n'], failing())), /went away/);
  let isClosed = false;
  async function* endless(): AsyncGenerator<SheetCell[][]> {
    try {
      for (let row = 0; ; row += 1) yield [[Math.sin(row), `${Math.cos(row)}`]];
    } finally {
      isClosed = true;
    }
  }
  for await (const piece of xlsxStream(['n'], endless())) if (piece.length > 1_000) break;
  assert.ok(isClosed);
});
