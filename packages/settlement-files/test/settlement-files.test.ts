import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { REDE_REASONS } from '../src/acquirers/rede/rede-debits-layout.ts';
import type { SettlementEntry } from '../src/entry.ts';
import { FORMATS, formatNamed } from '../src/formats.ts';
import type { Field, RecordLayout } from '../src/records/fixed-width.ts';
import { adiqFileLines, adiqSale, numbered } from './adiq-lines.ts';
import {
  cielo03FileLines,
  cielo09FileLines,
  cielo15FileLines,
  cielo16FileLines,
  cieloEntry,
  cieloFileLines,
  cieloHeader,
  cieloTrailer,
  cieloUnit,
} from './cielo-lines.ts';
import { eefiFileLines } from './eefi-lines.ts';
import { eevcFileLines, eevcSale } from './eevc-lines.ts';
import { eevdFileLines } from './eevd-lines.ts';
import { getnetFileLines } from './getnet-lines.ts';
import { redeStatementLines } from './statement-lines.ts';
import { bytesOf, eventsOf, firstFault, readLines, withText } from './written-lines.ts';

const FILES = {
  adiq: adiqFileLines(),
  cielo03: cielo03FileLines(),
  cielo04: cieloFileLines(),
  cielo09: cielo09FileLines(),
  cielo15: cielo15FileLines(),
  cielo16: cielo16FileLines(),
  redeEevc: eevcFileLines(),
  redeEevd: eevdFileLines(),
  redeEefi: eefiFileLines(),
  redeStatement: redeStatementLines(),
  getnet: getnetFileLines(),
} as const;
const GOOD = Object.values(FILES);

test('the fields of every record follow each other without a hole, and name their tables', () => {
  for (const { format, records, typeLength } of FORMATS) {
    for (const { type, fields, codes, length, isSeparated } of records) {
      assert.equal(type.length, typeLength);
      let next = 1;
      for (const [name, from, to, kind] of fields) {
        assert.equal(from, next, `${format} ${type} ${name}`);
        assert.ok(to >= from);
        if (kind.startsWith('= ')) assert.equal(kind.length - 2, to - from + 1, `${format} ${type} ${name}`);
        const table = /^(?:code|hint) (\w+)/.exec(kind)?.[1];
        if (table !== undefined) assert.ok(table in codes, `${format} ${type} ${name}`);
        next = isSeparated ? to + 2 : to + 1;
      }
      assert.equal(next, length + (isSeparated ? 2 : 1));
      assert.equal(new Set(fields.map(([name]) => name)).size, fields.length, `${format} ${type}`);
    }
  }
});

test('LF and CR LF, with and without the last, in chunks of any size: the same entries', async () => {
  for (const lines of GOOD) {
    const expected = (await readLines(lines)).entries;
    for (const newLine of ['\n', '\r\n']) {
      const bytes = bytesOf(lines, newLine);
      for (const size of [1, 7, 4_096]) {
        const whole = await eventsOf(bytes, size);
        const last = whole.at(-1);
        assert.ok(last?.type === 'end');
        assert.equal(last.end.sha256, createHash('sha256').update(bytes).digest('hex'));
        assert.equal(last.end.byteCount, bytes.length);
        assert.deepEqual(
          whole.flatMap((event) => (event.type === 'entry' ? [event.entry] : [])),
          expected,
        );
      }
      const unended = await eventsOf(bytes.subarray(0, bytes.length - newLine.length));
      assert.equal(unended.at(-1)?.type, 'end');
    }
  }
});

test('a file that is chopped anywhere is refused', async () => {
  for (const lines of GOOD) {
    const bytes = bytesOf(lines, '\n');
    // What is only reserved at the end of the trailer is not needed.
    const isWhole = (length: number) => Buffer.from(bytes.subarray(length)).toString().trim() === '';
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length }), async (length) => {
        const last = (await eventsOf(bytes.subarray(0, length))).at(-1);
        assert.equal(last?.type, isWhole(length) ? 'end' : 'refused');
      }),
      { numRuns: 60 },
    );
  }
});

