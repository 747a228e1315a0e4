import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everySoOften } from '../platform/work/every-so-often.ts';
import { ROLES, readRoles, worksOf } from './roles.ts';

const works = ['followFees', 'forgetOldKeys', 'chargeDueBillings', 'deliverDue', 'matchFiles'].map((name) =>
  everySoOften(name, 1_000, async () => {}),
);
const namesFor = (roles: Parameters<typeof worksOf>[0]) => worksOf(roles, works).map(({ name }) => name);

test('a process runs the works of its roles, and what it needs itself', () => {
  assert.deepEqual(
    namesFor(ROLES),
    works.map(({ name }) => name),
  );
  assert.deepEqual(namesFor(['http']), ['followFees', 'forgetOldKeys']);
  assert.deepEqual(namesFor(['charging', 'webhooks']), ['followFees', 'chargeDueBillings', 'deliverDue']);
});

test('a work that nobody gave a role is noticed at the start', () => {
  const lost = everySoOften('sweepTheFloor', 1_000, async () => {});
  assert.throws(() => worksOf(ROLES, [lost]), /sweepTheFloor has no role/);
});

test('roles are read in any order, and what is none is named', () => {
  const unknown: string[] = [];
  assert.deepEqual(
    readRoles(' webhooks , http,, paying', (word) => unknown.push(word)),
    ['http', 'webhooks'],
  );
  assert.deepEqual(unknown, ['paying']);
});
