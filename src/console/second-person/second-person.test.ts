import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../values/cents.ts';
import { instant } from '../../values/instant.ts';
import { approvalFault, declineFault, type FoundRequest, requestText, stateOf } from './second-person.ts';

const found: FoundRequest = {
  request: {
    requestId: 'r',
    merchantId: 'LOJA',
    requestedBy: 'ana',
    operation: 'cancelPayment',
    path: '/console/merchants/LOJA/payments/1/cancel',
    fields: { amount: '900,00' },
    reason: 'cliente desistiu',
    amount: cents(90_000),
    standing: 'Paga 90000 0 0',
    requestedAt: instant(1_000),
    expiresAt: instant(2_000),
  },
  seal: Buffer.alloc(32),
  requester: { userId: 'ana', name: 'ana', role: 'finance', merchantId: 'LOJA' },
  isRequesterLockedOut: false,
  decision: null,
  now: instant(1_999),
};
const bia = {
  user: { userId: 'bia' },
  isOneHand: false,
  isNewcomer: false,
  isRequesterNew: false,
  mayBoth: true,
};
const decision = {
  decision: 'approved',
  decidedBy: { name: 'bia', merchantId: 'LOJA' },
  reason: 'sim',
  decidedAt: instant(1_500),
  outcome: 'done',
  refusal: null,
} as const;

test('another person who may do it approves what waits, and nobody else', () => {
  assert.equal(approvalFault(found, bia), null);
  assert.equal(approvalFault(found, { ...bia, user: { userId: 'ana' } }), 'samePerson');
  assert.equal(approvalFault(found, { ...bia, mayBoth: false }), 'notAllowed');
  assert.equal(approvalFault(found, { ...bia, isNewcomer: true }), 'newcomer');
  assert.equal(approvalFault(found, { ...bia, isNewcomer: true, isOneHand: true }), 'oneHand');
  assert.equal(approvalFault(found, { ...bia, isRequesterNew: true }), 'newRequester');
  assert.equal(approvalFault({ ...found, isRequesterLockedOut: true }, bia), 'requesterLockedOut');
  assert.equal(approvalFault({ ...found, now: instant(2_000) }, bia), 'expired');
  assert.equal(approvalFault({ ...found, decision }, bia), 'decided');
  assert.equal(stateOf({ ...found, decision, now: instant(9_000) }), 'approved');
});

test('the one who asked takes it back, another who may do it declines it', () => {
  assert.equal(declineFault(found, true, bia.user), null);
  assert.equal(declineFault(found, false, bia.user), 'notAllowed');
  assert.equal(declineFault(found, false, { userId: 'ana' }), null);
  assert.equal(declineFault({ ...found, now: instant(2_000) }, true, bia.user), 'expired');
});

test('the seal is of everything that was asked for', () => {
  const text = requestText(found.request);
  const others = [
    { amount: cents(90_001) },
    { fields: { amount: '900,01' } },
    { path: '/console/merchants/LOJA/payments/2/cancel' },
    { requestedBy: 'caio' },
    { standing: 'Paga' },
    { merchantId: null },
    { reason: '' },
    { expiresAt: instant(3_000) },
  ];
  for (const other of others) assert.notEqual(requestText({ ...found.request, ...other }), text);
  const fields = { b: '1', a: '2' };
  const turned = { a: '2', b: '1' };
  assert.equal(requestText({ ...found.request, fields }), requestText({ ...found.request, fields: turned }));
});
