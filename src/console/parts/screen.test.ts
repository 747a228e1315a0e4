import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayUse } from './screen.ts';
import { ROLES } from './user.ts';

const user = (role: (typeof ROLES)[number], merchantId: string | null) => {
  return { userId: '1', name: 'Ana', role, merchantId };
};

test('a screen is for its roles alone', () => {
  const where = { roles: ['finance', 'admin'], of: 'merchant' } as const;
  const may = ROLES.filter((role) => mayUse(where, user(role, 'loja')));
  assert.deepEqual(may, ['finance', 'admin']);
});

test("the operator's screens are not for users of a merchant, whatever their role is", () => {
  const where = { roles: ROLES, of: 'operator' } as const;
  assert.deepEqual(
    ROLES.filter((role) => mayUse(where, user(role, 'loja'))),
    [],
  );
  assert.deepEqual(
    ROLES.filter((role) => mayUse(where, user(role, null))),
    ROLES,
  );
});

test('the operator sees the screens of all merchants', () => {
  assert.equal(mayUse({ roles: ['viewer'], of: 'merchant' }, user('viewer', null)), true);
});
