import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { isReturnFile } from '../src/is-return-file.ts';
import { readSettlementEvents } from '../src/read-settlement-events.ts';
import { adiqFileLines } from './adiq-lines.ts';
import { cieloFileLines } from './cielo-lines.ts';
import { eefiFileLines } from './eefi-lines.ts';
import { eevcFileLines } from './eevc-lines.ts';
import { cnab240, cnab400 } from './return-lines.ts';
import { chunksOf, eventsOf, readLines, withText } from './written-lines.ts';

/** What surrounds the records of an acquirer's file, and files that are not read. */

type Zipped = {
  readonly name?: string;
  /** ISO-8859-1 */
  readonly text?: string;
  readonly isStored?: boolean;
  readonly descriptor?: 'signed' | 'bare';
  readonly flags?: number;
  readonly version?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly size?: number;
  /** Of the directory. */
  readonly extra?: string;
  readonly comment?: string;
};

/** By the positions of PKWARE's APPNOTE. */
function zipOf(files: readonly Zipped[], comment = ''): Buffer {
  const number = (bytes: number, ...values: readonly number[]) =>
    Buffer.concat(
      values.map((value) => {
        const field = Buffer.alloc(bytes);
        field.writeUIntLE(value, 0, bytes);
        return field;
      }),
    );
  let all = Buffer.alloc(0);
  let directory = Buffer.alloc(0);
  for (const { name = 'file.txt', text = '', isStored = text === '', descriptor, ...odd } of files) {
    const plain = Buffer.from(text, 'latin1');
    const content = isStored ? plain : deflateRawSync(plain);
    const sums = number(4, odd.crc ?? crc32(plain), content.length, odd.size ?? plain.length);
    const flags = (odd.flags ?? 0) | (descriptor === undefined ? 0 : 8);
    const start = number(2, odd.version ?? 20, flags, odd.method ?? (isStored ? 0 : 8), 0, 0x21);
    const after = Buffer.concat([descriptor === 'signed' ? number(4, 0x08074b50) : Buffer.alloc(0), sums]);
    const said = descriptor === undefined ? sums : Buffer.alloc(12);
    const { extra = 'abc', comment: note = '' } = odd;
    const lengths = number(2, name.length, extra.length, note.length, 0, 0);
    const central = [number(4, 0x02014b50), number(2, 20), start, sums, lengths, number(4, 0, all.length)];
    directory = Buffer.concat([directory, ...central, Buffer.from(name + extra + note)]);
    const local = [number(4, 0x04034b50), start, said, number(2, name.length, 2), Buffer.from(`${name}ab`)];
    all = Buffer.concat([all, ...local, content, ...(descriptor === undefined ? [] : [after])]);
  }
  const counts = number(2, 0, 0, files.length, files.length);
  const end = [number(4, 0x06054b50), counts, number(4, directory.length, all.length)];
  return Buffer.concat([all, directory, ...end, number(2, comment.length), Buffer.from(comment)]);
}

const FILES = [adiqFileLines(), cieloFileLines(), eevcFileLines(), eefiFileLines()];

