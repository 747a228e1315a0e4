import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runParcela } from '../audit/audit-service.ts';
import { cpfOf } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  type BoletoShop,
  boletoRequest,
  cancel,
  force,
  issue,
  openBoletoShop,
  read,
} from './boleto-service.ts';

let shop: BoletoShop;

before(async () => {
  shop = await openBoletoShop();
});
after(() => shop?.service.close());

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
async function printed(...words: string[]): Promise<any> {
  const { printed: text, errors } = await runParcela(shop.service.database, shop.service.folder, [
    ...words,
    '--json',
  ]);
  assert.notEqual(text, '', errors);
  return JSON.parse(text);
}

const payerWith = (documentNumber: string, email: string) => ({
  payer: { ...(boletoRequest().payer as object), documentNumber, email },
});

test('a payer is exported; erased once the boleto cannot be paid any more; the boleto stays', async () => {
  const document = cpfOf(811);
  const instructions = [`Cobrar de Zeca, CPF ${document}`];
  const change = { ...payerWith(document, 'pagadora@cliente.example'), instructions };
  const [open, { id: over, url }] = [(await issue(shop, change)).body.id, (await issue(shop, change)).body];
  const pageOf = async () => (await fetch(url)).text();
  assert.ok((await pageOf()).includes('Cobrar de Zeca'));
  const other = (await issue(shop, payerWith(cpfOf(812), 'outra@cliente.example'))).body.id;
  assert.equal((await cancel(shop, over)).status, 200);
  const kept = await printed('privacy', 'export', '--document', document);
  assert.deepEqual(
    kept.boletos.map(({ boletoId }: { boletoId: string }) => boletoId).sort(),
    [open, over].sort(),
  );
  assert.equal(kept.boletos[0].payer.email, 'pagadora@cliente.example');
  const erased = await printed('privacy', 'erase', '--document', document, '--reason', 'letter 7');
  assert.equal(erased.boletos, 1);
  assert.deepEqual(
    erased.left.map(({ reason, id }: { reason: string; id: string }) => [reason, id]),
    [['openBoleto', open]],
  );
  const { body } = await read(shop, over);
  assert.deepEqual([body.payer, body.statusBill], [null, 4]);
  assert.ok(!(await pageOf()).includes('Zeca'), 'what was printed for the payer is gone too');
  assert.equal((await read(shop, other)).body.payer.documentNumber, cpfOf(812));
  await force(shop, open, { type: 'paid' });
  assert.equal(
    (await printed('privacy', 'erase', '--document', document, '--reason', 'letter 7')).boletos,
    1,
  );
  const rows = await shop.service.auditor.query('select 1 from boletos b where b::text like $1', [
    `%${document}%`,
  ]);
  assert.deepEqual(rows, []);
});

test('an erase that ends in the middle has not lost the name of a payer that filters are found by', async () => {
  const { auditor } = shop.service;
  const { id } = (await issue(shop, payerWith(cpfOf(813), 'filtrada@cliente.example'))).body;
  assert.equal((await cancel(shop, id)).status, 200);
  await auditor.query(
    `with u as (insert into console_users (user_id, hand_id, name, role, merchant_id)
       select boleto_id, boleto_id, 'filters-of-boletos', 'support', merchant_id from boletos where boleto_id = $1
       returning user_id, merchant_id),
     h as (insert into console_hands (hand_id, user_id) select user_id, user_id from u)
     insert into console_filters (merchant_id, user_id, place, list, name, query)
     select merchant_id, user_id, 1, 'boletos', 'filtrada@cliente.example', 'status=open' from u`,
    [id],
  );
  await auditor.query(
    `create function fail() returns trigger language plpgsql as $$ begin raise 'it ends here'; end $$`,
  );
  await auditor.query(
    'create trigger fail before delete on console_filters for each row execute function fail()',
  );
  const words = ['privacy', 'erase', '--document', cpfOf(813), '--reason', 'letter 8'];
  assert.notEqual((await runParcela(shop.service.database, shop.service.folder, words)).exitCode, 0);
  await auditor.query('drop trigger fail on console_filters');
  const { boletos, filters } = await printed(...words);
  assert.deepEqual([boletos, filters], [1, 1]);
});

test('the operator sees boletos that stay unknown, and payments that were not expected', async () => {
  const unknown = (await issue(shop, { value: 120.01 })).body;
  await until('it is listed', async () => {
    const { items } = await printed('resolve', 'list');
    const [item] = items.filter(({ id }: { id: string }) => id === unknown.id);
    return item?.kind === 'boleto' && item.amount === 12_001;
  });
  const { id, ourNumber } = (await issue(shop)).body;
  await force(shop, id, { type: 'paid' });
  await force(shop, id, { type: 'paid', amount: 700 });
  const { items } = await printed('resolve', 'changes');
  const [odd] = items.filter(
    ({ bankChange }: { bankChange?: { ourNumber: string } }) => bankChange?.ourNumber === ourNumber,
  );
  assert.deepEqual([odd.reason, odd.bankChange.amount], ['paidAgain', 700]);
});

test('after a restore boletos get numbers that no backup can have lost', async () => {
  const before = Number((await issue(shop)).body.ourNumber);
  await printed('restore', 'accept', '--unreconciled', '--reason', 'a backup of yesterday');
  assert.ok(Number((await issue(shop)).body.ourNumber) > before + 1_000_000);
});
