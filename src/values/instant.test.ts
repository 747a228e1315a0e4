import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addDays,
  type Day,
  type Instant,
  instant,
  isDay,
  parseOffsetText,
  parseSaoPauloText,
  parseUtcText,
  reachedFrom,
  saoPauloDay,
  saoPauloOffsetText,
  saoPauloText,
  startOfSaoPauloDay,
  utcText,
} from './instant.ts';

const FIRST = Date.UTC(1920, 0, 1, 3);
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function at(text: string): Instant {
  const moment = parseUtcText(text);
  assert.ok(moment !== null, text);
  return moment;
}

function day(text: string): Day {
  assert.ok(isDay(text), text);
  return text;
}

const anyInstant = fc
  .oneof(
    fc.integer({ min: FIRST, max: LAST }),
    fc.integer({ min: Date.UTC(1985, 0, 1), max: Date.UTC(2020, 0, 1) }),
    fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) }),
  )
  .map(instant);

test('a moment reads in UTC, in São Paulo time, and in São Paulo time with its offset', () => {
  const moment = instant(Date.UTC(2026, 10, 21, 13, 0, 0, 123));
  assert.equal(utcText(moment), '2026-11-21T13:00:00.123Z');
  assert.equal(saoPauloText(moment), '2026-11-21T10:00:00.123');
  assert.equal(saoPauloOffsetText(moment), '2026-11-21T10:00:00.123-03:00');
  assert.equal(saoPauloDay(moment), '2026-11-21');
});

test('an instant is whole milliseconds between 1920 and 9999', () => {
  assert.equal(utcText(instant(FIRST)), '1920-01-01T03:00:00.000Z');
  assert.equal(saoPauloOffsetText(instant(FIRST)), '1920-01-01T00:00:00.000-03:00');
  assert.equal(saoPauloText(instant(LAST)), '9999-12-31T20:59:59.999');
  assert.ok(Object.is(instant(-0), 0));
  for (const value of [FIRST - 1, LAST + 1, 0.5, Number.NaN, Infinity])
    assert.throws(() => instant(value), RangeError);
});

test('daylight saving time of the past is kept', () => {
  const readings = [
    ['2018-11-04T02:59:59.999Z', '2018-11-03T23:59:59.999-03:00'],
    ['2018-11-04T03:00:00.000Z', '2018-11-04T01:00:00.000-02:00'],
    ['2019-01-15T12:00:00.000Z', '2019-01-15T10:00:00.000-02:00'],
    ['2019-02-17T01:59:59.999Z', '2019-02-16T23:59:59.999-02:00'],
    ['2019-02-17T02:00:00.000Z', '2019-02-16T23:00:00.000-03:00'],
    ['2019-02-17T03:00:00.000Z', '2019-02-17T00:00:00.000-03:00'],
    ['2020-01-15T12:00:00.000Z', '2020-01-15T09:00:00.000-03:00'],
    ['1932-01-01T12:00:00.000Z', '1932-01-01T10:00:00.000-02:00'],
  ] as const;
  for (const [utc, saoPaulo] of readings) assert.equal(saoPauloOffsetText(at(utc)), saoPaulo);
});