test('ends of lines, gzip, a zip, a mark of UTF-8, blank lines and 0x1A change nothing', async () => {
  for (const lines of FILES) {
    const entriesOf = async (bytes: Uint8Array, size?: number) => {
      const events = await eventsOf(bytes, size);
      const last = events.at(-1);
      const hash = createHash('sha256').update(bytes).digest('hex');
      assert.equal(last?.type === 'end' ? last.end.sha256 : JSON.stringify(last), hash);
      return events.flatMap((event) => (event.type === 'entry' ? [event.entry] : []));
    };
    const plain = lines.join('\r\n');
    const whole = await entriesOf(Buffer.from(plain, 'latin1'));
    const texts = [
      // A transfer as text makes CR CR LF of CR LF.
      ...['\n', '\r', '\r\r\n'].map((end) => lines.join(end)),
      `\r\n${plain}`,
      ...['\r\n', '\r\n\r\n', '\u001a', '\r\n\u001a\r\n', '\n   \n'].map((end) => plain + end),
    ];
    const files = [...texts, `\ufeff${plain}`].map((text) => Buffer.from(text));
    const folded = [{ name: 'a/' }, { name: 'a/b', text: plain }, { name: '__MACOSX/a/._b', text: 'x' }];
    const zips = [
      zipOf([{ text: plain }]),
      zipOf([{ text: plain, isStored: true, version: 45 }]),
      zipOf([{ text: plain, descriptor: 'signed' }]),
      zipOf([{ text: plain, descriptor: 'bare' }]),
      zipOf([{ name: '.DS_Store', text: 'x', descriptor: 'signed' }, ...folded]),
      zipOf(['x/thumbs.db', 'a.txt', 'Desktop.ini', '._a.txt'].map((name) => ({ name, text: plain }))),
      gzipSync(zipOf([{ text: plain }])),
      zipOf([{ text: gzipSync(plain).toString('latin1') }]),
      zipOf([{ text: zipOf([{ text: plain }]).toString('latin1') }]),
    ];
    const padded = Buffer.concat([gzipSync(plain), Buffer.alloc(200)]);
    const gzips = [gzipSync(plain), gzipSync(gzipSync(plain)), padded, gzipSync(padded)];
    for (const bytes of [...files, ...zips, ...gzips]) {
      for (const size of [7, 61, undefined]) assert.deepEqual(await entriesOf(bytes, size), whole);
    }
  }
});

test('accents in UTF-8 take one position each', async () => {
  const [header = '', ...rest] = eefiFileLines();
  const named = (name: string, encoding: 'latin1' | 'utf8') =>
    eventsOf(Buffer.from([withText(header, 50, name), ...rest].join('\n'), encoding));
  const [utf8, latin] = [await named('PADARIA SÃO JOÃO', 'utf8'), await named('PADARIA SÃO JOÃO', 'latin1')];
  assert.equal(utf8.at(-1)?.type, 'end');
  assert.deepEqual(utf8.slice(0, -1), latin.slice(0, -1));
});

test('entries by another establishment than the header are told', async () => {
  const lines = adiqFileLines();
  assert.deepEqual((await readLines(lines)).end?.otherEstablishments, {});
  const other = withText(lines[2] ?? '', 3, '000000000009999');
  const { end } = await readLines(lines.with(2, other));
  assert.deepEqual(end?.otherEstablishments, { '9999': 1 });
});

test('a file that is not read is named in Portuguese', async () => {
  const named: [string, RegExp][] = [
    ['<?xml version="1.0"?><Conciliation><Header/></Conciliation>', /Stone/],
    [`<Conciliation>${'<a/>'.repeat(3_000)}`, /Stone/],
    ['<?xml version="1.0"?>', /XML, como os da Stone/],
    ['01804202407321018042024CEADM0700000000        00000000000000GETNET S.A.', /Getnet/],
    ['{"detalhes":[{"movimento_api_codigo":"1"}]}', /PagBank/],
    ['0000012345620270112PAGSEGURO', /PagBank/],
    ['EXTERNAL_REFERENCE;SOURCE_ID;USER_ID', /Mercado Pago/],
    ['{"a":1}', /JSON/],
    ['<!DOCTYPE html><html>', /HTML.*baixe o arquivo de novo/],
    ['OFXHEADER:100', /OFX.*arquivo de retorno da cobrança/],
    [Buffer.from(adiqFileLines().join('\n'), 'utf16le').toString('latin1'), /UTF-16/],
    [`0${'1'.repeat(41)}CIELO06`, /Cielo/],
    [cnab240({ bank: '237' }, [])[0] ?? '', /retorno de um banco/],
    [cnab400({ bank: '341' }, [])[0] ?? '', /retorno de um banco/],
  ];
  for (const [text, name] of named) {
    const last = (await eventsOf(Buffer.from(text, 'latin1'), 500)).at(-1);
    assert.equal(last?.type, 'refused');
    const sentence = last?.type === 'refused' ? last.faults[0]?.sentence.pt : '';
    assert.match(sentence ?? '', name);
  }
});

