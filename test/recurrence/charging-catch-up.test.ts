import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../kit/service.ts';
import {
  billingsOf,
  type ChargingService,
  chargesOf,
  dayAfter,
  jumpTo,
  ledgerOf,
  openChargingService,
  type Shown,
  statesOf,
  subscribe,
} from './charging-service.ts';

/** Services that charge nothing: days go by as in a downtime. */
let service: ChargingService;

before(async () => {
  service = await openChargingService({ PARCELA_CHARGES_AT_ONCE: '0' });
});
after(() => service.close());

const ENGINE = { PARCELA_CHARGES_AT_ONCE: '16' };

test('after a long downtime every installment is charged once, in order, and never two of them on one day', async () => {
  const shop = await service.openShop('DEMORA');
  const { subscriptionId } = await subscribe(shop);
  await jumpTo(shop, 100);
  const due = (days: number) => dayAfter(shop.startOn, days);
  assert.deepEqual(statesOf(await billingsOf(shop, subscriptionId)), [[1, due(0), 'Opened']]);
  const engine = await service.startBeside(ENGINE);
  for (const [installment, dueOn] of [0, 30, 60, 90].entries()) {
    const billings: Shown[] = await until(
      `installment ${installment + 1} is paid and the next one open`,
      async () => {
        const shown = await billingsOf(shop, subscriptionId);
        return shown[installment]?.status === 'Paid' && shown.length === installment + 2 && shown;
      },
    );
    const today = due(100 + installment);
    assert.deepEqual(statesOf(billings)[installment], [installment + 1, due(dueOn), 'Paid']);
    const chargedOn = chargesOf(billings[installment])[0].at.slice(0, 10);
    // Another process follows a moved clock within a second: until then it may charge by the day before.
    const late = chargedOn === due(99 + installment) ? 1 : 0;
    assert.ok(late === 1 || chargedOn === today, chargedOn);
    // It may follow between the charge and its record.
    const [next, nextOfLate] = [0, late].map((days) => due(Math.max(dueOn + 30, 101 + installment - days)));
    const { nextChargeOn } = billings[installment + 1];
    assert.ok(nextChargeOn === next || nextChargeOn === nextOfLate, nextChargeOn);
    await jumpTo(shop, 1);
  }
  const ledger = await ledgerOf(service, shop);
  assert.deepEqual(
    ledger.map(({ status }) => status),
    Array(4).fill('approved'),
  );
  await engine.stop();
});

test('several processes charge what has piled up, each billing once', async () => {
  const shop = await service.openShop('MUITOS');
  const first = await subscribe(shop);
  const { planId, vaultId } = first;
  const ids = [first.subscriptionId];
  for (let number = 2; number <= 40; number += 1) {
    const body = { planId, vaultId, orderNumber: `P-${number}` };
    ids.push((await shop.get('/v1/recurrences/subscriptions', { body })) as string);
  }
  const engines = await Promise.all([service.startBeside(ENGINE), service.startBeside(ENGINE)]);
  const paid = async () => (await shop.get('/v1/recurrences/billing?status=Paid&limit=100')).items as Shown[];
  await until('all are paid', async () => (await paid()).length === ids.length);
  assert.equal((await ledgerOf(service, shop)).length, ids.length);
  for (const { id } of await paid()) assert.equal((await ledgerOf(service, shop, id)).length, 1);
  for (const engine of engines) await engine.stop();
});
