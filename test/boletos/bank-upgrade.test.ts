import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { BankChange } from '../../src/banks/bank.ts';
import { BANK_CURSORS } from '../../src/boletos/changes/bank-cursors.sql.ts';
import { migrate } from '../../src/platform/migrations/migrations.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { cents } from '../../src/values/cents.ts';
import { type Day, instant } from '../../src/values/instant.ts';
import { createTestDatabase } from '../kit/database.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
/** The last before cursors and changes named their bank. */
const LAST_BEFORE = '0047';

const [OLD_NUMBER, NEW_NUMBER] = ['10000000001', '10000000002'];
const paid = (ourNumber: string, changeId = '7'): BankChange => ({
  changeId,
  merchantId: 'loja',
  ourNumber,
  event: 'paid',
  amount: cents(1_000),
  paidOn: '2026-11-23' as Day,
  creditedOn: null,
  fee: null,
  happenedAt: instant(Date.UTC(2026, 10, 23)),
});

test('cursor and changes of before are of the bank that registered last, and nothing of any is kept twice', async (t) => {
  const place = await createTestDatabase({ migrated: false });
  const client = new pg.Client(place.address);
  await client.connect();
  const folder = await mkdtemp(join(tmpdir(), 'parcela-migrations-'));
  const database = openDatabase(place.address, () => {});
  t.after(async () => {
    await database.close();
    await client.end();
    await place.drop();
    await rm(folder, { recursive: true, force: true });
  });
  for (const name of await readdir(MIGRATIONS))
    if (name.slice(0, 4) <= LAST_BEFORE) await cp(join(MIGRATIONS, name), join(folder, name));
  await migrate(place.address, folder, () => {});
  for (const [ourNumber, bank] of [
    [OLD_NUMBER, '237'],
    [NEW_NUMBER, '341'],
  ])
    await client.query(
      `insert into boletos (merchant_id, boleto_id, account_number, our_number, page_key, state, amount, issued_on, due_on,
         payable_until, instructions, created_by, requested_at, changed_at, bar_code, acts_at)
       values ('loja', gen_random_uuid(), '1', $1, md5($1), 'issued', 1000, '2026-11-01', '2026-11-23', '2026-12-23', '{}', 'loja',
         now(), now(), rpad($2, 44, '0'), now())`,
      [ourNumber, bank],
    );
  await client.query("insert into bank_cursors (merchant_id, cursor) values ('', '7')");
  for (const [changeId, ourNumber] of [
    ['3', OLD_NUMBER],
    ['7', NEW_NUMBER],
  ])
    await client.query(
      `insert into bank_changes (merchant_id, change_id, our_number, event, amount, paid_on, happened_at)
       values ('loja', $1, $2, 'paid', 1000, '2026-11-23', now())`,
      [changeId, ourNumber],
    );
  await migrate(place.address, MIGRATIONS, () => {});

  const keep = async (cursor: string, change: BankChange) => {
    const page = { changes: [change], unreadable: [], hasNews: true, cursor, hasMore: false } as const;
    const open = await BANK_CURSORS.open(database, null);
    const pace = { pauseSeconds: 1, longestQuietFactor: 1 };
    assert.ok(await BANK_CURSORS.keep(database, open, { kind: 'changes', ...page }, pace));
    const { rows } = await client.query(
      'select change_id, our_number from bank_changes order by change_number',
    );
    return rows.map(({ change_id, our_number }) => [change_id, our_number]);
  };
  assert.equal((await BANK_CURSORS.open(database, null)).cursor, '341:7');
  const before = [
    ['3', OLD_NUMBER],
    ['7', NEW_NUMBER],
  ];
  assert.deepEqual(await keep('341:8', paid(NEW_NUMBER)), before);
  // The operator had gone over before: ids of both banks stand without a code.
  const others = [...before, ['341:3', NEW_NUMBER]];
  for (let times = 0; times < 2; times += 1)
    assert.deepEqual(await keep('341:9', paid(NEW_NUMBER, '3')), others);
  assert.deepEqual(await keep('237:1', paid(OLD_NUMBER, '3')), others);
  for (let times = 0; times < 2; times += 1)
    assert.deepEqual(await keep('237:1', paid(OLD_NUMBER)), [...others, ['237:7', OLD_NUMBER]]);
  assert.equal((await BANK_CURSORS.open(database, null)).cursor, '237:1');
});
