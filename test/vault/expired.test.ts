import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { insertPlan } from '../recurrence/recurrence-service.ts';
import { countOf, openVaultService, storedId, type VaultService } from './vault-service.ts';

let service: VaultService;
before(async () => {
  service = await openVaultService();
});
after(() => service.close());

const DAYS = '30';
const rowsOf = (vaultId: string) =>
  countOf(service, 'select count(*) from vault_cards where vault_id = $1', [vaultId]);

/** The month of the day that lies so many days back, and so many months before that. */
const expire = (vaultId: string, days: number, months: number) =>
  service.auditor.query(
    `update vault_cards set expiration_year = to_char(m, 'YY'), expiration_month = to_char(m, 'MM')
     from (select date_trunc('month', (now() at time zone 'America/Sao_Paulo') - $2 * interval '1 day')
       - $3 * interval '1 month' as m) s where vault_id = $1`,
    [vaultId, days, months],
  );

const copies = (vaultId: string, count: number) =>
  service.auditor.query(
    `insert into vault_cards select (jsonb_populate_record(v, jsonb_build_object('vault_id', gen_random_uuid()))).*
     from vault_cards v, generate_series(1, $2) where v.vault_id = $1`,
    [vaultId, count],
  );

async function subscribe(vaultId: string, state: string, reason: string | null): Promise<void> {
  const { auditor, merchantId } = service;
  const planId = await insertPlan({ auditor, merchantId });
  await auditor.query(
    `insert into subscriptions (merchant_id, subscription_id, plan_id, vault_id, order_number, account_number, state,
       reason, amount, plan_type, trial_days, interval_days, installments, max_retries, first_due_on, created_by, created_at)
     values ($1, $2, $3, $4, 'P-1001', '1', $5, $6, 49.9, 'monthly', 0, 30, 0, 0, '2026-01-01', 'loja-01', now())`,
    [merchantId, randomUUID(), planId, vaultId, state, reason],
  );
}

test('stored cards that expired long ago go, more than one commit takes; used and younger ones stay', async () => {
  const names = ['gone', 'young', 'good', 'active', 'blocked', 'canceled'] as const;
  const ids = new Map<string, string>();
  for (const name of names) ids.set(name, await storedId(service));
  const idOf = (name: (typeof names)[number]) => ids.get(name) as string;
  // Those that are used expired first: whoever looks through them must not stop there.
  for (const name of ['active', 'blocked'] as const) {
    await expire(idOf(name), 30, 12);
    await subscribe(idOf(name), name, name === 'blocked' ? 'cardCanceled' : null);
  }
  await expire(idOf('canceled'), 30, 2);
  await subscribe(idOf('canceled'), 'canceled', 'user');
  await expire(idOf('young'), 30, 0);
  await expire(idOf('gone'), 30, 1);
  await copies(idOf('gone'), 120);
  const beside = await service.startBeside({ PARCELA_EXPIRED_CARD_RETENTION_DAYS: DAYS });
  try {
    await until('the old ones are gone', async () =>
      /^parcela_expired_cards_deleted_total 122$/m.test(await (await fetch(beside.metricsUrl)).text()),
    );
  } finally {
    await beside.stop();
  }
  const left = await Promise.all(names.map(async (name) => [name, await rowsOf(idOf(name))]));
  assert.deepEqual(Object.fromEntries(left), {
    gone: 0,
    young: 1,
    good: 1,
    active: 1,
    blocked: 1,
    canceled: 0,
  });
  assert.equal(await countOf(service, 'select count(*) from vault_cards'), 4);
  const entries = await service.auditor.query(
    `select actor, detail from audit_entries where action = 'card.delete'`,
  );
  assert.equal(entries.length, 122);
  for (const { actor, detail } of entries)
    assert.deepEqual([actor, detail], ['system', '{"reason":"expired"}']);
});

test('a card that somebody is about to use is left for the next look, and without the setting none goes', async () => {
  const vaultId = await storedId(service);
  const other = await storedId(service);
  for (const id of [vaultId, other]) await expire(id, 30, 3);
  const holder = await service.connect();
  await holder.query('begin');
  await holder.query('select from vault_cards where vault_id = $1 for share', [vaultId]);
  const beside = await service.startBeside({ PARCELA_EXPIRED_CARD_RETENTION_DAYS: DAYS });
  try {
    await until('the free one is gone', async () => (await rowsOf(other)) === 0);
    assert.equal(await rowsOf(vaultId), 1);
  } finally {
    await holder.end();
    await beside.stop();
  }
  const read = await call(service.gatewayUrl, `/v1/vaults/cards/${vaultId}`, { token: service.token() });
  assert.deepEqual([read.status, read.body.status], [200, 'Expired']);
});
