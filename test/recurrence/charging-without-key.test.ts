import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { paymentRequest } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  BILLING,
  billingsOf,
  type ChargingService,
  chargedBilling,
  chargesOf,
  jumpTo,
  ledgerOf,
  openChargingService,
  script,
  statusOf,
  subscribe,
} from './charging-service.ts';

let service: ChargingService;
before(async () => {
  service = await openChargingService();
});
after(() => service?.close());

/** As after a restore of `data_keys` from a backup that is older than the key; gives how it is put back. */
async function loseCardKeys(): Promise<() => Promise<unknown>> {
  const run = (text: string) =>
    service.auditor.query(`do $$ begin set local session_replication_role = replica; ${text}; end $$`);
  await service.stop();
  await service.auditor.query(`create table kept_keys as select * from data_keys where purpose = 'card'`);
  await run(`delete from data_keys where purpose = 'card'`);
  await service.restart();
  return async () => {
    await run(
      `
       insert into data_keys overriding system value select (jsonb_populate_record(k, jsonb_build_object('retired_at', now()))).* from kept_keys k`,
    );
    await service.auditor.query('drop table kept_keys');
  };
}

async function metricOf(name: string): Promise<number> {
  const text = await (await fetch(service.metricsUrl)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}

test('a billing whose card does not open because its key is lost waits, and is paid when the key is back', async () => {
  const shop = await service.openShop('chave-perdida');
  await script(service, shop, [{ outcome: 'declined', responseCode: '05' }]);
  const denied = await chargedBilling(shop, (await subscribe(shop)).subscriptionId);
  const { subscriptionId, vaultId } = await subscribe(shop, { trialDays: 5 });
  const putBack = await loseCardKeys();

  await jumpTo(shop, 6);
  const [waiting] = await billingsOf(shop, subscriptionId);
  assert.deepEqual([waiting.status, chargesOf(waiting)], ['Opened', []]);
  assert.ok((await metricOf('parcela_billings_waiting_for_key_total')) > 0);
  assert.equal(await statusOf(shop, subscriptionId), 'Active');

  const byHand = await shop.ask(`${BILLING}/${denied.id}/charge`, { method: 'POST' });
  assert.equal(byHand.status, 503, byHand.text);
  const payment = await shop.ask('/v1/payments', {
    body: paymentRequest('', 1_000, { cardInfo: { vaultId } }),
  });
  assert.equal(payment.status, 503, payment.text);

  await putBack();
  await until('it is paid', async () => {
    // It rests ever longer between the tries.
    await service.auditor.query('update billings set lease_expires_at = now() where subscription_id = $1', [
      subscriptionId,
    ]);
    return (await billingsOf(shop, subscriptionId))[0].status === 'Paid';
  });
  assert.equal((await shop.ask(`${BILLING}/${denied.id}/charge`, { method: 'POST' })).status, 200);
});

test('a stored card that was altered is not waited for: the billing is PaymentInvalid, and takes another card', async () => {
  const shop = await service.openShop('cartao-alterado');
  const { subscriptionId, vaultId } = await subscribe(shop, { trialDays: 5 });
  await service.auditor.query(
    `update vault_cards set sealed_number = sealed_number || '\\x00'::bytea where vault_id = $1`,
    [vaultId],
  );
  await jumpTo(shop, 6);
  const [invalid] = await billingsOf(shop, subscriptionId);
  assert.deepEqual([invalid.status, chargesOf(invalid)[0].rule], ['PaymentInvalid', 'CardUnusable']);
  assert.deepEqual(await ledgerOf(service, shop, invalid.id), []);
});

test('a billing whose brand the acquirer does not take waits, and is paid when it takes it again', async () => {
  const shop = await service.openShop('bandeira-ausente');
  await script(service, shop, [{ outcome: 'declined', responseCode: '05' }]);
  const denied = await chargedBilling(shop, (await subscribe(shop)).subscriptionId);
  const { subscriptionId, vaultId } = await subscribe(shop, { trialDays: 5 });
  const manual = () => shop.ask(`${BILLING}/${denied.id}/charge`, { method: 'POST' });
  const pay = () => shop.ask('/v1/payments', { body: paymentRequest('', 1_000, { cardInfo: { vaultId } }) });
  service.bridge.reportCapabilities({ brands: ['elo'] });
  await until('the service has read it', async () => (await pay()).status === 400, 60_000);
  assert.equal((await manual()).status, 503);

  await jumpTo(shop, 6);
  const [waiting] = await billingsOf(shop, subscriptionId);
  assert.deepEqual([waiting.status, chargesOf(waiting)], ['Opened', []]);
  assert.ok((await metricOf('parcela_billings_waiting_for_brand_total')) > 0);
  assert.equal(await statusOf(shop, subscriptionId), 'Active');

  service.bridge.reportCapabilities({ brands: ['visa', 'mastercard', 'elo'] });
  await until('the service has read it', async () => (await pay()).status === 200, 60_000);
  assert.equal((await manual()).status, 200);
  await until('it is paid', async () => {
    await service.auditor.query('update billings set lease_expires_at = now() where subscription_id = $1', [
      subscriptionId,
    ]);
    return (await billingsOf(shop, subscriptionId))[0].status === 'Paid';
  });
});
