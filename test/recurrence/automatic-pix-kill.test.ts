import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { keyFileIn } from '../kit/keys.ts';
import { call } from '../kit/merchant.ts';
import { openPixBank } from '../kit/pix-bank.ts';
import {
  databaseSettings,
  openTestProcess,
  type Simulator,
  startService,
  type TestProcess,
  until,
} from '../kit/service.ts';
import { ledger, script } from '../pix/pix-service.ts';
import { type AutomaticShop, automaticShopOf, CUSTOMER } from './automatic-pix-service.ts';

let of: AutomaticShop<TestProcess>;
let bank: Simulator;
let folder: string;
let settings: Readonly<Record<string, string>>;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-pix-automatic-'));
  const opened = await openPixBank(folder);
  bank = opened.pix;
  settings = {
    ...opened.settings,
    PARCELA_PIX_SETTINGS: 'key=pix@loja.example; account=123456; branch=0001; leadDays=3',
  };
  of = await automaticShopOf(await openTestProcess(settings), bank.url);
});
after(async () => {
  await of?.service.close();
  await bank?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('killed while the bank makes an authorization and a charge, two further processes finish each, once', async () => {
  const { shop, service } = of;
  const { auditor } = service;
  const booked = (what: 'authorizations' | 'recurring') => ledger(shop, what);
  const { id } = await of.authorized(48.9);
  for (const on of ['POST /rec', 'PUT /cobr'])
    await script(shop, on, { fault: 'booksButSilent' });
  const planId = await of.makePlan();
  const cut = [
    of.api('subscriptions', { planId, orderNumber: 'P-2', customer: CUSTOMER }),
    call(shop.url, '/homologation/clock', { token: shop.token, body: { advanceDays: 5 } }),
  ].map((asked) =>
    asked.then(
      () => false,
      () => true,
    ),
  );
  await until('the bank has made both', async () => {
    const [recs, cobrs] = await Promise.all([booked('authorizations'), booked('recurring')]);
    return recs.length === 2 && cobrs.length === 1 ? true : null;
  });
  await service.kill();
  assert.deepEqual(await Promise.all(cut), [true, true], 'no answer came');
  // The leases of the dead process, without the wait for their end.
  for (const table of ['pix_authorizations', 'pix_collections'])
    await auditor.query(`update ${table} set look_at = now() where look_at is not null`);
  const start = () =>
    startService({
      folder: service.folder,
      settings: {
        ...databaseSettings(service.database),
        ...settings,
        PARCELA_KEY_FILE: keyFileIn(service.folder),
      },
    });
  const others = [await start(), await start()];
  try {
    await until('the charge is paid, and the other authorization has its code', async () => {
      const [row] = await auditor.query(
        `select (select count(*) from pix_authorizations where state = 'waiting')::int as waiting,
           (select count(*) from pix_collections where is_sent and state = 'open')::int as sent`,
      );
      return row?.waiting === 1 && row.sent === 2 ? true : null;
    });
    await of.jumpAt(others[0]?.gatewayUrl ?? '', 6);
    const [paid] = await until('the first billing is paid', async () => {
      const rows = await auditor.query(
        `select b.state from billings b where b.subscription_id = $1 and b.installment = 1 and b.state = 'paid'`,
        [id],
      );
      return rows.length === 1 ? rows : null;
    });
    assert.equal(paid?.state, 'paid');
  } finally {
    for (const one of others) await one.stop();
  }
  const cobrs = await booked('recurring');
  const ofFirst = await auditor.query('select txid, state from pix_collections where subscription_id = $1', [
    id,
  ]);
  assert.deepEqual(
    cobrs.filter(({ txid }) => ofFirst.some((row) => row.txid === txid)).map(({ status }) => status),
    ['CONCLUIDA'],
  );
  assert.equal((await booked('authorizations')).length, 2, 'one of each subscription');
  const [pix] = await auditor.query(
    `select count(*)::int as paid, sum(paid_amount)::int as amount from pix_charges
     where is_collected and reference_transaction = (select billing_id::text from billings where subscription_id = $1 and installment = 1)`,
    [id],
  );
  assert.deepEqual({ ...pix }, { paid: 1, amount: 4_890 });
});
