import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ReturnFileFault, ReturnFileRefused } from '#settlement-files';
import { CNAB240_RECORDS } from '../../packages/settlement-files/src/banks/cnab240-layout.ts';
import { type ReturnFile, readReturnFile } from '../../src/reconciliation/bank-files/process-return-file.ts';
import {
  fileOf,
  HEADER,
  line,
  lotHeader,
  lotTrailer,
  numberAtBank,
  pair,
  trailer,
  zeros,
} from './return-lines.ts';

async function* inChunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const read = (lines: readonly string[], end = '\r\n', size = 1_000): Promise<ReturnFile> =>
  readReturnFile(inChunks(lines.map((text) => text + end).join(''), size));

async function refused(lines: readonly string[], lineNumber: number, fault: ReturnFileFault) {
  await assert.rejects(read(lines), (error) => {
    assert.ok(error instanceof ReturnFileRefused, String(error));
    assert.deepEqual([error.lineNumber, error.fault], [lineNumber, fault], error.message);
    return true;
  });
}

test('a payment is read with its amount, fee and days', async () => {
  const file = await read(fileOf({}));
  assert.deepEqual(file.head, {
    format: 'cnab240',
    bank: '237',
    bankName: 'Bradesco',
    madeOn: '2026-11-23',
    sequence: 217,
  });
  assert.deepEqual(file.entries, [
    {
      lineNumber: 3,
      movement: '06',
      meaning: 'liquidação',
      companyUse: '00000012345',
      bankNumber: null,
      number: null,
      documentNumber: 'PEDIDO-1001',
      event: 'paid',
      isKnown: true,
      answer: null,
      reasons: '03',
      ourNumber: '00000012345',
      value: 123_456,
      dueOn: '2026-11-23',
      paid: 123_456,
      fee: 150,
      happenedOn: '2026-11-23',
      creditedOn: '2026-11-24',
    },
  ]);
  assert.deepEqual([file.lineCount, file.foreign, file.others], [6, 0, {}]);
});

test('what a movement is, and whose', async () => {
  const file = await read(
    fileOf(
      { movement: '17' },
      { movement: '09', reasons: '10', paid: 0, fee: 0 },
      { movement: '09', reasons: '0013', paid: 0, fee: 0 },
      { movement: '02', paid: 0, fee: 0, happenedOn: '00000000' },
      { movement: '03', paid: 0, fee: 0 },
      { movement: '99', paid: 0, fee: 0 },
      { movement: '02', paid: 0, fee: 0 },
      { companyUse: '', bankNumber: numberAtBank('00000012345') },
      { companyUse: '', bankNumber: '00000012345' },
      { companyUse: '', bankNumber: '000000000000000012345'.slice(1) },
      { companyUse: '', bankNumber: '14499570000020673' },
      { companyUse: 'PEDIDO-1001', bankNumber: '12345' },
    ),
  );
  assert.deepEqual(
    file.entries.map(({ event }) => event),
    ['paid', 'canceled', 'expired', 'paid'],
  );
  assert.ok(file.entries.every(({ ourNumber }) => ourNumber === '00000012345'));
  assert.deepEqual(file.others, { '02': 2, '03': 1, '99': 1 });
  assert.equal(file.foreign, 4);
});

test('nothing is paid by a movement that is not surely a payment at the bank of the file', async () => {
  const ofBank = (bank: string, movement: string) => fileOf({ movement }).map((text) => bank + text.slice(3));
  const payments = async (bank: string) => {
    const paying: string[] = [];
    for (let code = 0; code < 100; code += 1) {
      const file = await read(ofBank(bank, zeros(code, 2)));
      assert.equal(file.lineCount, 6);
      if (file.entries.some(({ event }) => event === 'paid')) paying.push(zeros(code, 2));
      const isKnown = file.unknown.length === 0;
      assert.ok(isKnown || file.entries.length === 0);
      if (!isKnown)
        assert.deepEqual([file.unknown[0]?.movement, file.unknown[0]?.paid], [zeros(code, 2), 123_456]);
    }
    return paying;
  };
  // Sicredi's lines are found by the number of the bank.
  for (const bank of ['001', '041', '237', '756']) assert.deepEqual(await payments(bank), ['06', '17']);
  assert.deepEqual(await payments('341'), ['06', '08']);
  assert.deepEqual(await payments('104'), ['06', '46']);
  for (const movement of ['A4', 'AA', '  ', '6 ']) {
    const file = await read(ofBank('237', movement));
    assert.deepEqual([file.entries.length, file.unknown[0]?.movement], [0, movement.trim()]);
  }
});

