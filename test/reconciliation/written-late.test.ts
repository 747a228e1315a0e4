import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { until } from '../kit/service.ts';
import { writeAdiqFile } from './adiq-file.ts';
import { daysAfter, openReconciledService, type ReconciledService } from './reconciled-service.ts';

let service: ReconciledService;
before(async () => {
  service = await openReconciledService({ PARCELA_FEES: 'any:1-99=3' });
});
after(() => service.close());

test('an installment that is written when its days were looked through is missed all the same', async () => {
  const { auditor, merchantId } = service;
  const one = async (text: string, values: unknown[] = []) => (await auditor.query(text, values))[0];
  const paid = await service.sell(10_000, 1);
  const receivable = () => one('select expected_on::text as day from receivables');
  await until('the first is a receivable', async () => (await receivable()) !== undefined);
  const day = (await receivable())?.day as string;
  // Another process has the cursor of the merchant.
  const holder = new pg.Client(service.database.address);
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from receivable_cursors where merchant_id = $1 for share', [merchantId]);
    const missing = await service.sell(20_000, 1);
    const line = {
      type: 'CV',
      entryType: 1,
      reference: paid.paymentId.replaceAll('-', '').slice(-30),
      soldOn: await service.today(),
      bankOn: day,
      installmentNumber: 1,
      installmentCount: 1,
      gross: 10_000,
      fee: 300,
    } as const;
    for (const [sequence, on] of [day, daysAfter(day, 3)].entries()) {
      const lines = sequence === 0 ? [line] : [];
      const file = { day: on, sequence: sequence + 1, lines };
      const path = await writeAdiqFile(service.folder, `EDI_020_${sequence}.txt`, file);
      assert.equal((await service.parcela('reconcile', 'import', path)).exitCode, 0);
    }
    const looked = () =>
      one('select looked_to >= $1::date as is_over from settlement_coverages where merchant_id = $2', [
        day,
        merchantId,
      ]);
    await until('its day was looked through', async () => (await looked())?.is_over === true);
    assert.equal((await one('select count(*)::int as count from receivables'))?.count, 1);
    await holder.query('rollback');
    const missed = () =>
      one(`select class from reconciliation_exceptions where transaction_id = $1 and state = 'open'`, [
        missing.paymentId,
      ]);
    await until('it is missed', async () => (await missed())?.class === 'notInFile');
  } finally {
    await holder.end();
  }
});
