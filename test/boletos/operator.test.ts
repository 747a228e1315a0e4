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
