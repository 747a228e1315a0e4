import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { arrive } from '../kit/clock.ts';
import { call } from '../kit/merchant.ts';
import { type OpenedService, until } from '../kit/service.ts';
import { openReconciledService, type ReconciledService } from './reconciled-service.ts';

let service: ReconciledService;
let beside: OpenedService;

before(async () => {
  service = await openReconciledService({ PARCELA_FEES: 'any:1-99=2.5@31/30' });
  beside = await service.startBeside();
});
after(async () => {
  await beside.stop();
  await service.close();
});

const projection = () =>
  service.auditor.query('select * from receivables order by transaction_id, installment_number');

test('nobody has to ask: what was sold, given back and paid is followed by itself, once', async () => {
  const { paymentId } = await service.sell(30_000, 3);
  await service.sell(1_000, 1);
  const rowsOf = () =>
    service.auditor.query(
      `select installment_number as number, canceled::int as canceled, paid_on is not null as is_paid
       from receivables where transaction_id = $1 order by 1`,
      [paymentId],
    );
  await until('its installments are there', async () => (await rowsOf()).length === 3);
  const path = `/v1/payments/${paymentId}/cancel`;
  await call(service.gatewayUrl, path, { token: service.token, body: { amount: 500 } });
  await until('the part that was given back is known', async () => (await rowsOf())[2]?.canceled === 500);
  await arrive(service.gatewayUrl, service.token, { advanceDays: 31 });
  await until('the first is paid', async () => (await rowsOf())[0]?.is_paid === true);
  const differing = () =>
    service.auditor.query(
      `select i.transaction_id
       from installments i full join receivables r using (merchant_id, transaction_id, installment_number)
       where r.gross is distinct from i.amount or r.canceled is distinct from i.canceled_amount
         or r.installment_state is distinct from i.state`,
    );
  await until('every receivable is as its installment', async () => (await differing()).length === 0);
});

test('made anew from nothing the projection is the same', async () => {
  await service.event((await service.sell(20_000, 2)).paymentId, 'chargeback', 2, 300);
  await service.searchByCode({ nsu: '0', codAuth: 'NONE' });
  const before = await projection();
  assert.ok(before.length >= 6);
  await service.auditor.query('truncate receivables, receivable_cursors');
  // Who saw all of it followed looks no more until something new is recorded; a start begins anew.
  const started = await service.startBeside();
  await until('all of it is there again', async () => (await projection()).length === before.length);
  assert.deepEqual(await projection(), before);
  await started.stop();
});

test('while another process has the merchant, a question waits for it, and is refused when that takes too long', async () => {
  const sold = await service.sell(9_900, 1);
  const ask = () =>
    call(
      service.integrationUrl,
      `/api/transaction/concil/search-by-code?accountNumber=${service.accountNumber}`,
      {
        token: service.integrationToken,
        body: { nsu: sold.nsu, codAuth: sold.codAuth },
      },
    );
  assert.equal((await ask()).body.length, 1);
  const holder = new (await import('pg')).default.Client(service.database.address);
  await holder.connect();
  await holder.query('begin; update receivable_cursors set moved_at = moved_at');
  const reply = await service.sell(9_800, 1);
  const behind = await call(
    service.integrationUrl,
    `/api/transaction/concil/search-by-code?accountNumber=${service.accountNumber}`,
    { token: service.integrationToken, body: { nsu: reply.nsu, codAuth: reply.codAuth } },
  );
  assert.equal(behind.status, 503);
  assert.ok(Number(behind.headers.get('retry-after')) > 0);
  await holder.query('rollback');
  await holder.end();
  assert.equal((await service.searchByCode(reply)).length, 1);
});
