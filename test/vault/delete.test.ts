import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call, tokenize } from '../client.ts';
import { insertPlan } from '../recurrence/recurrence-house.ts';
import {
  BESIDE,
  countOf,
  deleteCard,
  openVaultHouse,
  payBy,
  readCard,
  storeBy,
  storedId,
  type VaultHouse,
} from './vault-house.ts';

let house: VaultHouse;
before(async () => {
  house = await openVaultHouse();
});
after(() => house.close());

const rowsOf = (vaultId: string) =>
  countOf(house, 'select count(*) from vault_cards where vault_id = $1', [vaultId]);
const toldOf = (action: string, vaultId: string) =>
  countOf(house, `select count(*) from audit_entries where action = $1 and resource like '%' || $2`, [
    action,
    vaultId,
  ]);

test('a deleted card is gone for good: it is not found, not deleted twice, not charged', async () => {
  const vaultId = await storedId(house);
  const gone = await deleteCard(house, vaultId);
  assert.deepEqual([gone.status, gone.body], [200, { vaultId }]);
  assert.equal(await rowsOf(vaultId), 0);
  const again = await deleteCard(house, vaultId);
  const read = await readCard(house, vaultId);
  assert.deepEqual([again.status, read.status], [404, 404]);
  const paid = await payBy(house, { vaultId });
  assert.deepEqual([paid.status, paid.body[0].tag], [400, 'cardInfo.vaultId']);
  assert.equal(await toldOf('card.delete', vaultId), 1);
});

test('the token of a deleted card stays used up', async () => {
  const numberToken = await tokenize(house.service().gatewayUrl, house.token());
  const stored = await storeBy(house, { numberToken, ...BESIDE });
  assert.equal((await deleteCard(house, stored.body.vaultId)).status, 200);
  assert.equal((await storeBy(house, { numberToken, ...BESIDE })).status, 400);
});

test('a deletion may come with an empty JSON body', async () => {
  for (const raw of ['', '{}']) {
    const vaultId = await storedId(house);
    const reply = await call(house.service().gatewayUrl, `/v1/vaults/cards/${vaultId}`, {
      method: 'DELETE',
      token: house.token(),
      raw,
    });
    assert.equal(reply.status, 200, reply.text);
  }
});

test("unknown, malformed and another merchant's cards are not found, all alike, and stay", async () => {
  const vaultId = await storedId(house);
  const absent = await deleteCard(house, randomUUID());
  const malformed = await deleteCard(house, 'not-an-id');
  const foreign = await deleteCard(house, vaultId, house.foreignToken());
  assert.deepEqual([absent.status, malformed.status, foreign.status], [404, 404, 404]);
  assert.equal(new Set([absent.text, malformed.text, foreign.text]).size, 1);
  assert.equal(await rowsOf(vaultId), 1);
  assert.equal(await toldOf('card.delete', vaultId), 0);
});

test('of twenty deletions of one card at once, one succeeds', async () => {
  const vaultId = await storedId(house);
  const replies = await Promise.all(Array.from({ length: 20 }, () => deleteCard(house, vaultId)));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  assert.equal(replies.filter(({ status }) => status === 404).length, 19);
  assert.equal(await toldOf('card.delete', vaultId), 1);
});

test('a card stays while a subscription that is active or blocked is paid with it', async () => {
  const vaultId = await storedId(house);
  const { auditor, merchantId } = house;
  const planId = await insertPlan({ auditor, merchantId });
  const subscriptionId = randomUUID();
  await auditor.query(
    `insert into subscriptions (merchant_id, subscription_id, plan_id, vault_id, order_number, account_number, state, amount,
       plan_type, trial_days, interval_days, installments, attempts, first_due_on, created_by, created_at)
     values ($1, $2, $3, $4, 'P-1001', '1', 'active', 49.9, 'monthly', 0, 30, 0, 0, '2026-01-01', 'loja-01', now())`,
    [merchantId, subscriptionId, planId, vaultId],
  );
  for (const set of [`state = 'blocked', reason = 'cardCanceled'`, `state = 'canceled', reason = 'user'`]) {
    const refused = await deleteCard(house, vaultId);
    assert.deepEqual([refused.status, refused.body[0].tag], [409, 'vaultId']);
    await auditor.query(`update subscriptions set ${set} where subscription_id = $1`, [subscriptionId]);
  }
  assert.equal(await toldOf('card.delete', vaultId), 0);
  assert.equal((await deleteCard(house, vaultId)).status, 200);
  assert.equal(await toldOf('card.delete', vaultId), 1);
});

test('a deletion whose connection to the database breaks at the commit is told as done', async () => {
  const vaultId = await storedId(house);
  house.proxy.cutAfter('commit');
  assert.equal((await deleteCard(house, vaultId)).status, 200);
  assert.equal(await rowsOf(vaultId), 0);
  assert.equal(await toldOf('card.delete', vaultId), 1);
});

test('the audit log tells of every reading that found a card', async () => {
  const vaultId = await storedId(house);
  await readCard(house, vaultId);
  await readCard(house, vaultId);
  await readCard(house, vaultId, house.foreignToken());
  assert.equal(await toldOf('card.read', vaultId), 2);
});

test('what the audit log cannot tell is not done: no card is stored, shown or deleted', async () => {
  const vaultId = await storedId(house);
  const before = await countOf(house, 'select count(*) from vault_cards');
  await house.auditor.query('alter table audit_entries rename to audit_entries_away');
  try {
    const numberToken = await tokenize(house.service().gatewayUrl, house.token());
    const replies = await Promise.all([
      storeBy(house, { numberToken, ...BESIDE }).catch(() => null),
      readCard(house, vaultId).catch(() => null),
      deleteCard(house, vaultId).catch(() => null),
    ]);
    for (const reply of replies) assert.ok(reply === null || reply.status >= 500, String(reply?.status));
    assert.equal(await countOf(house, 'select count(*) from vault_cards'), before);
  } finally {
    await house.auditor.query('alter table audit_entries_away rename to audit_entries');
  }
  assert.equal((await deleteCard(house, vaultId)).status, 200);
});