test('what is packed in gzip is named as if it were not', async () => {
  const packed = (bytes: Uint8Array, times: number): Uint8Array =>
    times === 0 ? bytes : packed(gzipSync(bytes), times - 1);
  for (const [bytes, said] of [
    [packed(zipOf([]), 1), /zip/],
    [packed(Buffer.from('%PDF-1.7'), 2), /PDF/],
    [packed(Buffer.from('A0'), 4), /cresce demais/],
  ] as const) {
    const last = (await eventsOf(bytes)).at(-1);
    assert.match(last?.type === 'refused' ? (last.faults[0]?.sentence.pt ?? '') : '', said);
  }
});

test('what is around a gzip is read to its end', async () => {
  const text = adiqFileLines().join('\r\n');
  const padded = Buffer.concat([gzipSync(text), Buffer.alloc(4)]);
  const broken = gzipSync(padded);
  broken.writeUInt32LE(1, broken.length - 8);
  for (const [bytes, said] of [
    [Buffer.concat([padded, Buffer.from('x')]), /gzip\) está danificado/],
    [broken, /gzip\) está danificado/],
    [zipOf([{ text: padded.toString('latin1'), crc: 1 }]), /zip\) está danificado/],
  ] as const) {
    for (const size of [1, undefined]) {
      const last = (await eventsOf(bytes, size)).at(-1);
      assert.match(last?.type === 'refused' ? (last.faults[0]?.sentence.pt ?? '') : '', said);
    }
  }
  async function* failing() {
    yield* chunksOf(padded, padded.length - 2);
    throw new Error('the disk fails');
  }
  await assert.rejects(Array.fromAsync(readSettlementEvents(failing())), /the disk fails/);
});

test('a refusal does not wait for a source that stands still', async () => {
  const good = zipOf([{ text: adiqFileLines().join('\r\n') }]);
  const directoryAt = good.readUInt32LE(good.length - 6);
  for (const bytes of [
    gzipSync('A0 is no header\nx').subarray(0, -8),
    gzipSync(gzipSync('A0 is no header\nx')).subarray(0, -8),
    zipOf([{ text: 'A0 is no header\nx' }]).subarray(0, -50),
    zipOf(Array.from({ length: 1_001 }, () => ({ name: 'a/' }))).subarray(0, 1_001 * 34),
    Buffer.concat([good.subarray(0, -22), good.subarray(directoryAt, -22)]),
  ]) {
    async function* standing() {
      yield bytes;
      await new Promise(() => {});
    }
    assert.equal((await Array.fromAsync(readSettlementEvents(standing()))).at(-1)?.type, 'refused');
  }
});

test('a zip that is not one whole file is refused, and says why', async () => {
  const text = adiqFileLines().join('\r\n');
  const good = zipOf([{ text }]);
  const directoryAt = good.readUInt32LE(good.length - 6);
  const changed = (at: number) => {
    const bytes = Buffer.from(good);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
    return bytes;
  };
  const endAt = good.length - 22;
  const [inEntry, inEnd] = [
    [10, 16, 20, 24, 42, 46, 53],
    [4, 6, 8, 10, 12, 16],
  ];
  const told = [...inEntry.map((at) => directoryAt + at), ...inEnd.map((at) => endAt + at)];
  const beside = { name: '.DS_Store', text: '\0'.repeat(9 * 2 ** 20) };
  const cuts = [10, 35, 80, directoryAt, directoryAt + 20, good.length - 22, good.length - 1];
  const damaged = [
    ...cuts.map((size) => good.subarray(0, size)),
    ...[false, true].map((isStored) => zipOf([{ text, isStored, crc: 1 }])),
    ...(['signed', 'bare'] as const).map((descriptor) => zipOf([{ text, descriptor, crc: 1 }])),
    zipOf([{ text, size: 1 }]),
    zipOf([{ text }, { name: '.DS_Store', text: 'x', crc: 1 }]),
    Buffer.concat([good, Buffer.from('\n')]),
    Buffer.concat([good.subarray(0, directoryAt), Buffer.from('trailing bytes that are no directory')]),
    Buffer.concat([good, good]),
    Buffer.concat([good.subarray(0, endAt), good.subarray(directoryAt)]),
    // Where programs look for the locator of Zip64.
    zipOf([{ text, extra: `PK\u0006\u0007${'\0'.repeat(16)}` }]),
    zipOf([{ text, name: `PK\u0006\u0007${'x'.repeat(16)}`, extra: '' }]),
    ...told.map(changed),
  ];
  const cases: (readonly [Uint8Array, RegExp])[] = [
    ...damaged.map((bytes) => [bytes, /zip\) está danificado/] as const),
    [zipOf([]), /nenhum arquivo/],
    [zipOf([{ name: 'a/' }]), /nenhum arquivo/],
    [zipOf([beside, beside, { text }]), /cresce demais/],
    [zipOf([{ text }, { name: 'b.txt', text }]), /mais de um arquivo/],
    [zipOf([{ text, flags: 1 }]), /senha/],
    [zipOf([{ text, method: 12 }]), /forma que não é lida/],
    [zipOf([{ text }, { name: 'b.txt', text, flags: 1 }]), /mais de um arquivo/],
    [zipOf([{ text }], zipOf([{ text: 'x' }]).toString('latin1')), /comentário/],
    [zipOf([{ text, comment: 'x' }]), /comentário/],
    [zipOf([{ text, name: 'x'.repeat(5_000) }]), /forma que não é lida/],
    [zipOf([{ text, size: 0xffffffff }]), /forma que não é lida/],
    [zipOf([{ text, isStored: true, descriptor: 'signed' }]), /forma que não é lida/],
    [zipOf([{ name: '[Content_Types].xml', text: '<?xml version="1.0"?>' }]), /planilha/],
    [
      [1, 2, 3, 4].reduce<Buffer>((inner) => zipOf([{ text: inner.toString('latin1') }]), Buffer.from(text)),
      /cresce demais/,
    ],
  ];
  for (const [bytes, said] of cases) {
    for (const size of [7, undefined]) {
      const last = (await eventsOf(bytes, size)).at(-1);
      assert.match(last?.type === 'refused' ? (last.faults[0]?.sentence.pt ?? '') : '', said);
    }
  }
});

