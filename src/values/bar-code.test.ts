import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type BarCodeFault,
  type BarCodeParts,
  composeBarCode,
  digitableLine,
  dueDayOf,
  dueFactor,
  FIRST_DUE_DAY,
  formatDigitableLine,
  MOST_BAR_CODE_CENTS,
  parseBarCode,
  parseDigitableLine,
} from './bar-code.ts';
import { cents } from './cents.ts';
import { addDays, type Day, isDay } from './instant.ts';

function day(text: string): Day {
  assert.ok(isDay(text), text);
  return text;
}

/** Published by banks and manuals, with the parts of their free fields. */
const PUBLISHED = [
  {
    // Banco do Brasil: our number of 11, branch 4, account 8, portfolio 2.
    parts: { bankCode: '001', dueOn: '2007-12-31', amount: 100 },
    freeField: ['05009401448', '1606', '06809350', '31'],
    barCode: '00193373700000001000500940144816060680935031',
    line: '00190.50095 40144.816069 06809.350314 3 37370000000100',
  },
  {
    // Bradesco: branch 4, portfolio 2, our number of 11, account 7, a zero.
    parts: { bankCode: '237', dueOn: '2015-06-23', amount: 13_580 },
    freeField: ['0123', '06', '00000000525', '0004567', '0'],
    barCode: '23799646800000135800123060000000052500045670',
    line: '23790.12301 60000.000053 25000.456704 9 64680000013580',
  },
  {
    // Itaú: portfolio 3, our number of 8 with its digit, branch 4, account 5 with its digit, zeros.
    parts: { bankCode: '341', dueOn: '2002-05-01', amount: 12_345 },
    freeField: ['110', '12345678', '8', '0057', '12345', '7', '000'],
    barCode: '34196166700000123451101234567880057123457000',
    line: '34191.10121 34567.880058 71234.570001 6 16670000012345',
  },
] as const;

for (const { parts, freeField, barCode, line } of PUBLISHED) {
  test(`the published example of bank ${parts.bankCode} is composed and read digit for digit`, () => {
    const dueOn = day(parts.dueOn);
    const whole = { ...parts, dueOn, amount: cents(parts.amount), freeField: freeField.join('') };
    assert.equal(composeBarCode(whole), barCode);
    assert.equal(formatDigitableLine(digitableLine(composeBarCode(whole))), line);
    const reading = { kind: 'barCode', barCode, ...whole };
    assert.deepEqual(parseBarCode(barCode, dueOn), reading);
    assert.deepEqual(parseDigitableLine(line, dueOn), reading);
    assert.deepEqual(parseDigitableLine(line.replace(/[. ]/g, ''), dueOn), reading);
  });
}

test('the due factor counts up to 9999 and begins again at 1000', () => {
  const factors: readonly (readonly [string, number])[] = [
    ['2000-07-03', 1_000],
    ['2000-07-04', 1_001],
    ['2012-04-27', 5_316],
    ['2025-02-20', 9_998],
    ['2025-02-21', 9_999],
    ['2025-02-22', 1_000],
    ['2025-02-23', 1_001],
    ['2026-11-23', 1_639],
    ['2049-10-13', 9_999],
    ['2049-10-14', 1_000],
  ];
  for (const [dueOn, factor] of factors) {
    assert.equal(dueFactor(day(dueOn)), factor, dueOn);
    assert.equal(dueDayOf(factor, day(dueOn)), dueOn);
  }
  assert.throws(() => dueFactor(day('2000-07-02')), RangeError);
  for (const factor of [0, 999, 10_000, 1_000.5, Number.NaN]) {
    assert.throws(() => dueDayOf(factor, day('2026-11-23')), RangeError);
  }
});

test('a factor is read to the nearest era, of two equally near days to the later', () => {
  assert.equal(dueDayOf(9_999, day('2025-02-22')), '2025-02-21');
  assert.equal(dueDayOf(1_000, day('2025-02-21')), '2025-02-22');
  assert.equal(dueDayOf(9_999, day('2000-07-03')), '2025-02-21', 'no era before the first');
  const one = day('2025-02-22');
  const between = addDays(one, 4_500);
  assert.equal(dueDayOf(1_000, addDays(between, -1)), one);
  assert.equal(dueDayOf(1_000, between), '2049-10-14');
});

