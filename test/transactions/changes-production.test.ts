import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openProductionService, type ProductionService } from '../antifraud/production-service.ts';
import { call, pay } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';

let setup: ProductionService;

before(async () => {
  setup = await openProductionService({ PARCELA_ACQUIRER_CHANGES_SECONDS: '1' });
});
after(() => setup.close());

test('in production one question brings the changes of all merchants', async () => {
  const { service, token, keys } = setup;
  const url = service.gatewayUrl;
  const sellerInfo = { codeAntiFraud: await setup.newCode() };
  const { reply } = await pay(url, token, 5_000, { sellerInfo });
  assert.equal(reply.status, 200, reply.text);
  const { paymentId } = reply.body.paymentAuthorization;
  const [{ merchant_id: merchantId } = {}] = await keys.auditor.query('select merchant_id from transactions');
  const change = {
    merchantId,
    reference: paymentId,
    installmentNumber: 1,
    type: 'settled',
    at: new Date().toISOString(),
  };
  const booked = await fetch(`${keys.settings.PARCELA_ACQUIRER_URL}/changes`, {
    method: 'POST',
    body: JSON.stringify(change),
  });
  assert.equal(booked.status, 200);
  await until('the payment is Paga', async () => {
    const read = await call(url, `/v1/payments/${paymentId}`, { token });
    return read.body.statusDescription === 'Paga';
  });
  const cursors = await keys.auditor.query('select merchant_id from acquirer_cursors');
  assert.deepEqual(cursors, [{ merchant_id: '' }]);
  const body = { type: 'block', installmentNumber: 1 };
  const events = await fetch(`${url}/homologation/transactions/${paymentId}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(events.status, 404, 'events by hand are not there');
});
