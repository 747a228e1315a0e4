import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { arrive } from '../kit/clock.ts';
import { call } from '../kit/merchant.ts';
import { makeMerchant } from '../kit/merchants.ts';
import { until } from '../kit/service.ts';
import { daysAfter, openReconciledService, type ReconciledService, type Sold } from './reconciled-service.ts';

let service: ReconciledService;

before(async () => {
  service = await openReconciledService({ PARCELA_FEES: 'any:1-99=2.5' });
});
after(() => service.close());

async function netOf({ paymentId }: Sold, baseUrl = service.integrationUrl): Promise<unknown> {
  const path = `/api/movements?accountNumber=${service.accountNumber}&limit=100`;
  const reply = await call(baseUrl, path, { token: service.integrationToken });
  const items = reply.body.items as { paymentId: string; netAmount: number }[];
  return items.find((item) => item.paymentId === paymentId)?.netAmount;
}

async function feeOf(sold: Sold): Promise<unknown> {
  const [first] = await service.searchByCode(sold);
  return [first?.discountMdrTax, first?.discountMdrValue];
}

/** Whether versions begin ten seconds or more after they were written. */
async function leads(where: string): Promise<unknown[]> {
  const rows = await service.auditor.query(
    `select valid_from >= created_at + interval '10 seconds' as leads from fee_tables where ${where} order by created_at`,
  );
  return rows.map((row) => row.leads);
}

/** `valid_from` of a merchant's version is moved into the past, so that no test waits for its moment. */
async function startsNow(merchantId: string): Promise<void> {
  await service.auditor.query(
    'update fee_tables set valid_from = now(), created_at = now() where merchant_id = $1 and valid_from > now()',
    [merchantId],
  );
}

test('a sale keeps the fee of its moment when the operator puts a version beside the others', async () => {
  const before = await service.sell(10_000, 1);
  assert.deepEqual(await feeOf(before), [2.5, 2.5]);
  const set = await service.parcela('fees', 'set', 'any:1-99=4@1', '--merchant', service.merchantId);
  assert.equal(set.exitCode, 0, set.errors);
  assert.match(set.printed, /Fees of \d+ from \S+ on: any:1-99=4@1/);
  await startsNow(service.merchantId);
  const after = await until('the fee of a new sale is that of the version', async () => {
    const sold = await service.sell(10_000, 1);
    return (await netOf(sold)) === 9_600 && sold;
  });
  assert.deepEqual(await feeOf(after), [4, 4]);
  assert.deepEqual(await feeOf(before), [2.5, 2.5]);
  assert.equal(await netOf(before), 9_750);
  const [audited] = await service.auditor.query(
    `select resource, outcome, detail from audit_entries where action = 'fees.change' order by entry_number desc limit 1`,
  );
  assert.equal(audited?.resource, `merchants/${service.merchantId}/fees`);
});

test('a version of today begins in ten seconds, whatever was sold since midnight', async () => {
  await service.sell(10_000, 1);
  const set = await service.parcela('fees', 'set', 'any:1-99=4.5@1', '--from', await service.today());
  assert.equal(set.exitCode, 0, set.errors);
  assert.deepEqual(await leads(`rules = 'any:1-99=4.5@1'`), [true]);
});

test('a version before a sale is refused, with its moment, and so is one that cannot be read', async () => {
  await service.sell(10_000, 1);
  await makeMerchant(service.database, { merchantId: 'NOVA', accountNumbers: ['7001'], credentials: [] });
  // The merchant's clock goes ahead of the database's.
  await arrive(service.gatewayUrl, service.token, { advanceDays: 3 });
  await service.sell(10_000, 1);
  const today = await service.today();
  const count = async () => (await service.auditor.query('select count(*)::int as n from fee_tables'))[0]?.n;
  const versions = await count();
  for (const [words, said] of [
    [['any:1-99=1', '--from', today], /--from: A sale was made at \d{4}-.*begin after it/],
    [['any:1-99=1', '--from', '2026-02-30'], /is no day/],
    [['anyone:1=1'], /must be rules such as/],
    [['any:1-99=1', '--merchant', 'NOBODY'], /no such merchant/],
  ] as const) {
    const refused = await service.parcela('fees', 'set', ...words);
    assert.notEqual(refused.exitCode, 0);
    assert.match(refused.errors, said);
  }
  assert.equal(await count(), versions);
  const from = daysAfter(today, 40);
  assert.equal((await service.parcela('fees', 'set', 'any:1-99=1', '--from', from)).exitCode, 0);
  const again = await service.parcela('fees', 'set', 'any:1-99=2', '--from', from);
  assert.match(again.errors, /A version is valid from .* already/);
  const ofOne = ['fees', 'set', 'any:1-99=7', '--merchant', 'NOVA'];
  const over = await service.parcela(...ofOne, '--from', '2026-01-01');
  assert.match(over.errors, /--from: The day 2026-01-01 is over/);
  const late = await service.parcela(...ofOne);
  assert.equal(late.exitCode, 0, late.errors);
  assert.deepEqual(await leads(`merchant_id = 'NOVA'`), [true], 'a sale under way keeps its fee');
  const { printed } = await service.parcela('fees', 'list', '--json');
  const { items } = JSON.parse(printed);
  const ahead = items.filter(({ validFrom }: { validFrom: string }) => validFrom.startsWith(from));
  assert.deepEqual(
    ahead.map(({ source: _, ...shown }: Record<string, unknown>) => shown),
    [{ merchantId: null, validFrom: `${from}T00:00:00.000`, rules: 'any:1-99=1' }],
  );
});

test('a setting that has changed is a new version from the start that finds it, and the same one is none', async () => {
  const ofSetting = () =>
    service.auditor.query(
      `select rules, extract(epoch from valid_from)::float8 > 0 as is_later from fee_tables
       where merchant_id = '' and source = 'setting' order by valid_from`,
    );
  assert.deepEqual(await ofSetting(), [{ rules: 'any:1-99=2.5', is_later: false }]);
  const beside = await service.startBeside({ PARCELA_FEES: 'any:1-99=3' });
  await beside.stop();
  const changed = [
    { rules: 'any:1-99=2.5', is_later: false },
    { rules: 'any:1-99=3', is_later: true },
  ];
  assert.deepEqual(await ofSetting(), changed);
  assert.deepEqual(await leads(`rules = 'any:1-99=3' and source = 'setting'`), [true]);
  const again = await service.startBeside({ PARCELA_FEES: 'any:1-99=3' });
  await again.stop();
  assert.deepEqual(await ofSetting(), changed);
});
