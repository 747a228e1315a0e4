import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReturnFileRefused } from '#settlement-files';
import { type RunningBank, registration, startBank } from '../../simulators/bank/running-simulator.ts';
import { readReturnFile } from '../../src/reconciliation/bank-files/process-return-file.ts';
import { digitableLine, parseBarCode } from '../../src/values/bar-code.ts';
import type { Day } from '../../src/values/instant.ts';

async function fileOf({ url }: RunningBank, day: string, fault = '') {
  const query = new URLSearchParams({ merchantId: 'M1', day, until: '2026-12-31T00:00:00Z' });
  if (fault !== '') query.set('fault', fault);
  const response = await fetch(`${url}/return-file?${query}`);
  assert.ok(response.body);
  return readReturnFile(response.body);
}

/** Paid on the due day, half paid, paid twice, written off, canceled, and paid after that. */
async function bankWithAll(t: Parameters<typeof startBank>[0]): Promise<RunningBank> {
  const bank = await startBank(t);
  for (const [index, amount] of [2_021, 2_024, 2_025, 25_000, 25_001].entries())
    await bank.post('/boletos', registration(String(index + 1).padStart(11, '0'), { amount }));
  const change = { merchantId: 'M1', ourNumber: '00000000005', at: '2026-11-09T12:00:00Z' };
  await bank.post('/changes', { ...change, event: 'canceled' });
  await bank.post('/changes', { ...change, event: 'paid', amount: 300, at: '2026-11-10T12:00:00Z' });
  return bank;
}

test('our reader finds in the simulator’s return files what its ledger has', async (t) => {
  const bank = await bankWithAll(t);
  const due = await fileOf(bank, '2026-11-10');
  assert.deepEqual(due.head.bank, '237');
  assert.deepEqual(
    due.entries.map(({ ourNumber, event, paid, happenedOn, creditedOn, fee }) => [
      ...[Number(ourNumber), event, paid, happenedOn, creditedOn, fee],
    ]),
    [
      [5, 'paid', 300, '2026-11-10', '2026-11-11', 190],
      [1, 'paid', 2_021, '2026-11-10', '2026-11-11', 190],
      [2, 'paid', 1_012, '2026-11-10', '2026-11-11', 190],
      [3, 'paid', 2_025, '2026-11-10', '2026-11-11', 190],
      [3, 'paid', 2_025, '2026-11-10', '2026-11-11', 190],
    ],
  );
  const eventsOf = async (day: string) =>
    (await fileOf(bank, day)).entries.map(({ ourNumber, event }) => [Number(ourNumber), event]);
  assert.deepEqual(await eventsOf('2026-11-09'), [[5, 'canceled']]);
  assert.deepEqual(await eventsOf('2026-12-11'), [[4, 'expired']]);
  assert.deepEqual((await fileOf(bank, '2026-11-02')).others, { '02': 5 });
});

test('an ordered fault is another content, or a refused file', async (t) => {
  const bank = await bankWithAll(t);
  const paidIn = async (fault: string) =>
    (await fileOf(bank, '2026-11-10', fault)).entries.map(({ paid }) => paid);
  assert.deepEqual(await paidIn('rowMissing'), [300, 2_021, 1_012, 2_025]);
  assert.deepEqual(await paidIn('rowTwice'), [300, 2_021, 1_012, 2_025, 2_025, 2_025]);
  assert.deepEqual(await paidIn('otherAmount'), [300, 2_021, 1_012, 2_025, 2_026]);
  await assert.rejects(
    fileOf(bank, '2026-11-10', 'brokenTrailer'),
    (error) => error instanceof ReturnFileRefused && error.fault === 'lotCount',
  );
});

test('bar codes and digitable lines of both sides are the same', async (t) => {
  const bank = await startBank(t);
  const days = ['2025-02-21', '2025-02-22', '2028-02-29', '2049-10-12', '2049-10-13'];
  for (let index = 0; index < 200; index += 1) {
    const dueOn = days[index % days.length];
    const changed = {
      amount: 1_230_000 * index + 3_000 + index,
      issuedOn: '2025-01-01',
      dueOn,
      payableUntil: dueOn,
    };
    await bank.post('/boletos', registration(String(index * 499_999_999).padStart(11, '0'), changed));
  }
  const { items } = (await bank.get('/ledger?limit=1000')).body;
  assert.equal(items.length, 200);
  for (const { barCode, digitableLine: line, dueOn, amount } of items) {
    const read = parseBarCode(barCode, dueOn as Day);
    assert.ok(read.kind === 'barCode', barCode);
    assert.deepEqual([read.bankCode, read.amount, read.dueOn], ['237', amount, dueOn]);
    assert.equal(digitableLine(read.barCode), line);
  }
});
