import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { logIn } from '../kit/merchant.ts';
import {
  databaseSettings,
  type OwnProcess,
  openOwnProcess,
  openSimulator,
  openTestService,
  type Simulator,
  type TestService,
  until,
} from '../kit/service.ts';
import { linksOf } from '../payments/linked.ts';
import { boletoRequest, cancel, issue, shopOf } from './boleto-service.ts';

let shop: Awaited<ReturnType<typeof shopOf<TestService>>>;
let bank: Simulator;
let acquirer: Simulator;
let folder: string;
/** Beside the service that finishes what it leaves. */
let own: OwnProcess;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-bank-'));
  bank = await openSimulator(folder, [], 'bank');
  acquirer = await openSimulator(join(folder, 'acquirer'));
  const settings = { PARCELA_BANK_URL: bank.url, PARCELA_ACQUIRER_URL: acquirer.url };
  shop = await shopOf(await openTestService(settings));
  const { database, folder: home } = shop.service;
  own = openOwnProcess({ folder: home, settings: { ...databaseSettings(database), ...settings } });
});
after(async () => {
  await own?.stop();
  await shop?.service.close();
  await bank?.stop();
  await acquirer?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function script(orders: object): Promise<void> {
  const reply = await fetch(new URL('/script', bank.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ merchantId: shop.merchantId, steps: [], cancels: [], ...orders }),
  });
  assert.ok(reply.ok, await reply.text());
}

const rowsOf = (state: string) =>
  shop.service.auditor.query('select boleto_id, our_number from boletos where state = $1', [state]);

test('killed while the bank is asked to register and to cancel, the next process finishes both, once', async () => {
  const { id } = (await issue(shop)).body;
  await script({ steps: [{ fault: 'late' }], cancels: [{ fault: 'late' }] });
  const killed = await own.running();
  const there = { ...shop, url: killed.integrationUrl };
  const cut = [issue(there), cancel(there, id)].map((call) =>
    call.then(
      () => false,
      () => true,
    ),
  );
  await until('both are under way', async () => {
    const [issuing, canceling] = [await rowsOf('issuing'), await rowsOf('canceling')];
    return issuing.length === 1 && canceling.length === 1;
  });
  const [made] = (await rowsOf('issuing')) as [{ boleto_id: string; our_number: string }];
  await killed.kill();
  assert.deepEqual(await Promise.all(cut), [true, true], 'no answer came');
  // The leases of the dead process, without the wait for their end.
  await shop.service.auditor.query('update boletos set due_at = now() where due_at is not null');
  await until('both are done', async () => {
    const [row] = await shop.service.auditor.query(
      `select count(*)::int as n from boletos where (boleto_id = $1 and state = 'issued')
         or (boleto_id = $2 and state = 'canceled')`,
      [made.boleto_id, id],
    );
    return row?.n === 2;
  });
  const url = new URL('/ledger', bank.url);
  url.searchParams.set('merchantId', shop.merchantId);
  const { items } = (await (await fetch(url)).json()) as { items: { ourNumber: string; status: string }[] };
  assert.deepEqual(items.map(({ status }) => status).sort(), ['canceled', 'issued']);
  assert.ok(items.some(({ ourNumber }) => ourNumber === made.our_number));
  const movements = await shop.service.auditor.query(
    'select boleto_id, array_agg(new_state order by movement_id) as states from movements group by boleto_id order by 1',
  );
  assert.deepEqual(
    movements.map(({ states }) => states),
    [['issued', 'canceled'], ['issued']],
  );
});

test('killed while the boleto of a link is registered, the next process has the same boleto, and no way beside it', async () => {
  const { service } = shop;
  const killed = await own.running();
  const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  const before = linksOf({ url: killed.gatewayUrl, token });
  const link = await before.newLink({ referenceTransaction: 'LINK' });
  await script({ steps: [{ fault: 'late' }] });
  const cut = before.post(link, 'boleto', boletoRequest().payer as object).then(
    () => false,
    () => true,
  );
  await until('it is under way', async () => (await rowsOf('issuing')).length === 1);
  await killed.kill();
  assert.equal(await cut, true, 'no answer came');
  await service.auditor.query('update boletos set due_at = now() where due_at is not null');
  const links = linksOf({ url: service.gatewayUrl, token });
  await until('its line is shown', async () => /Linha digitável/.test(await links.show(link)));
  const again = await links.post(link, 'boleto', boletoRequest().payer as object);
  assert.equal(again.body.status, 'notOpen');
  const made = await service.auditor.query(`select state from boletos where reference_transaction = 'LINK'`);
  assert.deepEqual(made, [{ state: 'issued' }]);
  assert.equal((await links.post(link, 'cancel')).body.status, 'removed');
  assert.equal((await links.byCard(link)).body.status, 'paid');
});

test('a movement is of an installment or of a boleto, never of neither, and a boleto has no other type', async () => {
  const { auditor } = shop.service;
  await assert.rejects(
    auditor.query(
      `insert into movements (merchant_id, account_number, installment_number, type, new_state, nsu, authorization_code, moment)
       values ('m', '1', 1, 'Autorizacao', 'authorized', '1', '', now())`,
    ),
    /movements_subject_check/,
  );
  await assert.rejects(
    auditor.query(
      `insert into movements (merchant_id, account_number, boleto_id, installment_number, type, new_state, nsu, authorization_code, moment)
       select merchant_id, '1', boleto_id, 1, 'Pagamento', 'paid', '1', '', now() from boletos limit 1`,
    ),
    /movements_type_check/,
  );
});
