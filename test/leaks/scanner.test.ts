import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { codesIn, makeMarks, random } from './marks.ts';
import { needlesOf } from './needles.ts';
import { countTokens, emptyCounts, filesOf, openScanner } from './scanner.ts';
import type { Sighting } from './watch-sinks.ts';

const marks = makeMarks(random(20_261_121));
const numbers = Object.values(marks.numbers);
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-leaks-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('a card number is found in every encoding, wherever it stands in a file', async () => {
  const scan = openScanner(numbers.flatMap(needlesOf));
  for (const number of [
    marks.numbers.visa,
    marks.numbers.amex,
    marks.numbers.visaOf13,
    marks.numbers.visaOf19,
  ]) {
    for (const { encoding, bytes } of needlesOf(number)) {
      for (const before of [0, 1, 7, 8_191]) {
        const file = Buffer.concat([
          Buffer.alloc(before, 'x'),
          bytes,
          Buffer.from(before % 2 === 0 ? '' : 'y'),
        ]);
        const hits = scan(file, 'file').filter((hit) => hit.number === number);
        assert.ok(
          hits.some((hit) => hit.encoding === encoding),
          `${encoding} behind ${before} bytes`,
        );
      }
    }
  }
});

test('every file of a folder is looked at, however deep', async () => {
  await mkdir(join(folder, 'deep/deeper'), { recursive: true });
  await writeFile(join(folder, 'deep/deeper/file'), `x${marks.numbers.elo}x`);
  const scan = openScanner(numbers.flatMap(needlesOf));
  const places: string[] = [];
  for await (const { place, bytes } of filesOf(folder))
    for (const hit of scan(bytes, place)) places.push(hit.place);
  assert.deepEqual([...new Set(places)], ['deep/deeper/file']);
});

test('base64 of a text around the number is found at each of the three alignments', () => {
  const scan = openScanner(needlesOf(marks.numbers.mastercard));
  for (const around of ['', '{', '{"', '{"n":"']) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = Buffer.from(`${around}${marks.numbers.mastercard}"}`).toString(encoding);
      assert.ok(scan(Buffer.from(text), 'text').length > 0, `${encoding} behind ${around}`);
    }
  }
});

test('first six and last four, other numbers and random bytes are no finding', () => {
  const scan = openScanner(numbers.flatMap(needlesOf));
  const chance = random(1);
  const noise = Buffer.from(Uint8Array.from({ length: 4_000_000 }, () => Math.floor(chance() * 256)));
  const rightful = numbers.map(
    (number) => `${number.slice(0, 6)}******${number.slice(-4)} ${number.slice(0, 6)} ${number.slice(-4)}`,
  );
  const others = Object.values(makeMarks(random(2)).numbers).join('\n');
  for (const bytes of [noise, Buffer.from(rightful.join('\n')), Buffer.from(others)])
    assert.deepEqual(scan(bytes, 'noise'), []);
});

test('numbers of three and four digits are counted where they stand by themselves', () => {
  const counts = emptyCounts();
  countTokens(Buffer.from('712 "712" 7123 x712 712x 0712 \x00712\x01 71 712'), counts);
  assert.equal(counts.three[712], 4);
  assert.equal(counts.four[7123], 1);
  assert.equal(counts.four[712], 1, '0712 is a code of four digits');
});

test('a security code is seen by itself, and not inside of ids, times and sizes', () => {
  const codes = new Set(['712', '7123']);
  for (const text of ['712', '{"cvv":"712"}', 'cvv=712&x', 'cvv_712', '(712)'])
    assert.deepEqual(codesIn(text, codes), ['712'], text);
  for (const text of [
    '0199c1f2-7123-7c11-9a3e-5d1f0c7b2a44',
    '2026-11-21T10:00:00.712Z',
    'Content-Length: 712',
    '"milliseconds":0.712',
    '"value":712.00',
    '71234',
    'x712',
  ])
    assert.deepEqual(codesIn(text, codes), [], text);
});

/** Lets a number or a code out by every way that a process has. */
const CULPRIT = `
import fs, { appendFileSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import net from 'node:net';
const { number, code, file } = JSON.parse(process.argv.at(-1));
console.log('stdout ' + number);
console.error('stderr {"cvv":"' + code + '"}');
appendFileSync(file, Buffer.from(number).toString('base64'));
await writeFile(file, 'code ' + code);
const handle = await open(file, 'a');
await handle.write(Buffer.from(number).toString('hex'));
await handle.close();
const server = net.createServer((socket) => socket.end('answer ' + code + '.')).listen(0, '127.0.0.1', () => {
  const socket = net.connect(server.address().port, '127.0.0.1', () => socket.write('question ' + number));
  socket.resume().on('close', () => server.close());
});
`;

test('what leaves a watched process by file, stream and socket is seen', async () => {
  const marksFile = join(folder, 'marks.json');
  const report = join(folder, 'report.jsonl');
  await writeFile(marksFile, JSON.stringify(marks));
  const culprit = join(folder, 'culprit.mjs');
  await writeFile(culprit, CULPRIT);
  const watch = fileURLToPath(new URL('watch-sinks.ts', import.meta.url));
  const what = { number: marks.numbers.visa, code: marks.codes[0], file: join(folder, 'file') };
  await promisify(execFile)(process.execPath, ['--import', watch, culprit, JSON.stringify(what)], {
    env: { ...process.env, LEAK_MARKS: marksFile, LEAK_REPORT: report },
  });
  const seen = (await readFile(report, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Sighting);
  const sinks = new Map(seen.map(({ sink, what }) => [sink.replace(/\d+/, 'n'), what.replace(/ \d+$/, '')]));
  for (const [sink, kind] of [
    ['stdout', 'card number, plain'],
    ['stderr', 'security code'],
    ['fs.appendFileSync', 'card number, base64'],
    ['fs.promises.writeFile', 'security code'],
    ['file handle write', 'card number, hexadecimal'],
    ['socket to port n', 'card number'],
    ['socket to the caller', 'security code'],
  ] as const)
    assert.ok(
      seen.some((sighting) => sighting.sink.replace(/\d+/, 'n') === sink && sighting.what.startsWith(kind)),
      `${sink}: ${[...sinks]}`,
    );
});
