import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { keyFileIn } from '../kit/keys.ts';
import { openPixBank } from '../kit/pix-bank.ts';
import {
  databaseSettings,
  openTestProcess,
  type Simulator,
  startService,
  type TestProcess,
  until,
} from '../kit/service.ts';
import { cancel, charge, ledger, type PixShop, pay, pixShopAt, script, untilStatus } from './pix-service.ts';

let shop: PixShop & { readonly service: TestProcess };
let bank: Simulator;
let folder: string;
let settings: Readonly<Record<string, string>>;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-pix-'));
  ({ pix: bank, settings } = await openPixBank(folder));
  shop = await pixShopAt(await openTestProcess(settings), bank.url);
});
after(async () => {
  await shop?.service.close();
  await bank?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('killed while the bank is asked to charge, to take away and to give back, the next process finishes each, once', async () => {
  const removed = (await charge(shop)).body.paymentId as string;
  const paid = (await charge(shop)).body as { paymentId: string; txid: string };
  const endToEndId = await pay(shop, paid.txid);
  await untilStatus(shop, paid.paymentId, 'Paga');
  for (const on of ['PUT /cob', 'PATCH /cob', 'PUT /pix/devolucao'])
    await script(shop, on, { fault: 'late' });
  const cut = [charge(shop), cancel(shop, removed), cancel(shop, paid.paymentId, { amount: 4_000 })].map(
    (call) =>
      call.then(
        () => false,
        () => true,
      ),
  );
  const { auditor } = shop.service;
  await until('all are under way', async () => {
    const [row] = await auditor.query(
      `select (select count(*) from pix_charges where state in ('issuing', 'removing'))::int
         + (select count(*) from pix_refunds where state = 'refunding')::int as n`,
    );
    return row?.n === 3;
  });
  await until('the bank has done them', async () => {
    const pix = (await ledger(shop, 'pix')).find((one) => one.endToEndId === endToEndId);
    return pix?.givenBack === 4_000 ? true : null;
  });
  await shop.service.kill();
  assert.deepEqual(await Promise.all(cut), [true, true, true], 'no answer came');
  // The leases of the dead process, without the wait for their end.
  for (const table of ['pix_charges', 'pix_refunds'])
    await auditor.query(`update ${table} set due_at = now() where due_at is not null`);
  const second = await startService({
    folder: shop.service.folder,
    settings: {
      ...databaseSettings(shop.service.database),
      ...settings,
      PARCELA_KEY_FILE: keyFileIn(shop.service.folder),
    },
  });
  try {
    await until('all are done', async () => {
      const [row] = await auditor.query(
        `select (select array_agg(state order by state) from pix_charges)::text as charges,
           (select array_agg(state || amount) from pix_refunds)::text as refunds`,
      );
      return row?.charges === '{canceled,paid,waiting}' && row.refunds === '{refunded4000}' ? true : null;
    });
  } finally {
    await second.stop();
  }
  const charges = await ledger(shop, 'charges');
  assert.deepEqual(charges.map(({ status }) => status).sort(), [
    'ATIVA',
    'CONCLUIDA',
    'REMOVIDA_PELO_USUARIO_RECEBEDOR',
  ]);
  const [pix, ...others] = await ledger(shop, 'pix');
  assert.deepEqual([pix?.givenBack, others.length], [4_000, 0]);
});

test('a movement is of one thing alone, and a Pix has no other type', async () => {
  const { auditor } = shop.service;
  await assert.rejects(
    auditor.query(
      `insert into movements (merchant_id, account_number, pix_id, installment_number, type, new_state, nsu, authorization_code, moment)
       select merchant_id, '1', pix_id, 1, 'Boleto', 'paid', '1', '', now() from pix_charges limit 1`,
    ),
    /movements_type_check/,
  );
  await assert.rejects(
    auditor.query('update pix_payments set held_amount = amount + 1'),
    /pix_payments_held_check/,
  );
});
