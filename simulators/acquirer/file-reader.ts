import assert from 'node:assert/strict';
import { dayAfter } from '../kit/days.ts';
import type { FileFormat } from './files.ts';

/** What a line of a file says, read by a test: it knows the printed page, and nothing of the writers. */
export type ReadEntry = {
  readonly kind: string;
  /** Of the sale; empty where a line is of a batch. */
  readonly order: string;
  readonly tid: string;
  readonly batch: string;
  /** Null: of the whole sale. */
  readonly installment: number | null;
  /** Cents; never negative here. */
  readonly gross: number;
  readonly fee: number;
  readonly net: number;
  readonly bankOn: string;
};

const READERS: Readonly<Record<FileFormat, (lines: readonly string[], day: string) => ReadEntry[]>> = {
  adiq: readAdiq,
  cielo03: readCielo03,
  cielo04: readCielo,
  redeEevc: readEevc,
  redeEefi: readEefi,
  getnet: readGetnet,
};

/** Throws where the file does not hold together. */
export function readFileOf(format: FileFormat, lines: readonly string[], day: string): ReadEntry[] {
  assert.ok(lines.every((line) => /^[ -~]+$/.test(line)));
  return READERS[format](lines, day);
}

const at = (line: string, from: number, to: number): string => line.slice(from - 1, to);
const numberAt = (line: string, from: number, to: number): number => {
  const written = at(line, from, to);
  assert.match(written, /^[+-]?\d+$/, `${from} to ${to} of ${line}`);
  return Number(written);
};
const wordAt = (line: string, from: number, to: number): string => at(line, from, to).trimEnd();
const iso = (digits: string): string => `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
const isoOfDayFirst = (digits: string): string =>
  iso(digits.slice(4) + digits.slice(2, 4) + digits.slice(0, 2));
const sum = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0);
const NOTHING = { order: '', tid: '', batch: '' };

function readAdiq(lines: readonly string[], day: string): ReadEntry[] {
  const lengths: Readonly<Record<string, number>> = {
    A0: 78,
    L0: 18,
    CV: 506,
    AJ: 424,
    CC: 361,
    L9: 28,
    A9: 14,
  };
  for (const [index, line] of lines.entries()) {
    assert.equal(line.length, lengths[at(line, 1, 2)]);
    assert.equal(numberAt(line, line.length - 5, line.length), index + 1);
  }
  const [head = '', last = ''] = [lines[0], lines.at(-1)];
  assert.equal(
    at(head, 1, 22),
    `A00003.1${dayAfter(day, 1).replaceAll('-', '')}${at(head, 17, 22)}`,
    'header',
  );
  assert.equal(numberAt(last, 3, 8), lines.length, 'trailer');
  const details = lines.filter((line) => /^(CV|AJ|CC)/.test(line));
  const lot = lines.find((line) => line.startsWith('L9'));
  assert.equal(details.length > 0, lot !== undefined);
  if (lot !== undefined) {
    assert.equal(numberAt(lot, 3, 8), details.length);
    const sales = details.filter((line) => line.startsWith('CV'));
    assert.equal(numberAt(lot, 9, 22), sum(sales.map((line) => numberAt(line, 145, 155))));
  }
  return details.map((line) => {
    if (line.startsWith('CV')) {
      const type = at(line, 44, 44);
      return {
        ...NOTHING,
        kind: { '0': 'sale', '1': 'payout', '2': 'anticipation' }[type] ?? 'unknown',
        order: wordAt(line, 273, 302),
        installment: numberAt(line, 107, 108),
        gross: numberAt(line, 123, 133),
        fee: numberAt(line, 134, 144),
        net: type === '2' ? numberAt(line, 260, 270) : numberAt(line, 145, 155),
        bankOn: iso(at(line, 45, 52)),
      };
    }
    const isCancel = line.startsWith('CC');
    return {
      ...NOTHING,
      kind: isCancel ? 'cancel' : 'chargeback',
      order: isCancel ? wordAt(line, 91, 120) : wordAt(line, 254, 283),
      installment: numberAt(line, 38, 39) || null,
      gross: isCancel ? numberAt(line, 236, 247) : numberAt(line, 110, 120),
      fee: 0,
      net: isCancel ? numberAt(line, 260, 271) : numberAt(line, 132, 142),
      bankOn: iso(isCancel ? at(line, 52, 59) : at(line, 67, 74)),
    };
  });
}

function readCielo03(lines: readonly string[], day: string): ReadEntry[] {
  const compact = day.replaceAll('-', '');
  const [head = '', last = ''] = [lines[0], lines.at(-1)];
  assert.deepEqual([at(head, 20, 35), at(head, 43, 49)], [compact + compact, 'CIELO03']);
  const entries = lines.slice(1, -1);
  assert.deepEqual(
    [numberAt(last, 2, 12), numberAt(last, 31, 41)],
    [entries.length, entries.length],
    'trailer',
  );
  const sums = [
    sum(entries.map((line) => numberAt(line, 261, 274))),
    sum(entries.map((line) => numberAt(line, 275, 288))),
  ];
  assert.deepEqual([numberAt(last, 42, 59), numberAt(last, 13, 30)], sums, 'trailer');
  return entries.map((line) => {
    assert.match(at(line, 28, 29), /^0[23]$/);
    return {
      ...NOTHING,
      kind: 'sale',
      order: wordAt(line, 212, 231),
      tid: wordAt(line, 192, 211),
      installment: numberAt(line, 18, 19),
      gross: numberAt(line, 261, 274),
      fee: -numberAt(line, 289, 302),
      net: numberAt(line, 275, 288),
      bankOn: isoOfDayFirst(at(line, 630, 637)),
    };
  });
}

function readCielo(lines: readonly string[], day: string): ReadEntry[] {
  const compact = day.replaceAll('-', '');
  const [head = '', last = ''] = [lines[0], lines.at(-1)];
  assert.deepEqual([head.length, last.length, at(head, 1, 1), at(last, 1, 1)], [250, 250, '0', '9']);
  assert.deepEqual([at(head, 20, 35), at(head, 43, 49)], [compact + compact, 'CIELO04']);
  assert.equal(numberAt(last, 2, 12), lines.length - 2, 'trailer');
  const entries: ReadEntry[] = [];
  const [gross, net] = [[] as number[], [] as number[]];
  let unit = '';
  let left: number[] = [];
  for (const line of lines.slice(1, -1)) {
    if (line.startsWith('D')) {
      assert.deepEqual([line.length, left.filter((amount) => amount !== 0).length], [400, 0]);
      unit = line;
      left = [numberAt(line, 144, 149), numberAt(line, 72, 85), numberAt(line, 100, 113)];
      continue;
    }
    assert.deepEqual([line.length, at(line, 1, 1)], [760, 'E']);
    assert.deepEqual(
      [at(line, 28, 29), at(line, 30, 129), at(line, 12, 14)],
      [at(unit, 150, 151), at(unit, 152, 251), at(unit, 54, 56)],
    );
    const amounts = [1, numberAt(line, 261, 274), numberAt(line, 275, 288)] as const;
    left = left.map((amount, index) => amount - (amounts[index] ?? 0));
    gross.push(amounts[1]);
    net.push(amounts[2]);
    entries.push(cieloEntry(line, unit));
  }
  assert.ok(left.every((amount) => amount === 0));
  assert.deepEqual(
    [numberAt(last, 13, 30), numberAt(last, 31, 41), numberAt(last, 42, 59)],
    [sum(net), entries.length, sum(gross)],
  );
  return entries;
}

function cieloEntry(line: string, unit: string): ReadEntry {
  const kinds: Readonly<Record<string, string>> = {
    '06': 'cancel',
    '08': 'chargeback',
    '13': 'pledge',
    '77': 'unknown',
  };
  const paid = at(unit, 70, 71) === '58' ? 'anticipation' : 'payout';
  const kind = kinds[at(line, 28, 29)] ?? paid;
  const sign = kind === paid || kind === 'unknown' ? 1 : -1;
  return {
    kind,
    order: wordAt(line, 212, 231),
    tid: wordAt(line, 192, 211),
    batch: '',
    installment: numberAt(line, 18, 19) || null,
    gross: sign * numberAt(line, 261, 274),
    fee: Math.abs(numberAt(line, 289, 302)),
    net: sign * numberAt(line, 275, 288),
    bankOn: isoOfDayFirst(at(unit, 268, 275)),
  };
}

function readEevc(lines: readonly string[], day: string): ReadEntry[] {
  const [head = '', branch = '', total = '', last = ''] = [lines[0], lines[1], lines.at(-2), lines.at(-1)];
  assert.deepEqual([head, branch, total, last].map((line) => at(line, 1, 3)).join(), '002,004,026,028');
  assert.deepEqual([head.length, at(head, 12, 15), at(head, 118, 121)], [121, 'REDE', 'EEVC']);
  assert.equal(isoOfDayFirst(at(head, 4, 11)), dayAfter(day, 1));
  assert.equal(numberAt(last, 8, 13), lines.length, 'trailer');
  const entries: ReadEntry[] = [];
  let batches = 0;
  for (const lot of batchesOf(lines.slice(2, -2))) {
    const [batch = '', ...rest] = lot;
    const sales = rest.filter((line) => /^(008|012)/.test(line));
    const twins = rest.filter((line) => /^(034|035)/.test(line));
    const read = sales.map((line, index) => eevcSale(line, twins[index] ?? '', batch));
    const expected = [
      sum(read.map(({ gross }) => gross)),
      sum(read.map(({ fee }) => fee)),
      sum(read.map(({ net }) => net)),
    ];
    const ofBatch = [numberAt(batch, 54, 68), numberAt(batch, 99, 113), numberAt(batch, 114, 128)];
    assert.deepEqual([numberAt(batch, 49, 53), ...ofBatch], [read.length, ...expected]);
    const schedule = rest.filter((line) => line.startsWith('014'));
    if (batch.startsWith('010')) {
      const columns = [
        [40, 54],
        [55, 69],
        [70, 84],
      ] as const;
      const sums = columns.map(([from, to]) => sum(schedule.map((line) => numberAt(line, from, to))));
      assert.deepEqual(sums, expected);
      assert.ok(schedule.every((line, index) => numberAt(line, 38, 39) === index + 1));
    }
    batches += expected[0] ?? 0;
    entries.push(...read);
  }
  assert.deepEqual([numberAt(total, 13, 27), numberAt(total, 169, 174)], [batches, entries.length]);
  assert.deepEqual([numberAt(last, 23, 37), numberAt(last, 179, 184)], [batches, entries.length]);
  return entries;
}

/** Each batch with what follows it. */
function batchesOf(lines: readonly string[]): string[][] {
  const batches: string[][] = [];
  for (const line of lines) {
    if (/^(006|010)/.test(line)) batches.push([line]);
    else batches.at(-1)?.push(line);
  }
  assert.equal(batches.flat().length, lines.length);
  return batches;
}

function eevcSale(line: string, twin: string, batch: string): ReadEntry {
  const isAtOnce = line.startsWith('008');
  const moved = isAtOnce ? 0 : 2;
  assert.deepEqual([line.length, batch.length, twin.length], [isAtOnce ? 230 : 262, 137, 128]);
  assert.equal(at(line, 13, 21), at(batch, 13, 21));
  assert.equal(at(twin, 13, 21), at(batch, 13, 21));
  const [nsu, code] = [at(line, 87 + moved, 98 + moved), at(line, 127 + moved, 132 + moved)];
  assert.deepEqual([at(twin, 61, 72), at(twin, 73, 78)], [nsu, code]);
  return {
    kind: 'sale',
    order: wordAt(twin, 99, 128),
    tid: wordAt(twin, 79, 98),
    batch: at(batch, 13, 21),
    installment: null,
    gross: numberAt(line, 38, 52),
    fee: isAtOnce ? numberAt(line, 112, 126) : numberAt(line, 114, 128),
    net: isAtOnce ? numberAt(line, 204, 218) : numberAt(line, 206, 220),
    bankOn: isoOfDayFirst(at(batch, 129, 136)),
  };
}

function readEefi(lines: readonly string[], day: string): ReadEntry[] {
  const [head = '', branch = '', total = '', last = ''] = [lines[0], lines[1], lines.at(-2), lines.at(-1)];
  assert.deepEqual([head, branch, total, last].map((line) => at(line, 1, 3)).join(), '030,032,050,052');
  assert.deepEqual([head.length, at(head, 122, 125)], [125, 'EEFI']);
  assert.equal(isoOfDayFirst(at(head, 4, 11)), dayAfter(day, 1));
  assert.equal(numberAt(last, 8, 13), lines.length, 'trailer');
  const details = lines.slice(2, -2);
  const read = details.map((line, index) => eefiEntry(line, details[index + 1] ?? ''));
  const checked = (record: string): [number, number] => {
    const own = details.filter((line) => line.startsWith(record));
    return [own.length, sum(own.map((line) => numberAt(line, 32, 46)))];
  };
  const sums = [checked('034'), checked('036'), checked('038')].flat();
  const inTotal = [13, 18, 19, 33, 34, 39, 40, 54, 74, 79, 80, 94];
  const inTrailer = [23, 26, 27, 41, 42, 47, 48, 62, 82, 85, 86, 100];
  for (const [line, columns] of [
    [total, inTotal],
    [last, inTrailer],
  ] as const) {
    const found = sums.map((_, index) =>
      numberAt(line, columns[2 * index] ?? 0, columns[2 * index + 1] ?? 0),
    );
    assert.deepEqual(found, sums);
  }
  return read.filter((entry) => entry !== null);
}

/** Null: a twin of the line before it. */
function eefiEntry(line: string, twin: string): ReadEntry | null {
  const day = (from: number): string => isoOfDayFirst(at(line, from, from + 7));
  switch (at(line, 1, 3)) {
    case '034':
      assert.equal(line.length, 140);
      return {
        ...NOTHING,
        kind: { '00': 'payout', '13': 'pledge' }[at(line, 130, 131)] ?? 'unknown',
        batch: at(line, 76, 84),
        installment: Number(at(line, 125, 126)) || 1,
        gross: numberAt(line, 95, 109),
        fee: numberAt(line, 110, 124),
        net: numberAt(line, 32, 46),
        bankOn: day(24),
      };
    case '036':
      assert.equal(line.length, 152);
      return {
        ...NOTHING,
        kind: 'anticipation',
        batch: at(line, 68, 76),
        installment: Number(at(line, 108, 109)) || 1,
        gross: numberAt(line, 113, 127),
        fee: numberAt(line, 128, 142),
        net: numberAt(line, 32, 46),
        bankOn: day(24),
      };
    case '038': {
      assert.deepEqual([line.length, at(twin, 1, 3), at(twin, 46, 57)], [307, '054', at(line, 222, 233)]);
      const gross = numberAt(line, 32, 46);
      assert.equal(at(line, 100, 101), '00');
      const kind = { '0018': 'cancel', '0023': 'chargeback' }[at(line, 304, 307)] ?? '';
      const named = { order: wordAt(twin, 99, 128), tid: wordAt(twin, 79, 98), batch: at(line, 68, 76) };
      return { kind, ...named, installment: null, gross, fee: 0, net: gross, bankOn: day(243) };
    }
    case '049': {
      assert.deepEqual([line.length, at(twin, 1, 3), at(twin, 152, 163)], [167, '057', at(line, 152, 163)]);
      const gross = numberAt(line, 75, 89);
      assert.equal(numberAt(line, 60, 74) - numberAt(line, 45, 59), gross);
      const kind = { '1': 'cancel', '2': 'chargeback' }[at(line, 164, 164)] ?? '';
      const named = { order: wordAt(twin, 185, 214), tid: wordAt(twin, 165, 184), batch: at(line, 13, 21) };
      const installment = numberAt(line, 165, 166) || 1;
      return { kind, ...named, installment, gross, fee: 0, net: 0, bankOn: day(90) };
    }
    default:
      assert.match(line, /^05[47]/);
      return null;
  }
}

function readGetnet(lines: readonly string[], day: string): ReadEntry[] {
  const [head = '', last = ''] = [lines[0], lines.at(-1)];
  assert.ok(lines.every((line) => line.length === 400));
  assert.deepEqual([isoOfDayFirst(at(head, 16, 23)), at(head, 24, 31)], [day, 'CEADM100']);
  assert.deepEqual([at(last, 1, 1), numberAt(last, 2, 10)], ['9', lines.length]);
  const kinds: Readonly<Record<string, string>> = {
    PF: 'sale',
    PG: 'payout',
    AC: 'anticipation',
    CS: 'pledge',
  };
  return lines.slice(1, -1).flatMap((batch, index, all): ReadEntry[] => {
    if (!batch.startsWith('1')) return [];
    const line = all[index + 1] ?? '';
    assert.deepEqual(at(line, 17, 25), at(batch, 22, 30));
    const paid = { ...NOTHING, bankOn: isoOfDayFirst(at(batch, 39, 46)), net: numberAt(batch, 145, 156) };
    if (line.startsWith('3')) {
      const kind = at(line, 76, 77) === '03' ? 'cancel' : 'chargeback';
      const [gross, order] = [numberAt(line, 64, 75), wordAt(line, 211, 246)];
      return [{ ...paid, kind, order, tid: wordAt(line, 169, 210), installment: null, gross, fee: 0 }];
    }
    const named = { order: wordAt(line, 232, 267), tid: wordAt(line, 190, 231), batch: at(batch, 22, 30) };
    const amounts = { gross: numberAt(line, 71, 82), fee: numberAt(line, 176, 187) };
    const kind = kinds[at(batch, 169, 170)] ?? 'unknown';
    return [{ ...paid, ...named, ...amounts, kind, installment: numberAt(line, 109, 110) }];
  });
}
