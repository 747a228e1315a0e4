import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeeVersion } from '../../transactions/fees/fee-table.ts';
import { instant } from '../../values/instant.ts';
import { comparedFees } from './fee-comparison.ts';

const version = (from: number, rules: string): FeeVersion => ({
  merchantId: '',
  validFrom: instant(from),
  rules,
  source: 'operator',
  createdBy: 'ana',
});
const VERSIONS = [
  version(100, 'visa:1=2.49@30, any:2-12=3.10'),
  version(200, 'visa:1=2.49@30, any:2-12=3.00, elo:1=4'),
  version(300, 'visa:1=2.49@2, elo:1=4'),
  version(400, 'visa:1=1'),
];

test('the version in force, the one before it and the next ones stand beside each other', () => {
  const of = (now: number) =>
    comparedFees(VERSIONS.toReversed(), now).versions.map(
      ({ version: { validFrom }, standing }) => `${validFrom} ${standing}`,
    );
  assert.deepEqual(of(250), ['100 before', '200 inForce', '300 next', '400 next']);
  assert.deepEqual(of(1_000), ['300 before', '400 inForce']);
  assert.equal(comparedFees([...VERSIONS, version(500, '')], 250).later, 1);
  assert.equal(comparedFees(VERSIONS, 250).later, 0);
  assert.deepEqual(of(50), ['100 next', '200 next', '300 next', '400 next']);
  assert.deepEqual(comparedFees([], 1), { versions: [], later: 0, rules: [] });
});

test('each rule says what became of it from version to version', () => {
  const { rules } = comparedFees(VERSIONS, 250);
  const differences = Object.fromEntries(
    rules.map(({ name, cells }) => [name, cells.map(({ difference }) => difference)]),
  );
  assert.deepEqual(differences, {
    'visa 1': ['same', 'same', 'changed', 'changed'],
    'any 2–12': ['same', 'changed', 'takenAway', 'absent'],
    'elo 1': ['absent', 'added', 'same', 'takenAway'],
  });
});
