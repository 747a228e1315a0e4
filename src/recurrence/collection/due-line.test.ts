import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import type { DueBilling } from './due-billings.sql.ts';
import { openChargeLine } from './due-line.ts';

const due = (merchantId: string, billingId: string): DueBilling => ({
  merchantId,
  billingId,
  subscriptionId: 's',
  planId: 'p',
  vaultId: 'v',
  accountNumber: '1',
  amount: cents(100),
  fence: 0,
  chargesMade: 0,
  maxRetries: 0,
  chargeOn: '2026-12-01' as Day,
});

const NOBODY = () => false;

test('merchants take turns, however many billings one of them has', () => {
  const line = openChargeLine();
  for (let number = 1; number <= 5; number += 1) line.add(due('giant', `g${number}`));
  line.add(due('small', 's1'));
  line.add(due('other', 'o1'));
  assert.deepEqual([line.length(), line.ids().length], [7, 7]);
  const taken = Array.from({ length: 8 }, () => line.take(NOBODY)?.billingId);
  assert.deepEqual(taken, ['g1', 's1', 'o1', 'g2', 'g3', 'g4', 'g5', undefined]);
  assert.equal(line.length(), 0);
});

test('who has enough under way is passed over, and keeps the turn', () => {
  const line = openChargeLine();
  line.add(due('giant', 'g1'));
  line.add(due('small', 's1'));
  const isGiant = (merchantId: string) => merchantId === 'giant';
  assert.equal(line.take(isGiant)?.billingId, 's1');
  assert.equal(line.take(isGiant), null);
  assert.equal(line.take(NOBODY)?.billingId, 'g1');
});
