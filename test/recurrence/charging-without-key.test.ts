import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { paymentRequest } from '../client.ts';
import { until } from '../running-service.ts';
import {
  BILLING,
  billingsOf,
  type ChargingHouse,
  chargedBilling,
  chargesOf,
  jumpTo,
  ledgerOf,
  openChargingHouse,
  script,
  statusOf,
  subscribe,
} from './charging-house.ts';

const TIMEOUT = { timeout: 240_000 };

let house: ChargingHouse;
before(async () => {
  house = await openChargingHouse();
}, TIMEOUT);
after(() => house?.close());

/** As after a restore of `data_keys` from a backup that is older than the key; gives how it is put back. */
async function loseCardKeys(): Promise<() => Promise<unknown>> {
  const run = (text: string) =>
    house.auditor.query(`do $$ begin set local session_replication_role = replica; ${text}; end $$`);
  await house.service().kill();
  await house.auditor.query(`create table kept_keys as select * from data_keys where purpose = 'card'`);
  await run(`delete from data_keys where purpose = 'card'`);
  await house.restart();
  return async () => {
    await run(
      `
       insert into data_keys overriding system value select (jsonb_populate_record(k, jsonb_build_object('retired_at', now()))).* from kept_keys k`,
    );
    await house.auditor.query('drop table kept_keys');
  };
}

async function metricOf(name: string): Promise<number> {
  const text = await (await fetch(house.service().metricsUrl)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}

test(
  'a billing whose card does not open because its key is lost waits, and is paid when the key is back',
  TIMEOUT,
  async () => {
    const shop = await house.openShop('chave-perdida');
    await script(house, shop, [{ outcome: 'declined', responseCode: '05' }]);
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
      await house.auditor.query('update billings set lease_expires_at = now() where subscription_id = $1', [
        subscriptionId,
      ]);
      return (await billingsOf(shop, subscriptionId))[0].status === 'Paid';
    });
    assert.equal((await shop.ask(`${BILLING}/${denied.id}/charge`, { method: 'POST' })).status, 200);
  },
);

test(
  'a stored card that was altered is not waited for: the billing is PaymentInvalid, and takes another card',
  TIMEOUT,
  async () => {
    const shop = await house.openShop('cartao-alterado');
    const { subscriptionId, vaultId } = await subscribe(shop, { trialDays: 5 });
    await house.auditor.query(
      `update vault_cards set sealed_number = sealed_number || '\\x00'::bytea where vault_id = $1`,
      [vaultId],
    );
    await jumpTo(shop, 6);
    const [invalid] = await billingsOf(shop, subscriptionId);
    assert.deepEqual([invalid.status, chargesOf(invalid)[0].rule], ['PaymentInvalid', 'CardUnusable']);
    assert.deepEqual(await ledgerOf(house, shop, invalid.id), []);
  },
);
