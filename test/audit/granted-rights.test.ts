import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RUNTIME_TABLE_RIGHTS } from '../../src/audit/audit-rights.sql.ts';
import { migrate } from '../../src/platform/migrations/migrations.ts';
import { grantRuntimeRole } from '../../src/platform/postgres/runtime-role.ts';
import { createTestDatabase, runSql } from '../kit/database.ts';
import { databaseSettings, openService } from '../kit/service.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
const DENIED = '42501';

test('a new table is the role’s to use, however many processes start at once', async () => {
  const { address, runtime, drop } = await createTestDatabase({ migrated: true });
  try {
    await runSql(address, 'create table later (a integer generated always as identity, b text)');
    const role = { name: runtime.user, password: null, isOurs: false };
    const grants = Array.from({ length: 4 }, () =>
      migrate(address, MIGRATIONS, () => {}, grantRuntimeRole(role, RUNTIME_TABLE_RIGHTS)),
    );
    await Promise.all(grants);
    assert.deepEqual(await runSql(runtime, `insert into later (b) values ('x') returning a`), [{ a: 1 }]);
    await runSql(runtime, `update later set b = 'y'; delete from later`);
    for (const rewriting of [
      `update fee_tables set rules = '{}'`,
      'update console_hands set hand_id = hand_id',
      'delete from console_hand_givers',
      'delete from movements',
      'delete from transactions',
      'delete from receivable_days',
    ])
      await assert.rejects(runSql(runtime, rewriting), { code: DENIED }, rewriting);
  } finally {
    await drop();
  }
});

test('what a newer version has closed to the role an older one with the owner’s address does not open', async () => {
  const { address, runtime, drop } = await createTestDatabase({ migrated: true });
  const folder = await mkdtemp(join(tmpdir(), 'parcela-older-'));
  const newRole = `${runtime.user}_new`;
  try {
    await runSql(
      address,
      `create table later (a integer); grant select on later to ${runtime.user};
       insert into schema_migrations (number, name, checksum) values (9999, '9999-later.sql', '');
       create role ${newRole} login password 'secret'`,
    );
    const service = await openService({ folder, settings: databaseSettings({ address, runtime }) });
    assert.deepEqual(await service.stop(), []);
    await runSql(runtime, 'select from later');
    await assert.rejects(runSql(runtime, 'delete from later'), { code: DENIED });
    const role = { name: newRole, password: null, isOurs: false };
    await assert.rejects(
      migrate(address, MIGRATIONS, () => {}, grantRuntimeRole(role, RUNTIME_TABLE_RIGHTS)),
      /could not be given its rights: a newer version of Parcela has migrated.*parcela migrate/,
    );
  } finally {
    await drop();
    await runSql({ ...address, database: 'postgres' }, `drop role if exists ${newRole}`);
    await rm(folder, { recursive: true, force: true });
  }
});

test('tables of others in the same schema are not given to the role', async () => {
  const { address, runtime, drop } = await createTestDatabase({ migrated: true });
  const stranger = `${address.database}_stranger`;
  try {
    await runSql(
      address,
      `create role ${stranger}; create table theirs (a integer); alter table theirs owner to ${stranger}`,
    );
    const role = { name: runtime.user, password: null, isOurs: false };
    await migrate(address, MIGRATIONS, () => {}, grantRuntimeRole(role, RUNTIME_TABLE_RIGHTS));
    await assert.rejects(runSql(runtime, 'select from theirs'), { code: DENIED });
  } finally {
    await drop();
    await runSql({ ...address, database: 'postgres' }, `drop role if exists ${stranger}`);
  }
});