test('a file that lacks a line, has one twice or two in each other’s place is refused, but for lines that say nothing', async () => {
  const isBare = (line: string) => /^(?:004|021|032|037|040|05[3-7]|034)/.test(line);
  for (const lines of GOOD) {
    for (const [index, line] of lines.entries()) {
      if (isBare(line)) continue;
      assert.notEqual(await firstFault(lines.toSpliced(index, 1)), null, `without ${line.slice(0, 60)}`);
      assert.notEqual(await firstFault(lines.toSpliced(index, 0, line)), null, `twice ${line.slice(0, 60)}`);
    }
  }
});

/** Coded fields that are tried below with what must change beside them, or that name no money. */
const TRIED_APART = [
  'A0 processing',
  'L0 currency',
  'D entryType',
  'E entryType',
  '008 status',
  '012 status',
  '1 status',
  '1 currency',
  '2 status',
  'RS1 status',
  'RS1 type',
  '8 origin',
];

/** The fields of a record whose code says what its money is. */
function codedFields({ type, fields }: RecordLayout): Field[] {
  return fields.filter(([name, , , kind]) => {
    const isReason = type !== 'AJ' && name === 'reason' && type !== 'E';
    return (kind.startsWith('code ') || isReason) && !TRIED_APART.includes(`${type} ${name}`);
  });
}

function isKnownCode({ codes }: RecordLayout, [name, , , kind]: Field, code: string): boolean {
  const table = /^code (\w+)/.exec(kind)?.[1];
  const known: object = table === undefined ? (name === 'reason' ? REDE_REASONS : {}) : (codes[table] ?? {});
  return code.trim() in known || (name === 'reason' && code.trim().replace(/^0+/, '') in known);
}

const SIGNS = [...'0123456789ABCXYZ '];
const codeOf = (length: number) =>
  fc.array(fc.constantFrom(...SIGNS), { minLength: length, maxLength: length }).map((all) => all.join(''));

const isPaying = ({ kind }: SettlementEntry) => kind === 'payout' || kind === 'anticipation';

test('a code that its layout does not know refuses nothing and pays nothing, and stands in its entry', async () => {
  const tried = new Set<string>();
  for (const [format, lines] of Object.entries(FILES)) {
    const { records, typeLength } = formatNamed(format as keyof typeof FILES);
    const before = (await readLines(lines)).entries;
    for (const [index, line] of lines.entries()) {
      const layout = records.find(({ type }) => type === line.slice(0, typeLength));
      if (layout === undefined) continue;
      for (const field of codedFields(layout)) {
        const [name, from, to] = field;
        const old = before.filter(({ lineNumber }) => isOfLine(lineNumber, index, lines));
        if (old.length === 0) continue;
        tried.add(`${layout.type} ${name}`);
        await fc.assert(
          fc.asyncProperty(codeOf(to - from + 1), async (code) => {
            fc.pre(!isKnownCode(layout, field, code));
            const { entries, faults } = await readLines(lines.with(index, withText(line, from, code)));
            assert.deepEqual(faults, []);
            const plain = code.trim().replace(name === 'reason' ? /^0+/ : '', '');
            for (const { lineNumber, kind } of old) {
              const found = entries.find((entry) => entry.lineNumber === lineNumber);
              assert.equal(
                found?.kind,
                kind === 'notice' ? kind : 'unknown',
                `${layout.type} ${name} ${code}`,
              );
              assert.equal(
                found.description?.split(' ').join('').startsWith(plain.split(' ').join('')),
                true,
              );
            }
            const others = (all: readonly SettlementEntry[]) =>
              all
                .filter(isPaying)
                .filter((one) => !old.some(({ lineNumber }) => lineNumber === one.lineNumber));
            assert.equal(others(entries).length, others(before).length);
          }),
          { numRuns: 20 },
        );
      }
    }
  }
  const all = FORMATS.flatMap(({ records }) =>
    records.flatMap((layout) => codedFields(layout).map(([name]) => `${layout.type} ${name}`)),
  );
  assert.deepEqual([...tried].sort(), [...new Set(all)].sort(), 'every coded field was tried');
});