test('lots follow one another, and segments that say more of a payer are passed over', async () => {
  const pix = (number: number) => line([1, `23700023${zeros(number, 5)}Y 06`]);
  const lines = [
    ...[HEADER, lotHeader(1), lotTrailer(2, 1), lotHeader(2), ...pair(1, {}, 2), pix(3), ...pair(4, {}, 2)],
    ...[lotTrailer(7, 2), trailer(2, 11)],
  ];
  assert.equal((await read(lines)).entries.length, 2);
});

test('the file is the same in whatever pieces it comes, and with either end of lines', async () => {
  const lines = fileOf({}, { movement: '09', paid: 0 }, { paid: 1 });
  const whole = await read(lines);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 700 }), fc.constantFrom('\n', '\r\n'), async (size, end) => {
      assert.deepEqual(await read(lines, end, size), whole);
    }),
    { numRuns: 50 },
  );
  const text = lines.join('\r\n');
  for (const end of ['', '\r\n', '\n', '\r\n\u001a', '\u001a']) {
    assert.deepEqual(await readReturnFile(inChunks(text + end, 64)), whole, JSON.stringify(end));
  }
});

test('a file that does not add up is refused by its line', async () => {
  const good = fileOf({}, {});
  const without = (index: number) => good.filter((_, at) => at !== index);
  const changed = (index: number, from: number, text: string) =>
    good.map((one, at) =>
      at === index ? one.slice(0, from - 1) + text + one.slice(from - 1 + text.length) : one,
    );
  await refused([], 0, 'emptyFile');
  await refused([good[0] ?? ''], 1, 'noTrailer');
  await refused(good.slice(0, -1), 7, 'noTrailer');
  await refused([...good, good[0] ?? ''], 9, 'behindTrailer');
  await refused(
    good.map((one) => one.slice(0, 140)),
    1,
    'lineLength',
  );
  await refused([...good.slice(0, 3), 'x'.repeat(100_000)], 4, 'lineLength');
  await refused(changed(0, 143, '1'), 1, 'notAReturnFile');
  await refused(changed(0, 144, '31022026'), 1, 'field');
  await refused(changed(1, 1, '001'), 2, 'anotherBank');
  await refused(changed(1, 4, '0002'), 2, 'lotNumber');
  await refused(changed(1, 10, '02'), 2, 'otherService');
  await refused(changed(2, 9, '00002'), 3, 'recordNumber');
  await refused(changed(3, 4, '0002'), 4, 'lotNumber');
  await refused(changed(3, 16, '09'), 4, 'movementDiffers');
  await refused(changed(3, 78, '00000000012345A'), 4, 'field');
  await refused(changed(3, 138, '32112026'), 4, 'field');
  await refused(changed(6, 18, '000007'), 7, 'lotCount');
  await refused(changed(7, 18, '000002'), 8, 'fileCount');
  await refused(changed(7, 24, '000009'), 8, 'fileCount');
  await refused(without(1), 2, 'unexpectedRecord');
  await refused(without(2), 3, 'recordNumber');
  await refused(without(3), 4, 'unpaired');
  await refused(without(6), 7, 'unexpectedRecord');
  await refused([good[0] ?? '', ...good], 2, 'unexpectedRecord');
});

test('no line that is left out or twice, and no digit of a count, passes unseen', async () => {
  const good = fileOf({}, { paid: 5 }, { movement: '09', paid: 0 });
  const whole = await read(good);
  await fc.assert(
    fc.asyncProperty(fc.nat(good.length - 1), fc.boolean(), async (index, isTwice) => {
      const lines = good.flatMap((one, at) => (at !== index ? [one] : isTwice ? [one, one] : []));
      await assert.rejects(read(lines), ReturnFileRefused);
    }),
  );
  assert.equal(whole.entries.length, 3);
});

test('the fields of each record follow each other without a hole up to 240', () => {
  for (const { title, fields } of CNAB240_RECORDS) {
    let next = 1;
    for (const [name, from, to] of fields) {
      assert.equal(from, next, `${title}: ${name}`);
      assert.ok(to >= from);
      next = to + 1;
    }
    assert.equal(next, 241, title);
  }
});
