import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import {
  clearChargebackMark,
  findUnprocessedChargeback,
  listUnprocessedChargebacks,
} from '../../src/transactions/changes/chargebacks.sql.ts';
import { markVoidSent } from '../../src/transactions/methods/card/resolutions.sql.ts';
import { listUnresolved } from '../../src/transactions/unresolved/unresolved.sql.ts';
import { createTestDatabase } from '../kit/database.ts';
import { type Auditor, openAuditor, until } from '../kit/service.ts';

const TRANSACTIONS = 20_000;
const LOOKS = 20;
/** Rows of an index that was not vacuumed yet, and the row itself. */
const MOST_ROWS_EACH = 10;
const MERCHANT = 'LOJA';

/** Everything that looks for what became of a billing's charge. */
async function look(database: Database, transactionId: string): Promise<void> {
  const key = { merchantId: MERCHANT, transactionId };
  await listUnprocessedChargebacks(database, 10);
  await findUnprocessedChargeback(database, MERCHANT);
  await database.transaction((tx) => clearChargebackMark(tx, MERCHANT, transactionId));
  await markVoidSent(database, { ...key, fence: 7 }, false);
  await listUnresolved(database, { merchantId: null, olderThanMinutes: 0 }, 10);
}

async function fill(auditor: Auditor): Promise<void> {
  await auditor.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at, decided_at,
       authorization_code, nsu)
     select $1, gen_random_uuid(), '1', 'billing', 'approved', 100, 1, n::text, 'visa', '411111', '1111', '\\x00', 'system',
       now(), now(), 'A', n::text
     from generate_series(1, $2) n`,
    [MERCHANT, TRANSACTIONS],
  );
}

test('a process that began with an empty table finds a billing’s charge without looking through the others', async () => {
  const testDatabase = await createTestDatabase({ migrated: true });
  const auditor = openAuditor(testDatabase.address);
  try {
    const database = openDatabase(testDatabase.address, () => {});
    await look(database, randomUUID());
    await fill(auditor);
    const ids = await auditor.query('select transaction_id::text as id from transactions limit $1', [LOOKS]);
    // Only what the process itself reads from here on counts.
    const before = await rowsRead(auditor, TRANSACTIONS);
    for (const { id } of ids) await look(database, id as string);
    await database.close();
    const read = (await rowsRead(auditor, before + 1)) - before;
    assert.ok(read <= LOOKS * MOST_ROWS_EACH, `${read} rows were read in ${LOOKS} looks`);
  } finally {
    await auditor.close();
    await testDatabase.drop();
  }
});

/** Rows of `transactions` that were read or written by any way so far, once they are at least so many. */
function rowsRead(auditor: Auditor, atLeast: number): Promise<number> {
  return until('the statistics are told', async () => {
    const [row] = await auditor.query(
      `select (idx_tup_fetch + seq_tup_read + n_tup_ins)::integer as rows from pg_stat_user_tables
       where relname = 'transactions'`,
    );
    const rows = (row?.rows ?? 0) as number;
    return rows >= atLeast && rows;
  });
}