/** A status of a unit of Cielo is that of the entries behind it, if any; other codes are of their line. */
function isOfLine(lineNumber: number, index: number, lines: readonly string[]): boolean {
  const hasEntries = lines[index]?.startsWith('D') && lines[index + 1]?.startsWith('E');
  if (!hasEntries) return lineNumber === index + 1;
  const next = lines.findIndex((line, at) => at > index && !line.startsWith('E'));
  return lineNumber > index + 1 && lineNumber <= next;
}

test('a type of entry that Cielo added refuses nothing: it stands in its entry with its amount', async () => {
  await fc.assert(
    fc.asyncProperty(codeOf(2), fc.integer({ min: -9_000, max: 9_000 }), async (type, net) => {
      const known =
        formatNamed('cielo04').records.find((layout) => layout.type === 'E')?.codes.entryType ?? {};
      fc.pre(!(type.trim() in known));
      const unit = cieloUnit({ type, count: 1, gross: net, net });
      const lines = [cieloHeader(), unit, cieloEntry({ type, gross: net, net, reason: '0042' })];
      const { entries, faults } = await readLines([...lines, cieloTrailer(2, 1, net, net)]);
      assert.deepEqual(faults, []);
      const [entry] = entries;
      assert.deepEqual([entry?.kind, entry?.net], ['unknown', net]);
      assert.equal(entry?.description, `${type.trim() || '-'} 0042`);
    }),
    { numRuns: 60 },
  );
});

/**
 * Bytes like those of a file, and bytes that are not: both kinds reach further into the readers than
 * chance alone.
 */
function spoiledFile(): fc.Arbitrary<Uint8Array> {
  const piece = fc.oneof(
    fc.constantFrom(...GOOD.flat()).map((line) => `${line}\n`),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('\n', '\r\n', '\0', '9', 'A9', '028', 'É'),
  );
  const pieces = fc.array(piece, { maxLength: 12 }).map((texts) => Buffer.from(texts.join(''), 'latin1'));
  const changed = fc
    .tuple(fc.constantFrom(...GOOD), fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([lines, at, byte]) => {
      const bytes = Buffer.from(bytesOf(lines));
      bytes[at % bytes.length] = byte;
      return bytes;
    });
  return fc.oneof(pieces, changed, fc.uint8Array({ maxLength: 300 }));
}

test('whatever the bytes are: never a throw, one answer, last, and at most 20 faults, each with line and sentences', async () => {
  await fc.assert(
    fc.asyncProperty(spoiledFile(), fc.integer({ min: 1, max: 400 }), async (bytes, size) => {
      const events = await eventsOf(bytes, size);
      const answers = events.filter(({ type }) => type === 'end' || type === 'refused');
      assert.equal(answers.length, 1);
      const last = events.at(-1);
      assert.equal(last, answers[0]);
      assert.ok(events.slice(1).every(({ type }) => type !== 'head'));
      if (last?.type !== 'refused') return;
      assert.ok(last.faults.length >= 1 && last.faults.length <= 20);
      for (const { lineNumber, sentence } of last.faults) {
        assert.ok(lineNumber >= 1);
        assert.ok(sentence.pt.length > 0 && sentence.en.length > 0);
      }
    }),
    { numRuns: 600 },
  );
});

test('behind a fault there is no entry any more, and every fault is named', async () => {
  const lines = adiqFileLines();
  const spoiled = lines
    .with(3, withText(lines[3] ?? '', 123, 'X'))
    .with(7, withText(lines[7] ?? '', 110, 'X'));
  const { entries, faults } = await readLines(spoiled);
  assert.deepEqual(
    entries.map(({ lineNumber }) => lineNumber),
    [3],
  );
  assert.deepEqual(
    faults.map(({ lineNumber, record, field }) => [lineNumber, record, field]),
    [
      [4, 'CV', 'gross'],
      [8, 'AJ', 'gross'],
    ],
  );
  assert.deepEqual(faults[0]?.sentence, {
    pt: 'O campo gross (posições 123 a 133) não traz só algarismos.',
    en: 'Field gross (positions 123 to 133) has something else than digits.',
  });
});

