import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BOLETO_VALUES } from '../../homologation/bank-trials.ts';
import { registration, startBank } from '../../simulators/bank/running-simulator.ts';
import amounts from '../../simulators/bank/trigger-amounts.json' with { type: 'json' };
import { readReturnFile } from '../../src/reconciliation/bank-files/process-return-file.ts';
import { addDays, instant, saoPauloDay } from '../../src/values/instant.ts';
import { makeDemoMerchant } from '../kit/demo-merchant.ts';
import { call, logIn } from '../kit/merchant.ts';
import { openSimulator, openTestService } from '../kit/service.ts';

const LEDGER = '/homologation/bank/boletos';
const FILE = '/homologation/bank/return-file';

test('a merchant reads its own boletos in the books of the bank, and the return file of a day that is over', async (t) => {
  const bank = await startBank(t);
  const service = await openTestService({ PARCELA_BANK_URL: bank.url });
  t.after(() => service.close());
  const { gatewayUrl: url } = service;
  const token = await logIn(url, (await service.demo()).gateway);
  const [merchant] = await service.auditor.query('select merchant_id from merchants');
  const merchantId = String(merchant?.merchant_id);
  const today = saoPauloDay(instant(Date.now()));
  const [issuedOn, dueOn] = [addDays(today, -3), addDays(today, -1)];
  const own = { merchantId, issuedOn, dueOn, payableUntil: addDays(today, 9) };
  await bank.post('/boletos', registration('00000000001', { ...own, amount: 2_021 }));
  await bank.post('/boletos', registration('00000000002', own));
  await bank.post('/boletos', registration('00000000001', { ...own, merchantId: 'another' }));

  const file = await call(url, `${FILE}?day=${dueOn}`, { token });
  assert.equal(file.status, 200, file.text);
  assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="CB\d{8}\.RET"$/);
  const { entries } = await readReturnFile(new Response(file.text).body as AsyncIterable<Uint8Array>);
  assert.deepEqual(
    entries.map(({ ourNumber, event, paid }) => [ourNumber, event, paid]),
    [['00000000001', 'paid', 2_021]],
  );
  const broken = await call(url, `${FILE}?day=${dueOn}&fault=rowMissing`, { token });
  assert.equal(broken.text.length, file.text.length - 2 * 242);
  const early = await call(url, `${FILE}?day=${today}`, { token });
  assert.deepEqual([early.status, early.body[0].tag], [409, 'day']);
  assert.equal((await call(url, `${FILE}?day=2026-02-30`, { token })).status, 400);

  const ledger = await call(url, LEDGER, { token });
  assert.deepEqual(
    ledger.body.items.map((item: Record<string, unknown>) => [item.ourNumber, item.status, item.payments]),
    [
      ['00000000001', 'paid', [{ amount: 2_021, paidOn: dueOn }]],
      ['00000000002', 'issued', []],
    ],
  );
  const one = await call(url, `${LEDGER}?ourNumber=00000000002`, { token });
  assert.deepEqual(one.body.items, ledger.body.items.slice(1));
  assert.deepEqual((await call(url, `${LEDGER}?ourNumber=1`, { token })).body.items, []);
  assert.equal((await call(url, LEDGER)).status, 401);
});

test('where there is no simulated bank its papers are refused by name', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-acquirer-'));
  const acquirer = await openSimulator(folder);
  const service = await openTestService({ PARCELA_ACQUIRER_URL: acquirer.url });
  t.after(async () => {
    await service.close();
    await acquirer.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const { gatewayUrl: url } = service;
  const token = await logIn(url, (await makeDemoMerchant(service.database, service.folder)).gateway);
  for (const path of [LEDGER, `${FILE}?day=2026-01-02`]) {
    const { status, body } = await call(url, path, { token });
    assert.deepEqual([status, body[0].description], [409, 'Não há um banco simulado aqui.']);
  }
});

test('the reference of homologation names every value that the simulated bank reacts to', () => {
  const named = BOLETO_VALUES.rows.map(([cell]) => JSON.stringify(cell));
  const { faults, refusals, payments, pixEnding } = amounts;
  const digits = [faults, refusals, payments].flatMap((group) => Object.keys(group));
  for (const ending of [...digits, String(pixEnding)])
    assert.ok(
      named.some((cell) => cell.includes(`\`${ending}\``)),
      ending,
    );
});
