import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type HostileService, openHostileService, type Shop } from '../hostile/hostile-service.ts';
import { call, paymentRequest, tokenize } from '../kit/merchant.ts';
import { openSimulator, type Simulator, until } from '../kit/service.ts';
import { openResolvingBridge, type ResolvingBridge } from '../kit/spoiling-acquirer.ts';

/** An acquirer that is silent about what one merchant lost delays the outcomes of no other. */

/** Held questions end without an answer, again and again. */
const TIMEOUT = '2000';
/** Six times what one merchant may have under way. */
const HELD = 96;
const TRIED = 20;

let folder: string;
let simulator: Simulator;
let bridge: ResolvingBridge;
let service: HostileService;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-resolving-shares-'));
  simulator = await openSimulator(folder);
  bridge = await openResolvingBridge(simulator.url);
  service = await openHostileService({
    PARCELA_ACQUIRER_URL: bridge.url,
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: TIMEOUT,
  });
});
after(async () => {
  await service.close();
  await bridge.close();
  await simulator.stop();
  await rm(folder, { recursive: true, force: true });
});

async function loseOne(shop: Shop, referenceTransaction: string): Promise<void> {
  const token = shop.tokens.gateway;
  const body = paymentRequest(await tokenize(shop.url, token), 1_000, { referenceTransaction });
  assert.equal((await call(shop.url, '/v1/payments', { token, body })).status, 500);
}

async function count(condition: string): Promise<number> {
  const [row] = await service.auditor.query(
    `select count(*)::int as count from transactions where ${condition}`,
  );
  return row?.count as number;
}

test('what one merchant lost stays unanswered for long, and what another lost is found meanwhile', async () => {
  const { alice, bob } = service;
  bridge.spoil(({ kind, order }) => {
    if (kind === 'authorization') return 'reset';
    return order?.startsWith('HELD') ? 'hold' : null;
  });
  await Promise.all(Array.from({ length: HELD }, (_, index) => loseOne(alice, `HELD-${index}`)));
  await until(
    'many have been asked for in vain',
    async () => (await count("reference_transaction like 'HELD%' and resolve_tries > 0")) >= TRIED,
    60_000,
  );
  for (const order of ['LOST-1', 'LOST-2', 'LOST-3']) {
    await loseOne(bob, order);
    await until(
      'the outcome of the other is found',
      async () => (await count(`reference_transaction = '${order}' and state = 'voided'`)) === 1,
    );
  }
  assert.equal(await count("reference_transaction like 'HELD%' and state = 'unresolved'"), HELD);
  bridge.spoil(null);
  bridge.release();
  await until('all are found', async () => (await count("state = 'unresolved'")) === 0, 60_000);
});
