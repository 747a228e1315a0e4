import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ChargingService, openChargingService, type Shop } from '../recurrence/charging-service.ts';
import { boletoRequest, inDays, today } from './boleto-service.ts';

let service: ChargingService;
let shop: Shop;

// With an acquirer of the operator's no simulator of a bank is started.
before(async () => {
  service = await openChargingService();
  shop = await service.openShop('loja-sem-banco');
});
after(() => service?.close());

test('without a bank nothing is issued, the reason has its name, and what is there can be read', async () => {
  const account = `accountNumber=${shop.merchantId}`;
  const headers = { 'accept-language': 'en' };
  const reply = await shop.askIntegration(`/api/billissuer/new?${account}`, {
    body: boletoRequest({ dueDate: inDays(900) }),
    headers,
  });
  assert.equal(reply.status, 409, reply.text);
  assert.match(reply.body[0].description, /PARCELA_BANK_URL/);
  assert.deepEqual(await service.auditor.query('select 1 from boletos'), []);
  const days = `startDate=${today()}&endDate=${inDays(9)}`;
  const listed = await shop.askIntegration(`/api/billissuer/list/by/due-date?${account}&${days}`);
  assert.deepEqual([listed.status, listed.body], [200, []]);
});
