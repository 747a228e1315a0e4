import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CHANGE_EVENTS } from '../../providers/acquirers/acquirer.ts';
import { INSTALLMENT_MOVES, INSTALLMENT_STATES } from '../transaction.ts';
import { type ChangeGround, decideChange } from './change.ts';

const GROUND: ChangeGround = {
  event: 'chargeback',
  isBehindEarlier: false,
  isTakenAlready: false,
  transactionState: 'approved',
  openCancel: null,
  installment: { state: 'authorized', stateBeforeBlock: null, rest: 5_000 },
  amount: null,
  restOfOthers: 3_000,
};

const takenBack = (own: number, beyond: number) => ({ kind: 'takeBack', own, beyond });
const refused = (reason: string) => ({ kind: 'refuse', reason });

test('a chargeback takes what it says, and all of its installment when it says nothing', () => {
  assert.deepEqual(decideChange(GROUND), takenBack(5_000, 0));
  assert.deepEqual(decideChange({ ...GROUND, amount: 1 }), takenBack(1, 0));
  assert.deepEqual(decideChange({ ...GROUND, amount: 5_000 }), takenBack(5_000, 0));
});

test('what its installment lacks comes off the others, and more than they have is refused', () => {
  assert.deepEqual(decideChange({ ...GROUND, amount: 8_000 }), takenBack(5_000, 3_000));
  assert.deepEqual(decideChange({ ...GROUND, amount: 8_001 }), refused('otherAmount'));
});

test('of an installment that a cancel took nothing is taken back twice', () => {
  const installment = { state: 'canceled', stateBeforeBlock: null, rest: 0 } as const;
  assert.deepEqual(decideChange({ ...GROUND, installment }), refused('forbiddenMove'));
  assert.deepEqual(decideChange({ ...GROUND, installment, amount: 2_000 }), takenBack(0, 2_000));
  assert.deepEqual(
    decideChange({ ...GROUND, installment, amount: 2_000, restOfOthers: 0 }),
    refused('otherAmount'),
  );
});

test('a change waits for the charge, a cancel and the changes before it', () => {
  const waits = (changed: Partial<ChangeGround>) => decideChange({ ...GROUND, amount: 9_999, ...changed });
  assert.deepEqual(waits({ isBehindEarlier: true }), { kind: 'wait', reason: 'behindEarlier' });
  assert.deepEqual(waits({ transactionState: 'unresolved' }), { kind: 'wait', reason: 'beingCharged' });
  assert.deepEqual(waits({ openCancel: 'canceling' }), { kind: 'wait', reason: 'beingCanceled' });
});

test('a chargeback that feed and file report is taken once', () => {
  assert.deepEqual(decideChange({ ...GROUND, isTakenAlready: true }), refused('takenAlready'));
  assert.deepEqual(decideChange({ ...GROUND, isTakenAlready: true, isBehindEarlier: true }), {
    kind: 'wait',
    reason: 'behindEarlier',
  });
});

test('a change comes to something where the table of states lets it, and nowhere else', () => {
  for (const state of INSTALLMENT_STATES) {
    for (const event of CHANGE_EVENTS) {
      const rest = state === 'canceled' ? 0 : 100;
      const stateBeforeBlock = state === 'blocked' ? 'paid' : null;
      const decided = decideChange({ ...GROUND, event, installment: { state, stateBeforeBlock, rest } });
      const isAllowed = INSTALLMENT_MOVES[state][event] !== null;
      assert.equal(decided.kind !== 'refuse', isAllowed, `${event} of ${state}`);
    }
  }
});

test('a chargeback never takes more than is left, and never less than it says', () => {
  const cents = fc.integer({ min: 0, max: 20_000 });
  fc.assert(
    fc.property(
      cents,
      cents,
      fc.option(fc.integer({ min: 1, max: 40_000 })),
      (rest, restOfOthers, amount) => {
        const state = rest === 0 ? 'canceled' : 'paid';
        const installment = { state, stateBeforeBlock: null, rest } as const;
        const decided = decideChange({ ...GROUND, installment, restOfOthers, amount });
        const taken = amount ?? rest;
        if (decided.kind !== 'takeBack') return taken === 0 || taken > rest + restOfOthers;
        const { own, beyond } = decided;
        return (
          own + beyond === taken && own <= rest && beyond <= restOfOthers && (beyond === 0 || own === rest)
        );
      },
    ),
  );
});
