import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call, tokenize } from '../kit/merchant.ts';
import { insertPlan } from '../recurrence/recurrence-service.ts';
import {
  BESIDE,
  countOf,
  deleteCard,
  openVaultService,
  payBy,
  readCard,
  storeBy,
  storedId,
  type VaultService,
} from './vault-service.ts';

let service: VaultService;
before(async () => {
  service = await openVaultService();
});
after(() => service.close());

const rowsOf = (vaultId: string) =>
  countOf(service, 'select count(*) from vault_cards where vault_id = $1', [vaultId]);
const reportedOf = (action: string, vaultId: string) =>
  countOf(service, `select count(*) from audit_entries where action = $1 and resource like '%' || $2`, [
    action,
    vaultId,
  ]);

test('a deleted card is gone for good: it is not found, not deleted twice, not charged', async () => {
  const vaultId = await storedId(service);
  const gone = await deleteCard(service, vaultId);
  assert.deepEqual([gone.status, gone.body], [200, { vaultId }]);
  assert.equal(await rowsOf(vaultId), 0);
  const again = await deleteCard(service, vaultId);
  const read = await readCard(service, vaultId);
  assert.deepEqual([again.status, read.status], [404, 404]);
  const paid = await payBy(service, { vaultId });
  assert.deepEqual([paid.status, paid.body[0].tag], [400, 'cardInfo.vaultId']);
  assert.equal(await reportedOf('card.delete', vaultId), 1);
});

test('the token of a deleted card stays used up', async () => {
  const numberToken = await tokenize(service.gatewayUrl, service.token());
  const stored = await storeBy(service, { numberToken, ...BESIDE });
  assert.equal((await deleteCard(service, stored.body.vaultId)).status, 200);
  assert.equal((await storeBy(service, { numberToken, ...BESIDE })).status, 400);
});

test('a deletion may come with an empty JSON body', async () => {
  for (const raw of ['', '{}']) {
    const vaultId = await storedId(service);
    const reply = await call(service.gatewayUrl, `/v1/vaults/cards/${vaultId}`, {
      method: 'DELETE',
      token: service.token(),
      raw,
    });
    assert.equal(reply.status, 200, reply.text);
  }
});

test("unknown, malformed and another merchant's cards are not found, all alike, and stay", async () => {
  const vaultId = await storedId(service);
  const absent = await deleteCard(service, randomUUID());
  const malformed = await deleteCard(service, 'not-an-id');
  const foreign = await deleteCard(service, vaultId, service.foreignToken());
  assert.deepEqual([absent.status, malformed.status, foreign.status], [404, 404, 404]);
  assert.equal(new Set([absent.text, malformed.text, foreign.text]).size, 1);
  assert.equal(await rowsOf(vaultId), 1);
  assert.equal(await reportedOf('card.delete', vaultId), 0);
});

test('of twenty deletions of one card at once, one succeeds', async () => {
  const vaultId = await storedId(service);
  const replies = await Promise.all(Array.from({ length: 20 }, () => deleteCard(service, vaultId)));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  assert.equal(replies.filter(({ status }) => status === 404).length, 19);
  assert.equal(await reportedOf('card.delete', vaultId), 1);
});

test('a card stays while a subscription that is active or blocked is paid with it', async () => {
  const vaultId = await storedId(service);
  const { auditor, merchantId } = service;
  const planId = await insertPlan({ auditor, merchantId });
  const subscriptionId = randomUUID();
  await auditor.query(
    `insert into subscriptions (merchant_id, subscription_id, plan_id, vault_id, order_number, account_number, state, amount,
       plan_type, trial_days, interval_days, installments, max_retries, first_due_on, created_by, created_at)
     values ($1, $2, $3, $4, 'P-1001', '1', 'active', 49.9, 'monthly', 0, 30, 0, 0, '2026-01-01', 'loja-01', now())`,
    [merchantId, subscriptionId, planId, vaultId],
  );
  for (const set of [`state = 'blocked', reason = 'cardCanceled'`, `state = 'canceled', reason = 'user'`]) {
    const refused = await deleteCard(service, vaultId);
    assert.deepEqual([refused.status, refused.body[0].tag], [409, 'vaultId']);
    await auditor.query(`update subscriptions set ${set} where subscription_id = $1`, [subscriptionId]);
  }
  assert.equal(await reportedOf('card.delete', vaultId), 0);
  assert.equal((await deleteCard(service, vaultId)).status, 200);
  assert.equal(await reportedOf('card.delete', vaultId), 1);
});

test('a deletion whose connection to the database breaks at the commit is answered as done', async () => {
  const vaultId = await storedId(service);
  service.proxy.cutAfter('commit');
  assert.equal((await deleteCard(service, vaultId)).status, 200);
  assert.equal(await rowsOf(vaultId), 0);
  assert.equal(await reportedOf('card.delete', vaultId), 1);
});

test('the audit log records every reading that found a card', async () => {
  const vaultId = await storedId(service);
  await readCard(service, vaultId);
  await readCard(service, vaultId);
  await readCard(service, vaultId, service.foreignToken());
  assert.equal(await reportedOf('card.read', vaultId), 2);
});

test('what the audit log cannot record is not done: no card is stored, shown or deleted', async () => {
  const vaultId = await storedId(service);
  const before = await countOf(service, 'select count(*) from vault_cards');
  await service.auditor.query('alter table audit_entries rename to audit_entries_away');
  try {
    const numberToken = await tokenize(service.gatewayUrl, service.token());
    const replies = await Promise.all([
      storeBy(service, { numberToken, ...BESIDE }).catch(() => null),
      readCard(service, vaultId).catch(() => null),
      deleteCard(service, vaultId).catch(() => null),
    ]);
    for (const reply of replies) assert.ok(reply === null || reply.status >= 500, String(reply?.status));
    assert.equal(await countOf(service, 'select count(*) from vault_cards'), before);
  } finally {
    await service.auditor.query('alter table audit_entries_away rename to audit_entries');
  }
  assert.equal((await deleteCard(service, vaultId)).status, 200);
});