test('control characters, endless lines and lines behind the trailer are refused', async () => {
  for (const lines of GOOD) {
    const [, second = ''] = lines;
    assert.deepEqual(await firstFault(lines.with(1, withText(second, 10, '\t'))), [2, null]);
    assert.deepEqual(await firstFault(lines.with(1, withText(second, 10, '\u007f'))), [2, null]);
    assert.equal(await firstFault([...lines, '', '  ', '\u001a']), null);
    assert.deepEqual(await firstFault([...lines, second]), [lines.length + 1, null]);
    assert.deepEqual(await firstFault(lines.with(1, second.padEnd(5_000))), [2, null]);
    const trimmed = lines.with(1, second.trimEnd().slice(0, -1));
    assert.deepEqual(await firstFault(trimmed), [2, null]);
  }
  const endless = await eventsOf(Buffer.alloc(100_000, 'A'), 1_000);
  assert.equal(endless.at(-1)?.type, 'refused');
  assert.deepEqual(await firstFault([]), [1, null]);
});

test('a file of no format is refused in its first line that is not blank', async () => {
  for (const first of ['', '\uFEFFA0', 'PK\u0003\u0004', '{"a":1}', '0', '002', 'A0', '<xml>']) {
    const { faults, events } = await readLines([first, 'anything']);
    assert.equal(events.length, 1);
    assert.equal(faults[0]?.lineNumber, first === '' ? 2 : 1);
  }
});

test('no card, no account and no document leaves the reader, wherever the layout has one', async () => {
  const card = '5448280000000007';
  const adiq = await readLines(
    numbered(adiqFileLines().with(2, adiqSale({ nsu: 41, gross: 10_000, fee: 250, card }))),
  );
  assert.match(adiq.masked[0] ?? '', /544828\*{6}0007/);
  assert.equal(adiq.entries[0]?.cardLastFour, '0007');
  const lines = eevcFileLines();
  const rede = await readLines(
    lines.with(3, eevcSale({ batch: 700, nsu: 51, gross: 10_000, fee: 250, card })),
  );
  assert.match(rede.masked[0] ?? '', /544828\*{6}0007/);
  const cielo = await readLines(cieloFileLines());
  const eefi = await readLines(eefiFileLines());
  const others = await Promise.all(
    [FILES.cielo09, FILES.cielo15, FILES.cielo16, FILES.redeEevd].map(readLines),
  );
  const kept = JSON.stringify([adiq, rede, cielo, eefi, ...others].map(({ events }) => events));
  for (const secret of [card, '11222333000181', '98765', '00000567890'])
    assert.ok(!kept.includes(secret), secret);
});

test('a masked line keeps its positions, and what no field of it names is gone', async () => {
  const lines = eevcFileLines().map((text) => `${text}secret of a later version`);
  const { masked } = await readLines(lines);
  const [sale = ''] = masked;
  assert.equal(sale.slice(86, 98), '000000000051');
  assert.ok(!masked.join().includes('secret'));
});

test('a card’s number in the words of an adjustment or as an order number is not kept', async () => {
  const lines = adiqFileLines();
  const number = '5448280000000007';
  const inWords = lines.with(7, withText(lines[7] ?? '', 80, `CARD ${number}`));
  const asOrder = inWords.with(2, withText(lines[2] ?? '', 273, number.padEnd(30)));
  const { entries, events, faults } = await readLines(asOrder);
  assert.deepEqual(faults, []);
  assert.equal(entries[0]?.orderReference, null);
  assert.equal(entries[3]?.description, null);
  assert.ok(!JSON.stringify(events).includes(number));
});
