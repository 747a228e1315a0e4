import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BankChange } from '../../../../providers/banks/bank.ts';
import { cents } from '../../../../values/cents.ts';
import { type Day, instant } from '../../../../values/instant.ts';
import { BOLETO_STATES, type Boleto, type BoletoState } from '../boleto.ts';
import { decideBankChange } from './bank-change.ts';

const DUE = '2026-12-10' as Day;

function boletoIn(state: BoletoState): Boleto {
  return {
    ...{
      linkId: null,
      merchantId: 'm',
      boletoId: 'b',
      accountNumber: '1',
      ourNumber: '00000000001',
      pageKey: 'k',
    },
    ...{ state, stateBefore: state === 'canceling' || state === 'changing' ? 'overdue' : null },
    ...{ isExpiring: false, wanted: null, dueDayChanges: 0, isDayOpen: false },
    ...{
      amount: cents(10_000),
      issuedOn: '2026-11-23' as Day,
      dueOn: DUE,
      payableUntil: '2027-01-11' as Day,
      daysToExpire: 30,
    },
    ...{ payer: null, referenceTransaction: null, instructions: [], callbackUrl: null },
    ...{ finePortion: 200, interestPortion: 0, discount: null },
    registered: state === 'issuing' ? null : { barCode: '0'.repeat(44), pixEmv: null },
    ...{ bank: 'default', askedBank: null, refusalReason: null, payment: null, payments: [], actsAt: null },
    ...{ requestedAt: instant(0), fence: 0, unknownReason: null, tries: 0 },
  };
}

const PAID: BankChange = {
  ...{ changeId: 'c', merchantId: 'm', ourNumber: '00000000001', event: 'paid' },
  ...{ amount: cents(9_000), paidOn: DUE, creditedOn: null, fee: cents(150), happenedAt: instant(1) },
};
const GROUND = { isBehindEarlier: false, isReportedTwice: false, isFiledAgain: false, dueDays: [] };

/** Whether a payment of such a boleto pays it, and what is surprising about it. */
function ofPayment(state: BoletoState): unknown {
  const decision = decideBankChange(boletoIn(state), PAID, GROUND);
  return decision.kind === 'apply' ? [decision.change?.event ?? null, decision.payment?.surprise] : decision;
}

test('a payment pays what is open, and is recorded beside what is over', () => {
  assert.deepEqual(Object.fromEntries(BOLETO_STATES.map((state) => [state, ofPayment(state)])), {
    issuing: { kind: 'wait', reason: 'beingIssued' },
    issued: ['pay', null],
    overdue: ['pay', null],
    canceling: ['pay', null],
    changing: ['pay', null],
    paid: [null, 'paidAgain'],
    canceled: [null, 'paidAfterCancel'],
    expired: [null, 'paidAfterExpiry'],
    refused: [null, 'paidAfterRefusal'],
  });
});

test('what was paid is kept as the bank says it, beside what was to be paid on that day', () => {
  const late = { ...PAID, paidOn: '2026-12-14' as Day };
  const expectedOf = (change: BankChange) => {
    const decision = decideBankChange(boletoIn('overdue'), change, GROUND);
    assert.ok(decision.kind === 'apply');
    return [decision.payment?.amount, decision.payment?.expectedAmount, decision.payment?.fee];
  };
  assert.deepEqual(expectedOf(PAID), [9_000, 10_000, 150]);
  assert.deepEqual(expectedOf(late), [9_000, 10_200, 150]);
});

test('what was not expected has a kind: another amount too, but for the cents that banks round', () => {
  const kindOf = (state: BoletoState, change: Partial<BankChange>, terms: Partial<Boleto> = {}) => {
    const decision = decideBankChange({ ...boletoIn(state), ...terms }, { ...PAID, ...change }, GROUND);
    assert.ok(decision.kind === 'apply');
    return decision.payment?.kind;
  };
  const full = { amount: cents(10_000) };
  assert.equal(kindOf('issued', full), 'expected');
  assert.equal(kindOf('issued', { amount: cents(9_999) }), 'otherAmount');
  assert.equal(kindOf('issued', { amount: cents(0) }), 'otherAmount');
  assert.equal(kindOf('paid', full), 'second');
  for (const state of ['canceled', 'expired', 'refused'] as const)
    assert.equal(kindOf(state, full), 'afterEnd');
  const late = '2026-12-14' as Day;
  const bearing = { interestPortion: 100 };
  assert.equal(kindOf('overdue', { amount: cents(10_213), paidOn: late }, bearing), 'expected');
  assert.equal(kindOf('overdue', { amount: cents(10_217), paidOn: late }, bearing), 'expected');
  assert.equal(kindOf('overdue', { amount: cents(10_218), paidOn: late }, bearing), 'otherAmount');
  assert.equal(kindOf('overdue', { amount: cents(10_201), paidOn: late }), 'otherAmount');
});

test('a payment counts by any due day that the boleto had or was to have, and is measured by that one', () => {
  const [dueOn, later] = ['2026-12-21' as Day, '2026-12-30' as Day];
  const measured = (amount: number, dueDays: readonly Day[], terms: Partial<Boleto> = {}) => {
    const change = { ...PAID, amount: cents(amount), paidOn: '2026-12-18' as Day };
    const decision = decideBankChange({ ...boletoIn('overdue'), ...terms }, change, { ...GROUND, dueDays });
    assert.ok(decision.kind === 'apply');
    return [decision.payment?.kind, decision.payment?.expectedAmount];
  };
  assert.deepEqual(measured(10_000, []), ['otherAmount', 10_200]);
  assert.deepEqual(measured(10_000, [DUE, dueOn]), ['expected', 10_000], 'changed there, not yet here');
  assert.deepEqual(measured(10_200, [DUE, later], { dueOn: later }), ['expected', 10_200], 'paid before');
  assert.deepEqual(measured(10_100, [DUE, dueOn, later]), ['otherAmount', 10_200]);
});

test('feed and files that report one payment make one of it, a second file another one for a person', () => {
  const twice = decideBankChange(boletoIn('paid'), PAID, { ...GROUND, isReportedTwice: true });
  assert.deepEqual(twice, { kind: 'apply', change: null, payment: null });
  const again = decideBankChange(boletoIn('issued'), PAID, { ...GROUND, isFiledAgain: true });
  assert.ok(again.kind === 'apply');
  assert.deepEqual([again.change, again.payment?.surprise], [null, 'filedAgain']);
});

test('changes of a boleto go one behind the other, and one of a boleto that nobody knows is refused', () => {
  const behind = decideBankChange(boletoIn('issued'), PAID, { ...GROUND, isBehindEarlier: true });
  assert.deepEqual(behind, { kind: 'wait', reason: 'behindEarlier' });
  assert.deepEqual(decideBankChange(null, PAID, GROUND), { kind: 'refuse', reason: 'unknownBoleto' });
});

test('an end of the bank ends what is open, says nothing new of what is over, and undoes no payment', () => {
  const ended = (state: BoletoState, event: 'canceled' | 'expired') => {
    const decision = decideBankChange(
      boletoIn(state),
      { ...PAID, event, amount: null, paidOn: null },
      GROUND,
    );
    return decision.kind === 'apply' ? (decision.change?.event ?? null) : decision.reason;
  };
  assert.equal(ended('issued', 'canceled'), 'cancel');
  assert.equal(ended('overdue', 'expired'), 'expire');
  assert.equal(ended('canceled', 'expired'), null);
  assert.equal(ended('expired', 'canceled'), null);
  assert.equal(ended('paid', 'canceled'), 'forbiddenMove');
});
