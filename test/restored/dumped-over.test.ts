import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestDatabase, runSql } from '../kit/database.ts';
import { databaseSettings, openService } from '../kit/service.ts';

/**
 * As a dump is restored over its own database: each table is dropped, made anew, and filled with
 * what it had.
 */
const RESTORE_STAMP = `
  create table kept as table database_stamp;
  drop table database_stamp;
  create table database_stamp (like kept including all, primary key (only_row));
  alter table database_stamp alter only_row set default true;
  insert into database_stamp table kept;
  drop table kept`;

test('a dump that was restored over its own database does not act', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-dumped-'));
  const database = await createTestDatabase({ migrated: true });
  const start = () => openService({ folder, settings: databaseSettings(database) });
  const ready = async ({ gatewayUrl }: { readonly gatewayUrl: string }) => {
    const answer = await fetch(new URL('/health/ready', gatewayUrl));
    return [answer.status, ((await answer.json()) as { reason?: string }).reason ?? null];
  };
  try {
    const first = await start();
    assert.deepEqual(await ready(first), [200, null]);
    await first.stop();
    const again = await start();
    assert.deepEqual(await ready(again), [200, null], 'what was only stopped goes on');
    await again.stop();
    await runSql(database.address, RESTORE_STAMP);
    const restored = await start();
    assert.deepEqual(await ready(restored), [503, 'restored']);
    await restored.stop();
  } finally {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
