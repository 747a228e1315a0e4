import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../values/instant.ts';
import { addSaleCounts, type SaleCounts } from './sale-counts.ts';

const NOTHING: SaleCounts = {
  total: { approved: 0, declined: 0, other: 0 },
  byHour: [],
  byBrand: [],
  declines: [],
  oldestAt: null,
};

test('the counts of two stretches add up by hour, brand and code', () => {
  const one = { approved: 1, declined: 2, other: 0 };
  const other = { approved: 10, declined: 20, other: 5 };
  const declined = { brand: 'visa', responseCode: '51', adviceCode: null } as const;
  const advised = { ...declined, adviceCode: '02' };
  const later: SaleCounts = {
    total: one,
    byHour: [{ hour: 9, ...one }],
    byBrand: [{ brand: 'visa', ...one }],
    declines: [{ ...declined, count: 2 }],
    oldestAt: instant(2_000),
  };
  const earlier: SaleCounts = {
    total: other,
    byHour: [{ hour: 8, ...other }],
    byBrand: [{ brand: 'visa', ...other }],
    declines: [
      { ...advised, count: 17 },
      { ...declined, count: 3 },
    ],
    oldestAt: instant(1_000),
  };
  assert.deepEqual(addSaleCounts([later, earlier]), {
    total: { approved: 11, declined: 22, other: 5 },
    byHour: [
      { hour: 8, ...other },
      { hour: 9, ...one },
    ],
    byBrand: [{ brand: 'visa', approved: 11, declined: 22, other: 5 }],
    declines: [
      { ...advised, count: 17 },
      { ...declined, count: 5 },
    ],
    oldestAt: 1_000,
  });
});

test('nothing adds nothing', () => {
  assert.deepEqual(addSaleCounts([]), NOTHING);
  assert.deepEqual(addSaleCounts([NOTHING, NOTHING]), NOTHING);
});