test('São Paulo time is what the calendar of the system says, in whatever order moments are asked', () => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: 'America/Sao_Paulo',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZoneName: 'longOffset',
  });
  fc.assert(
    fc.property(fc.array(anyInstant, { minLength: 1, maxLength: 4 }), (moments) => {
      for (const moment of moments) {
        const parts = Object.fromEntries(
          format.formatToParts(moment).map(({ type, value }) => [type, value]),
        );
        const date = `${parts.year}-${parts.month}-${parts.day}`;
        const time = `${parts.hour}:${parts.minute}:${parts.second}.${parts.fractionalSecond}`;
        assert.equal(saoPauloOffsetText(moment), `${date}T${time}${parts.timeZoneName?.replace('GMT', '')}`);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('the offset changes at the very millisecond of every change since 1920, from either side', () => {
  let changes = 0;
  let zoned = Temporal.Instant.fromEpochMilliseconds(FIRST).toZonedDateTimeISO('America/Sao_Paulo');
  for (;;) {
    const change = zoned.getTimeZoneTransition('next');
    if (change === null) break;
    for (const step of [-1, 0, 1, 0, -1]) {
      const moment = instant(change.epochMilliseconds + step);
      const expected = Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO('America/Sao_Paulo');
      assert.equal(saoPauloOffsetText(moment).slice(-6), expected.offset);
    }
    changes += 1;
    zoned = change;
  }
  assert.ok(changes >= 90);
});

test('UTC text is read back as the same moment', () => {
  fc.assert(fc.property(anyInstant, (moment) => assert.equal(parseUtcText(utcText(moment)), moment)));
});

test('UTC text may have any number of digits of a second up to nine', () => {
  assert.equal(at('2026-11-21T13:00:00Z'), Date.UTC(2026, 10, 21, 13));
  assert.equal(at('2026-11-21T13:00:00.5Z'), Date.UTC(2026, 10, 21, 13, 0, 0, 500));
  assert.equal(at('2026-11-21T13:00:00.1239999Z'), Date.UTC(2026, 10, 21, 13, 0, 0, 123));
});

test('what is no moment in UTC is not read', () => {
  const texts = [
    ...[
      '',
      '2026-11-21',
      '2026-11-21T13:00:00',
      '2026-11-21T13:00:00-03:00',
      '2026-11-21T13:00:00+00:00',
      '2026-11-21T13:00Z',
    ],
    ...['2026-11-21t13:00:00z', '2026-11-21 13:00:00Z', ' 2026-11-21T13:00:00Z', '2026-11-21T13:00:00Z\n'],
    ...['2026-02-30T13:00:00Z', '2026-13-01T13:00:00Z', '2026-00-10T13:00:00Z', '2025-02-29T13:00:00Z'],
    ...['2026-11-21T24:00:00Z', '2026-11-21T13:60:00Z', '2026-11-21T13:00:60Z', '2026-11-21T13:00:00.Z'],
    ...[
      '2026-11-21T13:00:00.1234567890Z',
      '0000-01-01T00:00:00Z',
      '1920-01-01T02:59:59.999Z',
      '+010000-01-01T00:00:00Z',
    ],
  ];
  for (const text of texts) assert.equal(parseUtcText(text), null, text);
});

test('a day is one that the calendar has', () => {
  for (const text of ['2026-11-21', '2024-02-29', '2000-02-29', '1920-01-01', '9999-12-31'])
    assert.ok(isDay(text), text);
  const others = [
    '2026-02-29',
    '2100-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-01',
    '2026-01-00',
    '1919-12-31',
    '2026-1-1',
  ];
  for (const text of [...others, '', '20261121', '2026-11-21T00:00:00', ' 2026-11-21', '2026-11-21\n']) {
    assert.equal(isDay(text), false, text);
  }
});

test('days are counted by the calendar', () => {
  assert.equal(addDays(day('2026-12-31'), 1), '2027-01-01');
  assert.equal(addDays(day('2024-02-28'), 1), '2024-02-29');
  assert.equal(addDays(day('2026-03-01'), -1), '2026-02-28');
  assert.equal(addDays(day('2026-11-21'), 0), '2026-11-21');
  assert.equal(addDays(day('2018-11-03'), 1), '2018-11-04');
  for (const count of [0.5, Number.NaN, Infinity, 1e9, 4e6])
    assert.throws(() => addDays(day('2026-11-21'), count), RangeError);
  assert.throws(() => addDays(day('1920-01-01'), -1), RangeError);
  assert.throws(() => addDays(day('9999-12-31'), 1), RangeError);
  assert.deepEqual(
    [reachedFrom(day('1920-01-02'), -9), reachedFrom(day('2026-12-31'), 1)],
    ['1920-01-01', '2027-01-01'],
  );
  assert.equal(reachedFrom(day('9999-12-20'), 60), '9999-12-31');
});

test('going forward and back by days comes home', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2_900_000 }),
      fc.integer({ min: 0, max: 2_900_000 }),
      (from, to) => {
        const start = addDays(day('1920-01-01'), from);
        const end = addDays(start, to - from);
        assert.equal(addDays(end, from - to), start);
        assert.equal(start < end, from < to);
      },
    ),
  );
});

