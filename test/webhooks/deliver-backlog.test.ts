import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, test } from 'node:test';
import { until } from '../kit/service.ts';
import {
  type DeliverySetup,
  type MerchantSystem,
  openDeliverySetup,
  openMerchantSystem,
} from './delivery-setup.ts';

/** Enough that reading all that waits for each of them differs from reading a few. */
const BACKLOG = 1_500;
/**
 * Looked at, locked, leased, and locked and written when it is recorded: about seven, and up to thirty where
 * a quick process claims few at a time. All that wait would be hundreds.
 */
const MOST_ROWS_READ_EACH = 60;

let service: DeliverySetup;
let system: MerchantSystem;

beforeEach(async () => {
  service = await openDeliverySetup();
  system = await openMerchantSystem();
  await service.register('1', system.url);
});

afterEach(async () => {
  await service.close();
  await system.close();
});

/**
 * In one commit that lets nobody plan in its middle. Planned over some two hundred rows and never analyzed,
 * it would read all of a merchant's; such a table is analyzed within seconds, and this test asks what
 * becomes of plans of before.
 */
async function writeBacklog(count: number): Promise<void> {
  await service.auditor.query(
    `begin; lock table deliveries in access exclusive mode;
     insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, transaction_id, installment_number,
       body, due_at, scheduled_at)
     select merchant_id, nextval('movement_ids'), kind, endpoint, account_number, gen_random_uuid(), 1, body, now(), now()
     from deliveries, generate_series(1, ${count}); commit`,
  );
}

/** Reported by the receiving system, since looking into the table would count among what is read of it. */
async function untilReceived(count: number): Promise<void> {
  await until('all has come', async () => system.received.length >= count, 90_000);
}

/** Rows of deliveries that were read through any index. Connections tell what they did when they end. */
async function rowsRead(updates: number): Promise<number> {
  return until('the statistics are told', async () => {
    const [row] = await service.auditor.query(
      `select n_tup_upd::integer as updates, idx_tup_fetch::integer as rows from pg_stat_user_tables
       where relname = 'deliveries'`,
    );
    return (row?.updates as number) >= updates && (row?.rows as number);
  });
}

async function readByIndex(): Promise<string> {
  const indexes = await service.auditor.query(
    `select indexrelname as name, idx_scan::integer as scans, idx_tup_fetch::integer as rows
     from pg_stat_user_indexes where relname = 'deliveries' order by idx_tup_fetch desc`,
  );
  return indexes.map(({ name, scans, rows }) => `${name} ${scans} times, ${rows} rows`).join('; ');
}

test('a process that began before anything was ever notified works off a backlog as well as one that begins later', async () => {
  const engine = service.startEngine();
  await service.write([{ transactionId: randomUUID() }]);
  await untilReceived(1);
  await writeBacklog(BACKLOG);
  await untilReceived(1 + BACKLOG);
  await engine.stop();
  const rows = await rowsRead(2 * BACKLOG);
  const reported = `${rows} rows were read for ${BACKLOG} deliveries: ${await readByIndex()}`;
  assert.ok(rows < BACKLOG * MOST_ROWS_READ_EACH, reported);
});
