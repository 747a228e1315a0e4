import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { testedCardsRead } from '../../src/antifraud/tested-cards.sql.ts';
import { SUBJECTS } from '../../src/antifraud/velocity.ts';
import { countsRead } from '../../src/antifraud/velocity-events.sql.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { createTestDatabase } from '../kit/database.ts';
import { openAuditor, until } from '../kit/service.ts';

const TRIES_OF_THE_DAY = 20_000;
/** The newest 500 of the merchant and what the card itself has; every other subject was never seen. */
const MOST_ROWS_READ_EACH = 510;
const SALES = 20;

for (const countsCards of [true, false]) {
  test(`a process that began with an empty table counts a sale without looking through the merchant's day (${countsCards})`, async () => {
    const testDatabase = await createTestDatabase({ migrated: true });
    const auditor = openAuditor(testDatabase.address);
    try {
      const database = openDatabase(testDatabase.address, () => {});
      const { read } = countsRead(database, countsCards);
      const key = () => ({
        merchantId: 'LOJA',
        prints: SUBJECTS.map((subject) => ({
          subject,
          print: subject === 'merchant' ? null : randomBytes(32),
        })),
      });
      await read([key()]);
      await auditor.query(
        `insert into velocity_events (merchant_id, transaction_id, card_fingerprint, document_fingerprint, address_fingerprint, device_fingerprint,
           attempted_at)
         select 'LOJA', gen_random_uuid(), sha256(n::text::bytea), sha256(n::text::bytea), sha256(n::text::bytea),
           sha256(n::text::bytea), now() - n * interval '1 second'
         from generate_series(1, $1) n`,
        [TRIES_OF_THE_DAY],
      );
      for (let sale = 0; sale < SALES; sale += 1) await read([key()]);
      await database.close();
      const rows = await until('the statistics are told', async () => {
        const [row] = await auditor.query(
          `select idx_tup_fetch::integer as rows from pg_stat_user_tables where relname = 'velocity_events'`,
        );
        return row?.rows as number;
      });
      assert.ok(rows <= SALES * MOST_ROWS_READ_EACH, `${rows} rows were read for ${SALES} sales`);
    } finally {
      await auditor.close();
      await testDatabase.drop();
    }
  });
}

/** Of an hour and of the day before it. */
const MOST_TRIES_READ_EACH = 2_000;
const LOOKS = 3;

test('a look for tested cards reads new cards alone, however many stored ones a merchant has charged', async () => {
  const testDatabase = await createTestDatabase({ migrated: true });
  const auditor = openAuditor(testDatabase.address);
  try {
    const database = openDatabase(testDatabase.address, () => {});
    const { read } = testedCardsRead(database);
    await read([{ merchantId: 'LOJA' }]);
    await auditor.query(
      `insert into velocity_events (merchant_id, transaction_id, card_fingerprint, is_stored, is_verification, attempted_at)
       select 'LOJA', gen_random_uuid(), sha256(n::text::bytea), n % 20 > 1, n % 20 = 1, now() - n * interval '1 second'
       from generate_series(1, $1) n`,
      [TRIES_OF_THE_DAY],
    );
    for (let look = 0; look < LOOKS; look += 1) await read([{ merchantId: 'LOJA' }]);
    await database.close();
    const rows = await until('the statistics are told', async () => {
      const [row] = await auditor.query(
        `select idx_tup_fetch::integer as rows from pg_stat_user_tables where relname = 'velocity_events'`,
      );
      return row?.rows as number;
    });
    assert.ok(rows <= LOOKS * MOST_TRIES_READ_EACH, `${rows} rows were read for ${LOOKS} looks`);
  } finally {
    await auditor.close();
    await testDatabase.drop();
  }
});
