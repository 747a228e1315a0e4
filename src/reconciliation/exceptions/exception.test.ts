import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../values/instant.ts';
import { EXCEPTION_MOVES, EXCEPTION_STATES, exceptionMove, type Finding, noticeOf } from './exception.ts';

const DUE = '2026-12-03' as Day;
const FINDING: Finding = {
  class: 'feeDiffers',
  amount: 100,
  expected: '249',
  found: '349',
  day: DUE,
  explanation: null,
};

const WRITTEN = { ...FINDING, wasOpen: false };

test('an exception goes only where its table lets it, and a repeated look leaves it alone', () => {
  for (const state of EXCEPTION_STATES) {
    for (const finding of [null, FINDING, { ...FINDING, amount: 1, explanation: 'rounding' as const }]) {
      const move = exceptionMove({ ...WRITTEN, state }, finding);
      if (move.kind === 'move') assert.equal(EXCEPTION_MOVES[state][move.event], move.state);
      assert.notEqual(move.kind, 'open');
    }
  }
  assert.deepEqual(exceptionMove({ ...WRITTEN, state: 'open' }, FINDING), { kind: 'none' });
});

test('a later file heals, and contradicts what was healed or resolved', () => {
  const known = { ...WRITTEN, state: 'open' } as const;
  assert.deepEqual(exceptionMove(known, null), { kind: 'move', event: 'heal', state: 'healed' });
  const resolved = { ...WRITTEN, state: 'resolved' } as const;
  assert.deepEqual(exceptionMove(resolved, FINDING), { kind: 'none' });
  assert.deepEqual(exceptionMove(resolved, null), { kind: 'none' });
  const other = { ...FINDING, amount: 200, found: '449' };
  assert.deepEqual(exceptionMove(resolved, other), { kind: 'move', event: 'reopen', state: 'open' });
  const reopened = { kind: 'move', event: 'reopen', state: 'open' } as const;
  assert.deepEqual(exceptionMove({ ...WRITTEN, state: 'healed' }, FINDING), reopened);
});

test('merchants are notified of what is open, of pledges, and of what healed; of no cents of rounding', () => {
  const rounding = { ...FINDING, explanation: 'rounding' as const };
  assert.equal(noticeOf(null, exceptionMove(null, FINDING), FINDING), 'opened');
  assert.equal(noticeOf(null, exceptionMove(null, rounding), rounding), null);
  const pledge = { ...FINDING, class: 'heldByPledge' as const, explanation: 'pledge' as const };
  assert.equal(noticeOf(null, exceptionMove(null, pledge), pledge), 'opened');
  const open = { ...WRITTEN, state: 'open' } as const;
  assert.equal(noticeOf(open, exceptionMove(open, null), null), 'healed');
  const explained = { ...WRITTEN, state: 'explained' } as const;
  assert.equal(noticeOf(explained, exceptionMove(explained, null), null), null);
  // Its merchant was notified while it was open.
  const known = { ...explained, wasOpen: true };
  assert.equal(noticeOf(known, exceptionMove(known, null), null), 'healed');
});
