import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../values/instant.ts';
import { type FileSpan, fileCoverages } from './file-coverage.ts';

const span = (from: string, to = from, establishment = '100', format = 'adiq'): FileSpan => ({
  format,
  establishment,
  from: from as Day,
  to: to as Day,
});
const of = (spans: readonly FileSpan[]) => fileCoverages(spans, '2026-11-09' as Day, '2026-11-23' as Day);

test('business days without a file are missing, from the first file on', () => {
  const [found] = of([span('2026-11-12'), span('2026-11-13'), span('2026-11-18', '2026-11-19')]);
  // The 14th, 15th, 21st and 22nd are weekends, the 20th is a holiday.
  assert.deepEqual(found?.missing, ['2026-11-23', '2026-11-17', '2026-11-16']);
  const [seldom] = of([span('2026-11-12', '2026-11-12', '100', 'cielo15')]);
  assert.deepEqual([seldom?.last, seldom?.missing], ['2026-11-12', []]);
  assert.deepEqual([found?.first, found?.last, found?.coveredDays], ['2026-11-12', '2026-11-19', 4]);
});

test('what is outside of the days is not looked at, and each establishment has its own', () => {
  const found = of([
    span('2026-10-01', '2026-11-10'),
    span('2026-11-23', '2026-11-30', '200'),
    span('2026-12-01'),
  ]);
  assert.deepEqual(
    found.map(({ establishment, first, coveredDays }) => [establishment, first, coveredDays]),
    [
      ['100', '2026-11-09', 2],
      ['200', '2026-11-23', 1],
    ],
  );
  assert.deepEqual(found[1]?.missing, []);
  assert.deepEqual(of([]), []);
});
