import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysToPayout, feePortion, feeTerms, pixPortion, readFeeTable } from './fee-table.ts';

test('the first rule that fits brand and installments gives the fee, and no rule means none', () => {
  const table = readFeeTable('visa:1=2.49, visa:2-6=3.1,any:1-12=3');
  assert.ok(typeof table !== 'string');
  assert.equal(feePortion(table, 'visa', 1), 249);
  assert.equal(feePortion(table, 'visa', 6), 310);
  assert.equal(feePortion(table, 'visa', 7), 300);
  assert.equal(feePortion(table, 'elo', 1), 300);
  assert.equal(feePortion(table, 'elo', 13), 0);
  assert.deepEqual(readFeeTable(' '), []);
});

test('a rule may name the days to the first payout and between installments, which are 30 otherwise', () => {
  const table = readFeeTable('visa:1=2@1,visa:2-12=3@31/28,any:1-99=4');
  assert.ok(typeof table !== 'string');
  const days = (brand: 'visa' | 'elo', count: number) =>
    Array.from({ length: Math.min(count, 3) }, (_, index) =>
      daysToPayout(feeTerms(table, brand, count).plan, index + 1),
    );
  assert.deepEqual(days('visa', 1), [1]);
  assert.deepEqual(days('visa', 3), [31, 59, 87]);
  assert.deepEqual(days('elo', 3), [30, 60, 90]);
  assert.deepEqual(daysToPayout(feeTerms([], 'visa', 2).plan, 2), 60);
});

test('a Pix has a rule of its own, which no card has, and rules of all cards are none of a Pix', () => {
  const table = readFeeTable('any:1-99=3,pix=0.99');
  assert.ok(typeof table !== 'string');
  assert.equal(pixPortion(table), 99);
  assert.equal(feePortion(table, 'visa', 1), 300);
  const onlyPix = readFeeTable('pix=1');
  assert.ok(typeof onlyPix !== 'string');
  assert.equal(feePortion(onlyPix, 'visa', 1), 0);
  assert.equal(pixPortion(readFeeTable('any:1-99=3') as typeof table), 0);
});

test('a rule that cannot be read is named', () => {
  for (const text of [
    'pix:1=1',
    'pix=1@2',
    'pix',
    'visa',
    'vissa:1=2',
    'visa:0=2',
    'visa:6-2=1',
    'visa:1-100=1',
    'visa:1=2.499',
    'visa:1=-1',
    'visa:1=2@',
    'visa:1=2@1/',
    'visa:1=2@1000',
    'visa:1=2@-1',
  ]) {
    assert.equal(readFeeTable(text), `must be rules such as visa:2-6=3.10 or visa:1=2.49@30, not "${text}"`);
  }
  assert.match(readFeeTable('any:1=1,'.repeat(101)) as string, /at most 100/);
});
