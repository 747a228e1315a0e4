import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call } from '../kit/merchant.ts';
import { openVaultService, storedId, type VaultService } from './vault-service.ts';

const VISA = '4111111111111111';

let service: VaultService;

before(async () => {
  service = await openVaultService();
});
after(() => service.close());

const list = (query: Record<string, string> = {}, token = service.token()) =>
  call(service.gatewayUrl, `/v1/vaults/cards?${new URLSearchParams(query)}`, { token });

test('stored cards are listed newest first, each as it is read alone, and to their merchant alone', async () => {
  const ids = [
    await storedId(service),
    await storedId(service, { brand: 'visa' }, VISA),
    await storedId(service),
  ];
  const { body } = await list({ limit: '2' });
  assert.deepEqual([body.total, body.page, body.limit, body.items.length], [3, 1, 2, 2]);
  const alone = await call(service.gatewayUrl, `/v1/vaults/cards/${ids[2]}`, { token: service.token() });
  assert.deepEqual(body.items[0], alone.body);
  const idsOf = async (query: Record<string, string>, token?: string) =>
    (await list(query, token)).body.items.map(({ vaultId }: { vaultId: string }) => vaultId);
  assert.deepEqual(await idsOf({}), ids.toReversed());
  assert.deepEqual(await idsOf({ limit: '2', page: '2' }), [ids[0]]);
  assert.deepEqual(await idsOf({ orderBy: 'vaultId' }), ids);
  assert.deepEqual(await idsOf({ lastFour: '1111' }), [ids[1]]);
  assert.deepEqual(await idsOf({ lastFour: '0001' }), [ids[2], ids[0]]);
  assert.deepEqual(await idsOf({ lastFour: '9999' }), []);
  assert.deepEqual(await idsOf({}, service.foreignToken()), []);
  assert.deepEqual(await idsOf({ lastFour: '1111' }, service.foreignToken()), []);
  await call(service.gatewayUrl, `/v1/vaults/cards/${ids[1]}`, { method: 'DELETE', token: service.token() });
  assert.deepEqual(await idsOf({}), [ids[2], ids[0]]);
});

test('who read a list of cards stands in the audit log', async () => {
  const entriesOf = () =>
    service.auditor.query(
      `select actor, detail from audit_entries where action = 'card.read' and resource = $1`,
      [`merchants/${service.merchantId}/cards`],
    );
  const before = (await entriesOf()).length;
  const { body } = await list({ limit: '1' });
  const entries = await entriesOf();
  assert.equal(entries.length, before + 1);
  const { actor, detail } = entries.at(-1) as { actor: string; detail: string };
  assert.equal(actor, service.userName);
  assert.deepEqual(JSON.parse(detail), { page: 1, cards: body.items.length });
});

test('all that is wrong with the query is named at once', async () => {
  const { status, body } = await list({ lastFour: '12x', page: '0', limit: '101', orderBy: 'brand' });
  assert.equal(status, 400);
  assert.deepEqual(
    body.map(({ tag }: { tag: string }) => tag),
    ['lastFour', 'page', 'limit', 'orderBy'],
  );
});
