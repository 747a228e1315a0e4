import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DueLoader, openDueLoader } from '../../bench/charging/load-due.ts';
import { createLogin } from '../../bench/recurrence/load-enrolments.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { NO_WINDOW } from '../../src/recurrence/collection/day-window.ts';
import { FIRST_DUE_PLACE, findDueBillings } from '../../src/recurrence/collection/due-billings.sql.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { type AuditedTools, auditedTools } from '../kit/keys.ts';
import { call, logIn } from '../kit/merchant.ts';
import { openTestService, until } from '../kit/service.ts';

const MERCHANTS = 3;
const DUE = 30;
const AHEAD = 60;
const PAID_BEFORE = 2;

type Loaded = { readonly database: Database; readonly tools: AuditedTools; readonly loader: DueLoader };

async function openLoaded(address: TestDatabase['address'], now: number): Promise<Loaded> {
  const database = openDatabase(address, () => {});
  const tools = await auditedTools(database);
  const loader = await openDueLoader({ ...tools, address }, 'assinaturas', MERCHANTS);
  await loader.load({ now, due: DUE, ahead: AHEAD, paidBefore: PAID_BEFORE });
  return { database, tools, loader };
}

let plain: TestDatabase;
before(async () => {
  plain = await createTestDatabase({ migrated: true });
});
after(() => plain.drop());

test('as many billings are found as are loaded as due, of all merchants alike', async () => {
  const { database, loader } = await openLoaded(plain.address, Date.now());
  try {
    const request = { window: NO_WINDOW, inHand: [], fromTurn: 0, limit: 1_000 };
    const { billings, next } = await findDueBillings(database, request, FIRST_DUE_PLACE);
    assert.equal(next, null);
    assert.equal(new Set(billings.map(({ billingId }) => billingId)).size, DUE);
    for (const merchantId of loader.merchantIds) {
      assert.equal(billings.filter((billing) => billing.merchantId === merchantId).length, DUE / MERCHANTS);
    }
  } finally {
    await loader.close();
    await database.close();
  }
});

test('a service charges each of them once and opens the next, and leaves those ahead alone', async () => {
  const service = await openTestService();
  const { address } = service.database;
  const { database, tools, loader } = await openLoaded(address, Date.now());
  try {
    for (const merchantId of loader.merchantIds) {
      const token = await logIn(service.gatewayUrl, await createLogin(tools, { merchantId }));
      const total = async (status: string) =>
        (await call(service.gatewayUrl, `/v1/recurrences/billing?status=${status}`, { token })).body.total;
      const before = ((DUE + AHEAD) / MERCHANTS) * PAID_BEFORE;
      await until(
        'what is due is paid',
        async () => (await total('Paid')) === before + DUE / MERCHANTS,
        60_000,
      );
      assert.equal(await total('Opened'), (DUE + AHEAD) / MERCHANTS);
    }
    const charged = await service.auditor.query(
      `select count(*)::int as charges, count(distinct reference_transaction)::int as billings from transactions
       where merchant_id = any($1) and state = 'approved'`,
      [loader.merchantIds],
    );
    assert.deepEqual(charged, [{ charges: DUE, billings: DUE }]);
  } finally {
    await loader.close();
    await database.close();
    await service.close();
  }
});
