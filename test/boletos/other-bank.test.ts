import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { STATUS_BILL } from '../../src/transactions/methods/boleto/bill-status.ts';
import { runParcela } from '../audit/audit-service.ts';
import { until } from '../kit/service.ts';
import { type BanksInTurn, openBanksInTurn, openOtherBank, type TurningShop } from './banks-in-turn.ts';
import { cancel, inDays, issue, read, today, untilStatus } from './boleto-service.ts';
import { fileOf } from './return-lines.ts';

const DEMO_MERCHANT = '01700555550000';

let banks: BanksInTurn;
before(async () => {
  banks = await openBanksInTurn();
});
after(() => banks?.close());

async function issued(shop: TurningShop, value: number) {
  const reply = await issue(shop, { value });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as { readonly id: string; readonly ourNumber: string; readonly barCode: string };
}

/** The first bank registers the next one, and its answer is lost. */
async function loseNextAnswer({ merchantId }: TurningShop): Promise<void> {
  const reply = await fetch(new URL('/script', banks.first.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ merchantId, steps: [{ fault: 'booksButSilent' }], cancels: [] }),
  });
  assert.ok(reply.ok, await reply.text());
}

async function registrationsAtFirst({ merchantId }: TurningShop, ourNumber: string): Promise<number> {
  const url = new URL('/ledger', banks.first.url);
  url.search = new URLSearchParams({ merchantId, ourNumber }).toString();
  const { items } = (await (await fetch(url)).json()) as { items: unknown[] };
  return items.length;
}

async function payAtFirst({ service, merchantId }: TurningShop, ourNumber: string): Promise<void> {
  const [row] = await service.auditor.query(
    `select to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`,
  );
  const reply = await fetch(new URL('/changes', banks.first.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ merchantId, ourNumber, event: 'paid', at: row?.now }),
  });
  assert.ok(reply.ok, await reply.text());
}

test('an operator goes over to another bank and back, and no payment of either is lost or taken for one of the other', async (t) => {
  const first = await banks.open(banks.first.url);
  const paid = await issued(first, 10);
  const [left, kept] = [await issued(first, 20), await issued(first, 30)];
  await payAtFirst(first, paid.ourNumber);
  await untilStatus(first, paid.id, STATUS_BILL.paid);

  const other = await openOtherBank(first.merchantId);
  t.after(() => other.close());
  const second = await banks.open(other.url);
  const there = await issued(second, 40);
  assert.match(there.barCode, /^341/);
  // Its first change has the number that the first one of the other bank had.
  other.pay(there.ourNumber, 4_000);
  await untilStatus(second, there.id, STATUS_BILL.paid);
  const refused = await cancel(second, kept.id);
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.body[0].description, /outro banco/);
  assert.equal((await read(second, kept.id)).body.statusBill, STATUS_BILL.issued);
  assert.ok(!other.asked.some((path) => path.endsWith('/cancel')), String(other.asked));
  await payAtFirst(first, left.ourNumber);

  const again = await banks.open(banks.first.url);
  await untilStatus(again, left.id, STATUS_BILL.paid);
  assert.equal((await cancel(again, kept.id)).status, 200);
  const payments = () =>
    again.service.auditor.query(
      'select b.our_number, p.amount::int, p.surprise from boleto_payments p join boletos b using (merchant_id, boleto_id) order by 1',
    );
  await until('its whole feed was read again', async () => {
    const [row] = await again.service.auditor.query(
      "select count(*)::int as waiting from bank_changes where state = 'waiting'",
    );
    return row?.waiting === 0 && (await payments()).length === 3;
  });
  const wanted = [
    [paid.ourNumber, 1_000],
    [left.ourNumber, 2_000],
    [there.ourNumber, 4_000],
  ];
  assert.deepEqual(
    (await payments()).map(({ our_number, amount, surprise }) => [our_number, amount, surprise]),
    wanted.map(([number, amount]) => [number, amount, null]),
  );
});

test('a boleto whose registration was not answered is asked for at its own bank only', async (t) => {
  const first = await banks.start(banks.first.url);
  const { auditor } = first.service;
  await loseNextAnswer(first);
  const asked = issue(first, { value: 50 }).catch(() => null);
  const open = await until('the first bank has it', async () => {
    const [row] = await auditor.query(
      "select boleto_id as id, our_number from boletos where state = 'issuing'",
    );
    return row !== undefined && (await registrationsAtFirst(first, row.our_number as string)) === 1 && row;
  });
  await banks.kill();
  await asked;
  const dueNow = () =>
    auditor.query("update boletos set due_at = now() where boleto_id = $1 and state = 'issuing'", [open.id]);
  await dueNow();

  const other = await openOtherBank(first.merchantId);
  t.after(() => other.close());
  await banks.open(other.url);
  const left = await until('the other bank was thought of', async () => {
    const [row] = await auditor.query('select state, unknown_reason from boletos where boleto_id = $1', [
      open.id,
    ]);
    return (
      (row?.state !== 'issuing' || row?.unknown_reason === 'another bank was asked to register it') && row
    );
  });
  assert.equal(left.state, 'issuing');
  assert.deepEqual(
    other.asked.filter((question) => question.includes('/boletos')),
    [],
  );

  const again = await banks.open(banks.first.url);
  await dueNow();
  const { body } = await untilStatus(again, open.id as string, STATUS_BILL.issued);
  assert.match(body.barCode, /^237/);
  assert.equal(await registrationsAtFirst(again, open.our_number as string), 1);
});

test('how a bank names its changes means nothing', async (t) => {
  const own = await openBanksInTurn();
  t.after(() => own.close());
  const bank = await openOtherBank(DEMO_MERCHANT, 'file:');
  t.after(() => bank.close());
  const shop = await own.open(bank.url);
  const { id, ourNumber, barCode } = await issued(shop, 60);
  bank.pay(ourNumber, 6_000);
  await untilStatus(shop, id, STATUS_BILL.paid);
  const day = today().split('-').reverse().join('');
  const due = inDays(10).split('-').reverse().join('');
  const entry = {
    companyUse: ourNumber,
    value: 6_000,
    dueOn: due,
    paid: 6_000,
    happenedOn: day,
    creditedOn: day,
  };
  const path = join(shop.service.folder, 'retorno.ret');
  const lines = fileOf(entry).map((text) => `${barCode.slice(0, 3)}${text.slice(3)}\r\n`);
  await writeFile(path, lines.join(''), 'latin1');
  const { database, folder, auditor } = shop.service;
  const imported = await runParcela(database, folder, ['boletos', 'import', path, '--json']);
  assert.equal(JSON.parse(imported.printed).taken, 1, imported.errors);
  const states = await until('both are applied', async () => {
    const rows = await auditor.query('select source, state from bank_changes order by change_number');
    return rows.length === 2 && rows.every(({ state }) => state !== 'waiting') && rows;
  });
  assert.deepEqual(states, [
    { source: 'feed', state: 'applied' },
    { source: 'file', state: 'applied' },
  ]);
  const payments = await auditor.query('select surprise from boleto_payments where boleto_id = $1', [id]);
  assert.deepEqual(payments, [{ surprise: null }]);
});