const aroundResets = fc
  .tuple(fc.constantFrom('2025-02-22', '2049-10-14', '2074-06-05'), fc.integer({ min: -40, max: 40 }))
  .map(([reset, days]) => addDays(day(reset), days));
const anyDueDay = fc.oneof(
  fc.nat(36_000).map((days) => addDays(FIRST_DUE_DAY, days)),
  aroundResets,
);
const digits = (count: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: count, maxLength: count });
const anyParts: fc.Arbitrary<BarCodeParts> = fc.record({
  bankCode: digits(3),
  dueOn: fc.option(anyDueDay, { freq: 10 }),
  amount: fc.oneof(fc.nat(1_000_000), fc.nat(MOST_BAR_CODE_CENTS)).map(cents),
  freeField: digits(25),
});

test('what is composed is read back, as bar code and as line, seen from up to twelve years away', () => {
  fc.assert(
    fc.property(anyParts, fc.integer({ min: -4_499, max: 4_500 }), (parts, away) => {
      const near = parts.dueOn === null ? day('2026-11-23') : addDays(parts.dueOn, -away);
      const barCode = composeBarCode(parts);
      const reading = { kind: 'barCode', barCode, ...parts };
      assert.equal(barCode.length, 44);
      assert.deepEqual(parseBarCode(barCode, near), reading);
      const line = digitableLine(barCode);
      assert.equal(line.length, 47);
      assert.deepEqual(parseDigitableLine(line, near), reading);
      const printed = formatDigitableLine(line);
      assert.match(printed, /^\d{5}\.\d{5} \d{5}\.\d{6} \d{5}\.\d{6} \d \d{14}$/);
      assert.deepEqual(parseDigitableLine(printed, near), reading);
    }),
    { numRuns: 1_000 },
  );
});

/** Computed in another way: one row of weights. */
function residueOf(barCode: string): number {
  const body = barCode.slice(0, 4) + barCode.slice(5);
  const weights = [...'4329876543298765432987654329876543298765432'].map(Number);
  return weights.reduce((sum, weight, index) => sum + weight * Number(body[index]), 0) % 11;
}

test('every wrong digit of a bar code is found, but where the rule makes the check digit 1 for both', () => {
  let mistaken = 0;
  let tried = 0;
  fc.assert(
    fc.property(anyParts, fc.nat(43), fc.integer({ min: 1, max: 9 }), (parts, place, more) => {
      const near = day('2026-11-23');
      const right = composeBarCode(parts);
      const wrong = `${right.slice(0, place)}${(Number(right[place]) + more) % 10}${right.slice(place + 1)}`;
      const taken = [right, wrong].every((text) => [0, 1, 10].includes(residueOf(text))) && place !== 4;
      const reading = parseBarCode(wrong, near);
      const isCheckFault = reading.kind === 'fault' && reading.fault === 'checkDigit';
      assert.equal(isCheckFault, !taken, `${right} ${wrong}`);
      tried += 1;
      if (taken) mistaken += 1;
    }),
    { numRuns: 2_000 },
  );
  assert.ok(mistaken < tried / 12, `${mistaken} of ${tried}`);
});

test('every wrong digit in the three fields of a line is found', () => {
  fc.assert(
    fc.property(anyParts, fc.nat(31), fc.integer({ min: 1, max: 9 }), (parts, place, more) => {
      const line = digitableLine(composeBarCode(parts));
      const wrong = `${line.slice(0, place)}${(Number(line[place]) + more) % 10}${line.slice(place + 1)}`;
      assert.equal(faultOfLine(wrong), 'fieldCheckDigit');
    }),
    { numRuns: 1_000 },
  );
});

