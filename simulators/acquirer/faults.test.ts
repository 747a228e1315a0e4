import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRIGGER_CARDS } from '../kit/cards/trigger-cards.ts';
import { behaviourOf } from './faults.ts';
import type { Step } from './script-step.ts';

const NO_STEP: Step = {
  outcome: null,
  responseCode: null,
  adviceCode: null,
  delayMilliseconds: 0,
  fault: null,
  undoRefusals: 0,
  notFoundTimes: 0,
  feePortion: 0,
};
const CHARGE = { brand: 'visa', triggerCard: null, cardCount: undefined, step: null } as const;
const APPROVED = { decline: null, fault: null };

test('the last four digits of the amount decide', () => {
  assert.equal(behaviourOf({ ...CHARGE, amount: 1_051 }).decline?.responseCode, '51');
  assert.equal(behaviourOf({ ...CHARGE, amount: 991_054 }).decline?.responseCode, '54');
  assert.equal(behaviourOf({ ...CHARGE, amount: 1_051, brand: 'amex' }).decline?.responseCode, '116');
  assert.equal(behaviourOf({ ...CHARGE, amount: 1_005 }).decline?.responseCode, '05');
  assert.deepEqual(
    [1_001, 51_002, 1_003, 9_999_991_004].map((amount) => behaviourOf({ ...CHARGE, amount }).fault),
    ['silent', 'booksButSilent', 'late', 'garbage'],
  );
});

test('every other amount is approved', () => {
  for (const amount of [1, 51, 1_000, 1_007, 1_099, 1_100, 2_051, 10_510, 105_100, 9_999_999_999]) {
    assert.deepEqual(behaviourOf({ ...CHARGE, amount }), APPROVED, String(amount));
  }
});

test('the amount speaks before the card', () => {
  const triggerCard = TRIGGER_CARDS.find(({ name }) => name === 'visa-declines-1') ?? null;
  assert.equal(behaviourOf({ ...CHARGE, triggerCard, amount: 1_054 }).decline?.responseCode, '54');
  assert.equal(behaviourOf({ ...CHARGE, triggerCard, amount: 2_500 }).decline?.responseCode, '51');
});

test('the script speaks before amount and card', () => {
  const approves: Step = { ...NO_STEP, outcome: 'approved' };
  assert.deepEqual(behaviourOf({ ...CHARGE, amount: 1_051, step: approves }), APPROVED);
  const declines: Step = { ...NO_STEP, outcome: 'declined', responseCode: 'R1', fault: 'late' };
  assert.deepEqual(behaviourOf({ ...CHARGE, amount: 2_500, step: declines }), {
    decline: { responseCode: 'R1', adviceCode: null },
    fault: 'late',
  });
});

test('a declined step without a code answers the generic code of the brand', () => {
  const step: Step = { ...NO_STEP, outcome: 'declined' };
  assert.equal(behaviourOf({ ...CHARGE, amount: 2_500, brand: 'amex', step }).decline?.responseCode, '100');
});

test('a step that only delays leaves the outcome to amount and card', () => {
  const step: Step = { ...NO_STEP, delayMilliseconds: 5 };
  assert.equal(behaviourOf({ ...CHARGE, amount: 1_051, step }).decline?.responseCode, '51');
});