test('a day begins at midnight in São Paulo, or at one where midnight was skipped', () => {
  assert.equal(utcText(startOfSaoPauloDay(day('2026-11-21'))), '2026-11-21T03:00:00.000Z');
  assert.equal(utcText(startOfSaoPauloDay(day('2019-01-15'))), '2019-01-15T02:00:00.000Z');
  assert.equal(saoPauloText(startOfSaoPauloDay(day('2018-11-04'))), '2018-11-04T01:00:00.000');
  assert.equal(utcText(startOfSaoPauloDay(day('2019-02-17'))), '2019-02-17T03:00:00.000Z');
  assert.equal(startOfSaoPauloDay(day('1920-01-01')), FIRST);
  assert.equal(utcText(startOfSaoPauloDay(day('9999-12-31'))), '9999-12-31T03:00:00.000Z');
});

test('every moment lies between the start of its day and the start of the next', () => {
  fc.assert(
    fc.property(
      anyInstant.filter((moment) => moment < LAST - 86_400_000),
      (moment) => {
        const today = saoPauloDay(moment);
        assert.ok(isDay(today));
        assert.ok(startOfSaoPauloDay(today) <= moment);
        assert.ok(moment < startOfSaoPauloDay(addDays(today, 1)));
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a wall clock of São Paulo is read as it is shown', () => {
  assert.equal(parseSaoPauloText('2026-11-21T10:00:00.123'), Date.UTC(2026, 10, 21, 13, 0, 0, 123));
  assert.equal(parseSaoPauloText('2026-11-21T10:00:00'), Date.UTC(2026, 10, 21, 13));
  assert.equal(parseSaoPauloText('2026-11-21T10:00:00.123999999'), Date.UTC(2026, 10, 21, 13, 0, 0, 123));
  // Summer time began at midnight, which was skipped, and ended at midnight, so that 23:30 came twice.
  assert.equal(parseSaoPauloText('2018-11-04T00:30:00'), at('2018-11-04T03:30:00Z'));
  assert.equal(parseSaoPauloText('2019-02-16T23:30:00'), at('2019-02-17T01:30:00Z'));
  fc.assert(
    fc.property(anyInstant, (moment) => {
      const read = parseSaoPauloText(saoPauloText(moment));
      assert.ok(read !== null && read <= moment);
      assert.equal(saoPauloText(read), saoPauloText(moment));
    }),
  );
});

test('what is no wall clock without zone is not read', () => {
  const texts = [
    ...[
      '',
      '2026-11-21',
      '2026-11-21T10:00',
      '2026-11-21 10:00:00',
      '2026-11-21T10:00:00Z',
      '2026-11-21T10:00:00-03:00',
    ],
    ...[
      '2026-11-21T10:00:00.',
      '2026-11-21T10:00:00.1234567890',
      '2026-11-21T24:00:00',
      '2026-11-21T10:60:00',
    ],
    ...[
      '2026-11-21T10:00:60',
      '2026-02-29T10:00:00',
      '1919-12-31T10:00:00',
      '9999-12-31T23:00:00',
      '2026-11-21T10:00:00\n',
    ],
  ];
  for (const text of texts) assert.equal(parseSaoPauloText(text), null, text);
});

test('a moment with any offset is the same moment in UTC, and what is no offset is none', () => {
  fc.assert(
    fc.property(anyInstant, (moment) => assert.equal(parseOffsetText(saoPauloOffsetText(moment)), moment)),
  );
  const noon = parseUtcText('2026-11-21T12:00:00.5Z');
  for (const text of [
    '2026-11-21T12:00:00.5Z',
    '2026-11-21T09:00:00.5-03:00',
    '2026-11-21T17:30:00.500000000+05:30',
    '2026-11-22T02:00:00.500+14:00',
  ]) {
    assert.equal(parseOffsetText(text), noon, text);
  }
  for (const text of [
    '',
    '2026-11-21T09:00:00',
    '2026-11-21T09:00:00-3:00',
    '2026-11-21T09:00:00-03:60',
    'x-03:00',
  ])
    assert.equal(parseOffsetText(text), null, text);
  assert.equal(parseOffsetText('9999-12-31T23:59:59-00:01'), null, 'beyond the span of instants');
});