test('a zip is let go of where its file is refused', async () => {
  let isClosed = false;
  async function* bytes() {
    try {
      yield* [zipOf([{ text: 'A'.repeat(1_000_000) }]), Buffer.alloc(9), Buffer.alloc(9)];
    } finally {
      isClosed = true;
    }
  }
  assert.equal((await Array.fromAsync(readSettlementEvents(bytes()))).at(-1)?.type, 'refused');
  assert.equal(isClosed, true);
});

test('sums that differ are said in reais, and a field with what stands there', async () => {
  const lines = adiqFileLines();
  const sum = await readLines(lines.with(5, withText(lines[5] ?? '', 9, '00000100000000')));
  assert.match(sum.faults[0]?.sentence.pt ?? '', /diz R\$ 1\.000\.000,00, e as linhas dão R\$ /);
  const count = await readLines(lines.with(5, withText(lines[5] ?? '', 3, '000009')));
  assert.match(count.faults[0]?.sentence.pt ?? '', /diz 9, e as linhas dão \d/);
  const spaced = lines.flatMap((line) => ['', line]);
  const of = spaced.with(11, withText(lines[5] ?? '', 3, '000009'));
  assert.deepEqual([count.faults[0]?.lineNumber, (await readLines(of)).faults[0]?.lineNumber], [6, 12]);
  const [header = '', ...rest] = cieloFileLines();
  const day = await readLines([withText(header, 12, '20260230'), ...rest]);
  assert.match(day.faults[0]?.sentence.pt ?? '', /dia do calendário: traz "20260230"/);
  const other = await readLines(lines.with(2, withText(lines[2] ?? '', 1, 'CX')));
  assert.match(other.faults[0]?.sentence.pt ?? '', /registro "CX"/);
});

test('the start tells who made a file', async () => {
  const isOfBank = (text: string | Buffer) =>
    isReturnFile(
      (async function* () {
        yield Buffer.from(text as string);
      })(),
    );
  assert.equal(await isOfBank(cnab240({ bank: '237' }, []).join('\n')), true);
  assert.equal(await isOfBank(cnab400({ bank: '341' }, []).join('')), true);
  assert.equal(await isOfBank(zipOf([{ text: cnab400({ bank: '341' }, []).join('\n') }])), true);
  assert.equal(await isOfBank(adiqFileLines().join('\n')), false);
  assert.equal(await isOfBank('PK\u0003\u0004'), false);
  assert.equal(await isOfBank(''), false);
});