test('two neighbours exchanged in a field are found, but 0 and 9; most are in the whole bar code', () => {
  let [tried, missed] = [0, 0];
  fc.assert(
    fc.property(anyParts, fc.nat(30), fc.nat(42), (parts, inLine, inBarCode) => {
      const barCode = composeBarCode(parts);
      const line = digitableLine(barCode);
      const swappedLine = swapped(line, inLine);
      const isAcrossFields = inLine === 9 || inLine === 20;
      const pair = [line[inLine], line[inLine + 1]].sort().join('');
      if (swappedLine !== line && !isAcrossFields && pair !== '09') {
        assert.equal(faultOfLine(swappedLine), 'fieldCheckDigit');
      }
      const swappedBarCode = swapped(barCode, inBarCode);
      if (swappedBarCode === barCode) return;
      tried += 1;
      if (parseBarCode(swappedBarCode, day('2026-11-23')).kind === 'barCode') missed += 1;
    }),
    { numRuns: 2_000 },
  );
  assert.ok(missed < tried / 8, `${missed} of ${tried}`);
});

function swapped(text: string, place: number): string {
  return `${text.slice(0, place)}${text[place + 1]}${text[place]}${text.slice(place + 2)}`;
}

function faultOfLine(line: string): BarCodeFault | null {
  const reading = parseDigitableLine(line, day('2026-11-23'));
  return reading.kind === 'fault' ? reading.fault : null;
}

function faultOf(barCode: string): BarCodeFault | null {
  const reading = parseBarCode(barCode, day('2026-11-23'));
  return reading.kind === 'fault' ? reading.fault : null;
}

/** 44 digits with the right check digit, whatever else is wrong. */
function checked(barCode: string): string {
  const found = [...'123456789'].find((digit) => {
    const fault = faultOf(`${barCode.slice(0, 4)}${digit}${barCode.slice(5)}`);
    return fault !== 'checkDigit';
  });
  return `${barCode.slice(0, 4)}${found}${barCode.slice(5)}`;
}

test('each fault has its name', () => {
  const { barCode, line } = PUBLISHED[2];
  assert.equal(faultOf(''), 'wrongLength');
  assert.equal(faultOf(barCode.slice(1)), 'wrongLength');
  assert.equal(faultOf(`${barCode}0`), 'wrongLength');
  for (const text of [`${barCode.slice(0, 43)}x`, ` ${barCode}`, `${barCode}\n`, `１${barCode.slice(1)}`]) {
    assert.equal(faultOf(text), 'notDigits', text);
  }
  assert.equal(faultOf(`${barCode.slice(0, 4)}5${barCode.slice(5)}`), 'checkDigit');
  assert.equal(faultOf(checked(`3418${barCode.slice(4)}`)), 'currency');
  for (const factor of ['0001', '0999']) {
    assert.equal(faultOf(checked(`${barCode.slice(0, 5)}${factor}${barCode.slice(9)}`)), 'dueFactor');
  }
  assert.equal(faultOfLine(''), 'wrongLength');
  assert.equal(faultOfLine(`${line}8`), 'wrongLength');
  assert.equal(faultOfLine(' '.repeat(100_000)), 'wrongLength');
  assert.equal(faultOfLine(`${line}\n`), 'notDigits');
  assert.equal(faultOfLine(line.replace('34191', '34192')), 'fieldCheckDigit');
  assert.equal(faultOfLine(line.replace(' 6 ', ' 7 ')), 'checkDigit');
});

test('what no bar code can say is not composed', () => {
  const right = { bankCode: '001', dueOn: null, amount: cents(1), freeField: '0'.repeat(25) };
  assert.equal(composeBarCode(right).slice(5, 9), '0000');
  assert.throws(() => composeBarCode({ ...right, bankCode: '1' }), RangeError);
  assert.throws(() => composeBarCode({ ...right, bankCode: '00a' }), RangeError);
  assert.throws(() => composeBarCode({ ...right, freeField: '0'.repeat(24) }), RangeError);
  assert.throws(() => composeBarCode({ ...right, amount: cents(MOST_BAR_CODE_CENTS + 1) }), RangeError);
  assert.throws(() => composeBarCode({ ...right, dueOn: day('2000-07-02') }), RangeError);
});
