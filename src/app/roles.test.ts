import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLOCKED_KINDS } from '../platform/work/due-work.ts';
import { readConfiguration } from './config.ts';
import { isRunBy, ROLES, type Role, readRoles } from './roles.ts';

const WORKS = ['followFees', 'forgetOldKeys', 'chargeDueBillings', 'deliverDue', 'matchFiles'];
const runBy = (roles: readonly Role[], names: readonly string[]) =>
  names.filter((name) => isRunBy(roles, { name }));

test('a process runs the works of its roles, and what it needs itself', () => {
  assert.deepEqual(runBy(ROLES, WORKS), WORKS);
  assert.deepEqual(runBy(['http'], WORKS), ['followFees', 'forgetOldKeys']);
  assert.deepEqual(runBy(['charging', 'webhooks'], WORKS), ['followFees', 'chargeDueBillings', 'deliverDue']);
});

test('a jump of a clock runs what is of the roles of its process', () => {
  assert.deepEqual(runBy(ROLES, CLOCKED_KINDS), [...CLOCKED_KINDS]);
  assert.deepEqual(runBy(['http', 'reconciliation'], CLOCKED_KINDS), []);
  assert.deepEqual(runBy(['charging'], CLOCKED_KINDS), ['billings', 'notices']);
});

test('a work that nobody gave a role is noticed at the start', () => {
  assert.throws(() => isRunBy(ROLES, { name: 'sweepTheFloor' }), /sweepTheFloor has no role/);
});

test('roles are read in any order, and what is none is named', () => {
  assert.deepEqual(readRoles(' webhooks , http,,'), ['http', 'webhooks']);
  assert.match(String(readRoles('http, paying,mopping')), /^must be some of .*, not "paying", "mopping"$/);
  assert.equal(readRoles(' ,'), 'names no role');
});

test('every setting is checked, whatever the roles are and whatever else is wrong', () => {
  const settings = { PARCELA_ROLES: ',', PARCELA_CHARGES_AT_ONCE: 'many' };
  assert.throws(() => readConfiguration(settings), /PARCELA_ROLES: names no role/);
  assert.throws(
    () => readConfiguration({ ...settings, PARCELA_ROLES: 'http' }),
    /^ConfigurationFault: PARCELA_CHARGES_AT_ONCE: must be a whole number from 0 to 1000, not "many"$/,
  );
});
