import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  BILLING,
  billingsOf,
  type ChargingService,
  chargedBilling,
  chargesOf,
  jumpTo,
  openChargingService,
  type Shown,
  subscribe,
} from './charging-service.ts';

let service: ChargingService;
before(async () => {
  service = await openChargingService();
});
after(() => service?.close());

test('a paid billing names the payment that paid it, and its payments are found by it, declined ones too', async () => {
  const shop = await service.openShop('cobranca-paga');
  const other = await service.openShop('cobranca-alheia');
  const { subscriptionId } = await subscribe(shop, { attempts: 4 }, { kind: 'lacksFundsTwice' });
  const { id } = await chargedBilling(shop, subscriptionId);
  await jumpTo(shop, 10);
  const [paid, next] = await billingsOf(shop, subscriptionId);
  assert.deepEqual([paid.status, next.status, next.paymentId, next.nsu], ['Paid', 'Opened', null, null]);
  const charges = chargesOf(paid);
  assert.equal(paid.paymentId, charges.at(-1).paymentId);
  const payments = await shop.get(`/v1/payments?billingId=${id}&orderBy=transactionDate`);
  assert.deepEqual(
    payments.items.map(({ paymentId, statusDescription, billingId, returnCode }: Shown) => [
      paymentId,
      statusDescription,
      billingId,
      returnCode,
    ]),
    charges.map(({ paymentId, code }: Shown, index) =>
      index === charges.length - 1
        ? [paymentId, 'Autorizada', id, undefined]
        : [paymentId, 'Negada', id, code],
    ),
  );
  assert.ok(charges.length > 1);
  assert.equal(paid.nsu, payments.items.at(-1).nsu);
  const listed = (await shop.get(`${BILLING}?subscriptionId=${subscriptionId}`)).items;
  assert.deepEqual(
    listed.map(({ paymentId, nsu }: Shown) => [paymentId, nsu]).toSorted(),
    [
      [null, null],
      [paid.paymentId, paid.nsu],
    ].toSorted(),
  );
  for (const query of [`billingId=${id}`, `nsu=${paid.nsu}`])
    assert.equal((await other.get(`/v1/payments?${query}`)).total, 0, query);
});
