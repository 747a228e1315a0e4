import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_MERCHANTS, type FeeVersion } from '../../transactions/fees/fee-table.ts';
import type { Instant } from '../../values/instant.ts';
import { readSeenFee, suggestedRules } from './suggested-rules.ts';

const version = (rules: string, validFrom: number): FeeVersion => ({
  merchantId: ALL_MERCHANTS,
  validFrom: validFrom as Instant,
  rules,
  source: 'operator',
  createdBy: 'ana',
});

test('the fee that files show stands in front of the rules in force, with their days, in place of its own', () => {
  const ofAll = [version('visa:1=2.49@2, any:2-12=3.10@31/30', 1), version('any:1-99=9', 9)];
  const suggest = (installmentCount: number, ofMerchant: readonly FeeVersion[] = []) =>
    suggestedRules({ ofMerchant, ofAll }, { brand: 'visa', installmentCount, portion: 349 }, 5);
  assert.equal(suggest(1), 'visa:1=3.49@2, any:2-12=3.10@31/30');
  assert.equal(suggest(3), 'visa:3=3.49@31/30, visa:1=2.49@2, any:2-12=3.10@31/30');
  assert.equal(suggest(1, [version('visa:1=1@14', 2)]), 'visa:1=3.49@14');
  assert.equal(
    suggest(1, [version('', 2)]),
    'visa:1=3.49@2, any:2-12=3.10@31/30',
    'it went back to those of all',
  );
});

test('a link says a fee, or none', () => {
  const said = { brand: 'visa', installments: '3', portion: '349' };
  assert.deepEqual(readSeenFee(said), { brand: 'visa', installmentCount: 3, portion: 349 });
  for (const other of [{ brand: 'pix' }, { installments: '0' }, { portion: '3,49' }])
    assert.equal(readSeenFee({ ...said, ...other }), null);
});
