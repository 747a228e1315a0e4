import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HostileService, openHostileService, type Shop } from '../hostile/hostile-service.ts';
import { call } from '../kit/merchant.ts';

/**
 * Commits that wait for the end of the audit log: one merchant with many of them does not hold up
 * another.
 */

let service: HostileService;
before(async () => {
  service = await openHostileService();
});
after(() => service.close());

const MANY = 45;

function makeSecret(shop: Shop): Promise<{ status: number; text: string }> {
  const path = `/api/webhooks/secret?accountNumber=${shop.nextAccount()}`;
  return call(shop.url, path, { token: shop.tokens.integration, method: 'POST' });
}

function register(shop: Shop): Promise<{ status: number; text: string }> {
  const path = `/api/webhooks/subscriptions?accountNumber=${shop.nextAccount()}`;
  return call(shop.url, path, { token: shop.tokens.integration, body: { url: `${shop.listenerUrl}/` } });
}

/** Slows what writes the log down, so that callers of the one merchant wait when the other comes. */
async function slowAudit(seconds: number): Promise<void> {
  await service.auditor.query(
    `
    create or replace function slow_entry() returns trigger language plpgsql as
      $$ begin perform pg_sleep(${seconds}); return new; end $$;
    create trigger slow_entry before insert on audit_entries for each row execute function slow_entry()`,
    [],
  );
}
test('while many secrets of one merchant wait, another’s registration and secret take their turns', async () => {
  const { alice, bob } = service;
  await slowAudit(0.05);
  let ended = 0;
  const many = Array.from({ length: MANY }, async () => {
    const reply = await makeSecret(alice);
    ended += 1;
    return reply;
  });
  await Promise.race(many);
  for (const { status, text } of await Promise.all([register(bob), makeSecret(bob)]))
    assert.equal(status, 200, text);
  assert.ok(ended < MANY - 15, `${ended} of those that came before it were over`);
  await Promise.all(many);
});
