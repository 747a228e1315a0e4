import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Charges } from './charges.ts';
import { entryOfLine, lineOf } from './entries.ts';

const AT = Date.parse('2026-11-21T13:00:00.000Z');
const LATER = AT + 5 * 86_400_000;
const CARD = {
  brand: 'visa',
  firstSix: '411111',
  lastFour: '1111',
  expiration: '12/30',
  triggerCard: null,
} as const;
const AUTHORIZATION = {
  type: 'authorization',
  at: AT,
  merchantId: 'M1',
  reference: 'R1',
  merchantReference: null,
  amount: 1_000,
  installments: 1,
  initiator: 'cardholder',
  capture: 'later',
  soldAt: AT,
  feePortion: 0,
  card: CARD,
  decision: {
    outcome: 'approved',
    authorizationCode: 'ABC123',
    nsu: 1,
    networkTransactionId: '300000000000001',
  },
} as const;
const CAPTURE = {
  type: 'capture',
  at: LATER,
  merchantId: 'M1',
  reference: 'R1',
  captureReference: 'C1',
  amount: 600,
  capturedAt: LATER,
  refusal: null,
} as const;

test('what is pre-authorized is not settled before its capture, and then so many days after it', () => {
  const charges = new Charges();
  charges.apply(AUTHORIZATION);
  assert.equal(charges.summary.preauthorized, 1);
  assert.equal(charges.nextDue('M1', Number.POSITIVE_INFINITY), null);
  charges.apply(CAPTURE);
  assert.deepEqual([charges.summary.preauthorized, charges.summary.approvedCents], [0, 600]);
  assert.equal(charges.nextDue('M1', Number.POSITIVE_INFINITY)?.at, LATER + 30 * 86_400_000);
  assert.throws(() => charges.apply({ ...CAPTURE, captureReference: 'C2' }));
});

test('both are read back from their lines', () => {
  for (const entry of [AUTHORIZATION, CAPTURE]) assert.deepEqual(entryOfLine(lineOf(entry)), entry);
});
