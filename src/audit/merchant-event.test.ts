import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedFields } from './audit-event.ts';

test('of what was changed the entry says how it was and how it is, and nothing of the rest', () => {
  const before = { name: 'Clube', amount: '49.9', trialDays: 0 };
  assert.deepEqual(changedFields(before, { ...before, amount: '59.9', trialDays: 7 }), {
    'amount.old': '49.9',
    'amount.new': '59.9',
    'trialDays.old': 0,
    'trialDays.new': 7,
  });
  assert.deepEqual(changedFields(before, { ...before }), {});
});

test('what was not there before has no former value, and what is gone no new one', () => {
  assert.deepEqual(changedFields({}, { server: 'https://a' }), { 'server.new': 'https://a' });
  assert.deepEqual(changedFields({ server: 'https://a' }, {}), { 'server.old': 'https://a' });
});
