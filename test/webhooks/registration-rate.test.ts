import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HostileService, openHostileService, type Shop } from '../hostile/hostile-service.ts';
import { call, type Reply } from '../kit/merchant.ts';

/** Each registration looks a name up and is audited: a merchant has so many a minute. */

let service: HostileService;
before(async () => {
  service = await openHostileService({ PARCELA_REGISTRATIONS_PER_MINUTE: '1' });
});
after(() => service.close());

function registerWebhook(shop: Shop, headers = {}): Promise<Reply> {
  const path = `/api/webhooks/subscriptions?accountNumber=${shop.accountNumber}`;
  const body = { url: `${shop.listenerUrl}/` };
  return call(shop.url, path, { token: shop.tokens.integration, body, headers });
}

function registerAlertEndpoint(shop: Shop): Promise<Reply> {
  const { merchantId, listenerUrl } = shop;
  const named = { merchantId, name: 'Alertas', description: 'Cobranças' };
  const body = { ...named, callbackUrl: `${listenerUrl}/alertas` };
  return call(shop.url, '/v1/recurrences/merchantnotifier', { token: shop.tokens.recurrence, body });
}

test('a merchant that registers too often is refused with the time to come again; another is not', async () => {
  const { alice, bob } = service;
  const [webhooks, alerts] = await Promise.all([
    Promise.all(Array.from({ length: 5 }, () => registerWebhook(alice))),
    Promise.all(Array.from({ length: 5 }, () => registerAlertEndpoint(alice))),
  ]);
  const taken = [...webhooks, ...alerts].filter(({ status }) => status === 200);
  assert.ok(taken.length >= 1);
  for (const replies of [webhooks, alerts]) {
    const refused = replies.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0 && refused.length + taken.length >= replies.length);
    for (const { headers, text } of refused) {
      assert.match(headers.get('retry-after') ?? '', /^\d{1,2}$/);
      assert.match(text, /Muitas requisições/);
    }
  }
  assert.equal((await registerWebhook(bob)).status, 200);
  const refused = await registerWebhook(alice, { 'accept-language': 'en' });
  if (refused.status === 429) assert.match(refused.text, /Too many requests/);
});
