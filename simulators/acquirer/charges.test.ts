import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContradictoryEntry } from '../kit/ledger.ts';
import { Charges } from './charges.ts';
import { type AuthorizationEntry, type Entry, entryOfLine, lineOf } from './entries.ts';

const AT = Date.UTC(2026, 10, 21);
const CARD = {
  brand: 'visa',
  firstSix: '411111',
  lastFour: '1111',
  expiration: '12/30',
  triggerCard: null,
} as const;

function approval(reference: string, nsu: number, merchantId = 'M1'): AuthorizationEntry {
  return {
    type: 'authorization',
    at: AT,
    merchantId,
    reference,
    merchantReference: null,
    amount: 1_000,
    installments: 1,
    initiator: 'cardholder',
    capture: 'atOnce',
    soldAt: AT,
    feePortion: 0,
    card: CARD,
    decision: {
      outcome: 'approved',
      authorizationCode: 'ABC123',
      nsu,
      networkTransactionId: '300000000000001',
    },
  };
}

function cancellation(cancellationReference: string, amount: number): Entry {
  return {
    type: 'cancellation',
    at: AT,
    merchantId: 'M1',
    cancellationReference,
    reference: 'a',
    amount,
    refusal: null,
    pending: null,
    requestedAt: AT,
  };
}

const UNDO: Entry = { type: 'undo', at: AT, merchantId: 'M1', reference: 'a' };

function booksOf(...entries: Entry[]): Charges {
  const charges = new Charges();
  for (const entry of entries) charges.apply(entry);
  return charges;
}

test('an entry is the same when it is read back from its line', () => {
  const declined: Entry = {
    ...approval('b', 1),
    decision: { outcome: 'declined', responseCode: 'N7', adviceCode: null },
    card: { ...CARD, triggerCard: 'visa-declines-1' },
    merchantReference: 'pedido nº 1\n"',
  };
  const check: Entry = {
    type: 'verification',
    at: AT,
    merchantId: 'M1',
    reference: 'v',
    card: CARD,
    decision: declined.decision,
  };
  const requested = { ...cancellation('d', 1), requestedAt: AT + 2 } as Entry;
  const change: Entry = {
    type: 'change',
    at: AT,
    merchantId: 'M1',
    reference: 'a',
    installmentNumber: 2,
    change: 'chargeback',
    amount: 100,
    anticipationFee: null,
    happenedAt: AT + 1,
  };
  for (const entry of [approval('a', 1), declined, check, UNDO, cancellation('c', 1), requested, change]) {
    assert.deepEqual(entryOfLine(lineOf(entry)), entry);
  }
});

test('a line that is not an entry is none', () => {
  const line = lineOf(approval('a', 1));
  for (const broken of [
    '',
    'null',
    '{}',
    line.slice(1),
    line.replace('1000', '"1000"'),
    line.replace('2026', '2O26'),
  ]) {
    assert.equal(entryOfLine(broken), null, broken);
  }
});

test('the summary counts what every charge is now', () => {
  const charges = booksOf(approval('a', 1), approval('b', 2), cancellation('c', 400));
  assert.equal(charges.summary.approvedCents, 1_600);
  charges.apply(cancellation('d', 600));
  charges.apply({ ...UNDO, reference: 'b' });
  charges.apply({ ...UNDO, reference: 'never seen' });
  assert.deepEqual(charges.summary, {
    preauthorized: 0,
    approved: 0,
    declined: 0,
    undone: 1,
    canceled: 1,
    tombstones: 1,
    approvedCents: 0,
  });
  assert.deepEqual(
    charges.changes.map(({ cursor, amount }) => [cursor, amount]),
    [
      [3, 400],
      [4, 600],
    ],
  );
});

test('the same reference of another merchant is another charge', () => {
  const charges = booksOf(approval('a', 1), approval('a', 2, 'M2'), UNDO);
  assert.equal(charges.charge('M1', 'a')?.status, 'undone');
  assert.equal(charges.charge('M2', 'a')?.status, 'approved');
});

const CONTRADICTIONS: Record<string, Entry[]> = {
  'a reference twice': [approval('a', 1), approval('a', 2)],
  'a charge under a tombstone': [UNDO, approval('a', 1)],
  'an undo twice': [approval('a', 1), UNDO, UNDO],
  'a tombstone twice': [UNDO, UNDO],
  'an undo after a cancellation': [approval('a', 1), cancellation('c', 1), UNDO],
  'more canceled than there was': [approval('a', 1), cancellation('c', 999), cancellation('d', 2)],
  'a cancellation twice': [approval('a', 1), cancellation('c', 1), cancellation('c', 1)],
  'a cancellation of nothing': [cancellation('c', 1)],
  'an NSU twice': [approval('a', 1), approval('b', 1)],
};

for (const [name, entries] of Object.entries(CONTRADICTIONS)) {
  test(`the books do not take ${name}`, () => {
    assert.throws(() => booksOf(...entries), ContradictoryEntry);
  });
}
