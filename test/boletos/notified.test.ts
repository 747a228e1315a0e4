import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { assertMessageDescribed, call } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { type BoletoShop, force, issue, openBoletoShop } from './boleto-service.ts';

type Received = { readonly path: string; readonly body: Record<string, unknown> };

let shop: BoletoShop;
let server: Server;
const received: Received[] = [];

before(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  shop = await openBoletoShop();
  const { url, token, accountNumber } = shop;
  const path = `/api/webhooks/subscriptions?accountNumber=${accountNumber}`;
  const reply = await call(url, path, { token, body: { url: `${merchantUrl()}/notificacoes` } });
  assert.equal(reply.status, 200, reply.text);
});
after(async () => {
  await shop?.service.close();
  server?.close();
});

const merchantUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test('the webhook of the account and the address of the boleto get each change, in order', async () => {
  const reply = await issue(shop, { urlCallBack: `${merchantUrl()}/boleto` });
  const { id, ourNumber, dueDate } = reply.body;
  await force(shop, id, { type: 'paid', amount: 15_000 });
  await until('both were notified of the payment', async () => received.length >= 6);
  const movements = received.filter(({ path }) => path === '/notificacoes').map(({ body }) => body);
  for (const body of movements) assertMessageDescribed('movementNotification', body);
  assert.deepEqual(
    movements.map(({ nsu, codAuth, installmentNumber, type, oldValue, newValue }) => [
      ...[nsu, codAuth, installmentNumber, type, oldValue, newValue],
    ]),
    [
      [ourNumber, '', 1, 'Boleto', '', 'Emitido'],
      [ourNumber, '', 1, 'Boleto', 'Emitido', 'Pago'],
      [ourNumber, '', 1, 'Boleto', 'Pago', 'Pagamento inesperado'],
    ],
  );
  const callbacks = received.filter(({ path }) => path === '/boleto').map(({ body }) => body);
  for (const body of callbacks) assertMessageDescribed('boletoCallback', body);
  const { moment, ...paid } = callbacks[1] ?? {};
  assert.match(String(moment), /-03:00$/);
  const expected = {
    id,
    ourNumber,
    referenceTransaction: 'PEDIDO-1001',
    value: 149.9,
    dueDate,
    statusBill: 2,
    statusDescription: 'Pago',
    effectivePaymentValue: 150,
    effectivePaymentDate: reply.body.issueDate,
    unexpectedPayment: null,
  };
  assert.deepEqual(paid, expected);
  assert.deepEqual(callbacks[2], {
    ...expected,
    unexpectedPayment: { amount: 15_000, paidOn: reply.body.issueDate, kind: 'otherAmount', state: 'open' },
    moment,
  });
  const { url, token, accountNumber } = shop;
  const listed = await call(url, `/api/webhooks/deliveries?accountNumber=${accountNumber}&nsu=${ourNumber}`, {
    token,
  });
  assert.equal(listed.status, 200, listed.text);
  assert.equal(listed.body.total, 6);
});
