import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { shortReference } from '../../src/providers/acquirers/short-reference.ts';
import { createTestDatabase } from '../kit/database.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { databaseSettings, type OpenedService, openAuditor, openService } from '../kit/service.ts';
import { idOf } from './acquirer-service.ts';

test('with PARCELA_ACQUIRER the demo merchant sells by a simulated acquirer, and without it as before', async (t) => {
  const database = await createTestDatabase({ migrated: true });
  const folder = await mkdtemp(join(tmpdir(), 'parcela-demo-acquirer-'));
  const auditor = openAuditor(database.address);
  t.after(async () => {
    await auditor.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Who got a payment of one start, and how many charges are booked there. */
  async function payOnce(adapter: 'rede' | 'cielo' | null) {
    const own = adapter === null ? {} : { PARCELA_ACQUIRER: adapter };
    const service = await openService({ folder, settings: { ...databaseSettings(database), ...own } });
    try {
      const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
      await visitShop(service);
      const { reply } = await pay(service.gatewayUrl, token, 12_300);
      assert.equal(reply.status, 200, reply.text);
      const [row] = await auditor.query(
        `select t.acquirer, p.url, p.adapter from transactions t left join providers p on p.name = t.acquirer
          where t.transaction_id = $1`,
        [idOf(reply)],
      );
      assert.ok(row);
      const books = `${row.url}/simulator/ledger?reference=${shortReference(idOf(reply))}`;
      const told = row.url === null ? null : ((await (await fetch(books)).json()) as { items: object[] });
      return { acquirer: row.acquirer, adapter: row.adapter, booked: told?.items.length ?? null };
    } finally {
      await service.stop();
    }
  }

  const ofRede = { acquirer: 'simulated-rede', adapter: 'rede', booked: 1 };
  assert.deepEqual(await payOnce('rede'), ofRede);
  // Its address is another one after a restart.
  assert.deepEqual(await payOnce('rede'), ofRede);
  assert.deepEqual(await payOnce('cielo'), { acquirer: 'simulated-cielo', adapter: 'cielo', booked: 1 });
  assert.deepEqual(await payOnce(null), { acquirer: 'default', adapter: null, booked: null });
  const secrets = await auditor.query('select previous_valid_until from webhook_secrets');
  assert.deepEqual(secrets, [{ previous_valid_until: null }], 'the demo shop made one at its first start');
});

/** Of the demo merchant; it registers its address, which is removed again. */
async function visitShop({ gatewayUrl, integrationUrl, demo }: OpenedService): Promise<void> {
  const shown = await fetch(`${gatewayUrl}/demo/notifications`);
  assert.doesNotMatch(await shown.text(), /class="notice"/);
  const { integration, accountNumber } = await demo();
  const token = await logIn(integrationUrl, integration, '/api/authentication/login');
  const path = `/api/webhooks/subscriptions?accountNumber=${accountNumber}`;
  assert.equal((await call(integrationUrl, path, { token, method: 'DELETE' })).status, 200);
}
