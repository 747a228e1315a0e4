import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { databaseSettings, openService, until } from '../kit/service.ts';
import {
  daysAgo,
  deliveryRow,
  FOREIGN_ACCOUNT,
  FOREIGN_MERCHANT,
  type HistoryService,
  openHistoryService,
  plantDelivery,
  plantEndpoint,
} from './history-service.ts';

let setup: HistoryService;

const SETTINGS = { PARCELA_WEBHOOK_RETENTION_DAYS: '40' };

before(async () => {
  setup = await openHistoryService(SETTINGS);
});
after(() => setup.close());

/** A walk over everything begins when a process starts, and then every ten minutes. */
async function whileAnotherStarts(look: () => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-retention-'));
  await cp(join(setup.folder, 'keys'), join(folder, 'keys'), { recursive: true });
  const settings = { ...databaseSettings(setup.database), ...SETTINGS };
  const service = await openService({ folder, settings });
  try {
    await look();
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const isThere = async (id: string, merchantId = setup.merchantId) =>
  (await deliveryRow({ auditor: setup.auditor, merchantId }, id).catch(() => null)) !== null;

async function triesOf(merchantId: string): Promise<number> {
  const [row] = await setup.auditor.query(
    'select count(*)::int as count from delivery_tries where merchant_id = $1',
    [merchantId],
  );
  return (row as { count: number }).count;
}

test('deliveries and their tries leave after the days that are set, of every merchant, and no others', async () => {
  const { accountNumber, auditor, merchantId } = setup;
  const foreign = { auditor, merchantId: FOREIGN_MERCHANT };
  await plantEndpoint(setup, accountNumber, 'https://loja.example/', { state: 'disabled' });
  // More than one statement takes, behind some that stay.
  const kept = [
    await plantDelivery(setup, accountNumber, {
      created_at: daysAgo(90),
      state: 'waiting',
      due_at: new Date(),
    }),
    await plantDelivery(setup, accountNumber, { created_at: daysAgo(60), ended_at: daysAgo(39.9) }),
  ];
  await auditor.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, transaction_id, installment_number,
       nsu, body, state, tries, scheduled_at, created_at, ended_at)
     select $1, nextval('movement_ids'), 'movement', 'account:' || $2, $2, gen_random_uuid(), 1, '1', '{}',
       case when n % 2 = 0 then 'delivered' else 'givenUp' end, 2, now(), now() - interval '41 days',
       now() - interval '40.1 days'
     from generate_series(1, 2500) n`,
    [merchantId, accountNumber],
  );
  await auditor.query(
    `insert into delivery_tries (merchant_id, delivery_number, try_number, tried_at, milliseconds, status)
     select merchant_id, delivery_number, t, created_at, 5, 200 from deliveries, generate_series(1, 2) t where tries = 2`,
  );
  const gone = await plantDelivery(foreign, FOREIGN_ACCOUNT, {
    created_at: daysAgo(41),
    ended_at: daysAgo(40.5),
  });
  kept.push(await plantDelivery(setup, accountNumber, { created_at: daysAgo(39) }));
  const young = await plantDelivery(foreign, FOREIGN_ACCOUNT, { created_at: daysAgo(1) });
  assert.equal(await triesOf(merchantId), 5_000);
  await whileAnotherStarts(async () => {
    await until(
      'the old ones are gone',
      async () => {
        const [row] = await auditor.query('select count(*)::int as count from deliveries');
        return (row as { count: number }).count === 4;
      },
      60_000,
    );
  });
  for (const id of kept) assert.ok(await isThere(id), id);
  assert.equal(await triesOf(merchantId), 0);
  assert.ok(!(await isThere(gone, FOREIGN_MERCHANT)));
  assert.ok(await isThere(young, FOREIGN_MERCHANT));
});

test('what has been due for thirty days where nothing is taken is given up, and what others wait for is not', async () => {
  const { accountNumber, otherAccount } = setup;
  const waiting = { state: 'waiting', created_at: daysAgo(35), due_at: daysAgo(30.1), fence: 3 };
  await plantEndpoint(setup, otherAccount, 'https://loja.example/', {
    state: 'active',
    opened_until: new Date(Date.now() + 86_400_000),
  });
  await plantEndpoint(setup, 'removed', 'https://loja.example/', {
    endpoint: 'origin:https://removed.example',
    url: null,
    state: 'removed',
  });
  await plantEndpoint(setup, 'away', 'https://loja.example/', {
    endpoint: 'origin:https://away.example',
    url: null,
    opened_until: new Date(Date.now() + 86_400_000),
  });
  const held = await plantDelivery(setup, accountNumber, waiting);
  const away = await plantDelivery(setup, accountNumber, {
    ...waiting,
    endpoint: 'origin:https://away.example',
  });
  const removed = await plantDelivery(setup, accountNumber, {
    ...waiting,
    endpoint: 'origin:https://removed.example',
  });
  const active = await plantDelivery(setup, otherAccount, waiting);
  const recent = await plantDelivery(setup, accountNumber, { ...waiting, due_at: daysAgo(29.9) });
  await whileAnotherStarts(async () => {
    for (const id of [held, removed, away]) {
      const row = await until(
        'it is given up',
        async () => {
          const found = await deliveryRow(setup, id);
          return found.state === 'givenUp' && found;
        },
        60_000,
      );
      assert.deepEqual([row.due_at, row.lease_expires_at, row.fence], [null, null, 4]);
      assert.ok(Math.abs((row.ended_at as Date).getTime() - Date.now()) < 60_000, 'it is kept from now on');
    }
  });
  for (const id of [active, recent]) assert.equal((await deliveryRow(setup, id)).state, 'waiting');
});
