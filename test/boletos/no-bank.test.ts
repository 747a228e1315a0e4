import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { STATUS_BILL } from '../../src/transactions/methods/boleto/bill-status.ts';
import { addDays } from '../../src/values/instant.ts';
import { runParcela } from '../audit/audit-service.ts';
import { call } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { type BanksInTurn, openBanksInTurn, type TurningShop } from './banks-in-turn.ts';
import { cancel, inDays, issue, list, movementsOf, today, untilStatus } from './boleto-service.ts';
import { fileOf } from './return-lines.ts';

let banks: BanksInTurn;
let shop: TurningShop;
const issued: { readonly id: string; readonly ourNumber: string; readonly payableUntil: string }[] = [];

// Issued at a bank that is not named any more.
before(async () => {
  banks = await openBanksInTurn();
  shop = await banks.open(banks.first.url);
  for (const value of [10, 20]) {
    const reply = await issue(shop, { value, dueDate: inDays(3), daysToExpire: 2 });
    assert.equal(reply.status, 200, reply.text);
    issued.push(reply.body);
  }
  shop = await banks.open(null);
});
after(() => banks?.close());

test('without a bank nothing is issued, the reason has its name, and what is there can be read', async () => {
  const headers = { 'accept-language': 'en' };
  for (const reply of [
    await issue(shop, { dueDate: inDays(900) }, { headers }),
    await cancel(shop, issued[0]?.id ?? ''),
  ]) {
    assert.equal(reply.status, 409, reply.text);
    assert.match(reply.body[0].description, /PARCELA_BANK_URL/);
  }
  const listed = await list(shop, `startDate=${today()}&endDate=${inDays(9)}`);
  assert.deepEqual([listed.status, listed.body.length], [200, 2]);
});

test('without a bank its return files are applied', async () => {
  const [{ id, ourNumber } = { id: '', ourNumber: '' }] = issued;
  const written = (day: string) => day.split('-').reverse().join('');
  const lines = fileOf({
    companyUse: ourNumber,
    value: 1_000,
    dueOn: written(inDays(3)),
    paid: 1_000,
    happenedOn: written(today()),
    creditedOn: written(today()),
  });
  const path = join(shop.service.folder, 'retorno.ret');
  await writeFile(path, lines.map((text) => `${text}\r\n`).join(''), 'latin1');
  const { database, folder } = shop.service;
  const { exitCode, errors } = await runParcela(database, folder, ['boletos', 'import', path]);
  assert.equal(exitCode, 0, errors);
  assert.equal((await untilStatus(shop, id, STATUS_BILL.paid)).body.effectivePaymentValue, 10);
});

test('without a bank nobody is asked to end what is over: it is overdue, and its page has no bars', async () => {
  const boleto = issued[1] as (typeof issued)[number];
  const { url, token } = shop;
  const to = `${addDays(boleto.payableUntil as ReturnType<typeof inDays>, 20)}T12:00:00`;
  const reply = await call(url, '/homologation/clock', { token, body: { to }, timeoutMilliseconds: 90_000 });
  assert.ok([200, 202].includes(reply.status), reply.text);
  await until('the clock has arrived', async () => {
    const { body } = await call(url, '/homologation/clock', { token });
    return body.target === null;
  });
  const { body } = await untilStatus(shop, boleto.id, STATUS_BILL.overdue);
  assert.deepEqual(await movementsOf(shop, boleto.id), ['>Emitido', 'Emitido>Vencido']);
  const { origin, pathname } = new URL(body.url);
  const page = await call(origin, pathname);
  assert.match(page.text, /O prazo de pagamento deste boleto terminou/);
  assert.ok(!page.text.replace(/[. ]/g, '').includes(body.digitableLine));
  const [row] = await shop.service.auditor.query('select state from boletos where boleto_id = $1', [
    boleto.id,
  ]);
  assert.equal(row?.state, 'overdue');
});
