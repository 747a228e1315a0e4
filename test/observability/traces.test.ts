import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { GotSpan } from '../kit/collector.ts';
import { startListener } from '../kit/listener.ts';
import { call, paymentRequest, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { chargedBilling, dayAfter, type Shop, subscribe } from '../recurrence/charging-service.ts';
import { openTracedService, type TracedService } from './traced-service.ts';

let service: TracedService;
let shop: Shop;

before(async () => {
  service = await openTracedService();
  shop = await service.openShop('loja-observada');
});
after(() => service?.close());

/** A trace that somebody before us has begun. */
function begin() {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
}

async function payIn(headers: Record<string, string>, amount = 5_000, change = {}, url = service.gatewayUrl) {
  const body = paymentRequest(await tokenize(url, shop.token), amount, change);
  return call(url, '/v1/payments', { token: shop.token, body, headers });
}

function named(spans: readonly GotSpan[], name: string): GotSpan {
  const found = spans.find((span) => span.name === name);
  assert.ok(found, `${name} is not among ${spans.map((span) => span.name).join(', ')}`);
  return found;
}

/** Whether one stands below the other, however deep. */
function isBelow(spans: readonly GotSpan[], span: GotSpan, above: GotSpan): boolean {
  for (let at: GotSpan | undefined = span; at !== undefined; ) {
    if (at.parentSpanId === above.spanId) return true;
    const { parentSpanId }: GotSpan = at;
    at = spans.find(({ spanId }) => spanId === parentSpanId);
  }
  return false;
}

test('a payment is one trace from the proxy over its statements and the acquirer to the webhook', async (t) => {
  const merchant = await startListener();
  t.after(() => merchant.close());
  const begun = begin();
  const reply = await payIn(begun.headers, 5_000, { urlCallBack: `${merchant.url}/retorno` });
  assert.equal(reply.status, 200, reply.text);
  const spans = await service.traceWith(begun.traceId, 'deliverDue', 'POST /v1/payments');
  const request = named(spans, 'POST /v1/payments');
  assert.equal(request.parentSpanId, begun.spanId);
  assert.equal(request.kind, 2);
  assert.equal(request.attributes['http.response.status_code'], 200);
  assert.equal(request.attributes['parcela.merchant.id'], shop.merchantId);
  assert.equal(request.attributes['parcela.payment.id'], reply.headers.get('x-payment-id'));
  assert.equal(request.attributes['parcela.request.id'], reply.headers.get('x-request-id'));
  for (const name of ['transactions.commit_intents_plain', 'transactions.commit_outcomes']) {
    const statement = named(spans, name);
    assert.equal(statement.kind, 3);
    assert.equal(statement.attributes['db.system.name'], 'postgresql');
    assert.ok(isBelow(spans, statement, request), name);
  }
  const authorization = named(spans, 'POST /authorizations');
  assert.ok(isBelow(spans, authorization, request));
  assert.equal(authorization.attributes['peer.service'], 'acquirer');
  assert.ok(service.bridge.traceparents.includes(`00-${begun.traceId}-${authorization.spanId}-01`));
  const decision = named(spans, 'POST /decisions');
  assert.equal(decision.attributes['peer.service'], 'antifraud');
  const asked = service.provider.received.map(({ headers }) => headers.traceparent);
  assert.ok(asked.includes(`00-${begun.traceId}-${decision.spanId}-01`));
  const delivery = named(spans, 'deliverDue');
  assert.equal(delivery.parentSpanId, request.spanId);
  const post = named(spans, 'POST webhook');
  assert.equal(post.parentSpanId, delivery.spanId);
  assert.equal(merchant.received[0]?.headers.traceparent, `00-${begun.traceId}-${post.spanId}-01`);
});

test('what many write at once is below one of them, and names the others', async () => {
  const begun = Array.from({ length: 12 }, begin);
  const replies = await Promise.all(begun.map(({ headers }) => payIn(headers)));
  for (const reply of replies) assert.equal(reply.status, 200, reply.text);
  const traces = await Promise.all(
    begun.map(({ traceId }) => service.traceWith(traceId, 'POST /v1/payments')),
  );
  const spans = traces.flat();
  const writers = spans.filter(({ name }) => name === 'outcomes').map(({ spanId }) => spanId);
  assert.equal(writers.length, 12);
  const batches = spans.filter(({ name }) => name === 'outcomes batch');
  const named = batches.flatMap(({ parentSpanId, links }) => [
    parentSpanId,
    ...links.map((link) => link.spanId),
  ]);
  assert.deepEqual(named.toSorted(), writers.toSorted());
  for (const { attributes, links } of batches)
    assert.equal(attributes['db.operation.batch.size'], 1 + links.length);
});

test('a charge that stays unknown is resolved in the trace of its payment', async () => {
  const begun = begin();
  const reply = await payIn(begun.headers, 1_001);
  assert.equal(reply.status, 500, reply.text);
  const spans = await service.traceWith(begun.traceId, 'resolveUnresolvedCharges', 'POST /v1/payments');
  const request = named(spans, 'POST /v1/payments');
  assert.ok(request.hasFailed);
  const resolving = named(spans, 'resolveUnresolvedCharges');
  assert.equal(resolving.parentSpanId, request.spanId);
  assert.equal(resolving.attributes['parcela.payment.id'], request.attributes['parcela.payment.id']);
  const found = named(spans, 'GET /charges/{reference}');
  assert.ok(isBelow(spans, found, resolving));
});

test('the charge of a billing is a trace of its own', async () => {
  const { subscriptionId } = await subscribe(shop);
  const billing = await chargedBilling(shop, subscriptionId);
  const spans = await until('its trace has come', async () => {
    const isOfBilling = ({ name, attributes }: GotSpan) =>
      name === 'chargeDueBillings' && attributes['parcela.billing.id'] === billing.id;
    const task = service.collector.spans().find(isOfBilling);
    return task !== undefined && service.collector.spans().filter(({ traceId }) => traceId === task.traceId);
  });
  const task = named(spans, 'chargeDueBillings');
  assert.equal(task.parentSpanId, '');
  assert.ok(isBelow(spans, named(spans, 'POST /authorizations'), task));
  assert.ok(isBelow(spans, named(spans, 'chargeEnds'), task));
});

test('the bank is asked for a boleto in the trace of the request', async () => {
  const begun = begin();
  const body = {
    value: 149.9,
    dueDate: dayAfter(shop.startOn, 40),
    payer: {
      name: 'Ana Souza',
      documentNumber: '52998224725',
      address: {
        street: 'Rua das Flores',
        number: '100',
        district: 'Centro',
        city: 'São Paulo',
        state: 'SP',
        zipCode: '01001000',
      },
    },
  };
  const path = `/api/billissuer/new?accountNumber=${shop.merchantId}`;
  const reply = await shop.askIntegration(path, { body, headers: begun.headers });
  assert.equal(reply.status, 200, reply.text);
  const spans = await service.traceWith(begun.traceId, 'POST /api/billissuer/new');
  assert.equal(named(spans, 'POST /boletos').attributes['peer.service'], 'bank');
});

test('only a trusted proxy brings a trace, and merchants learn of none unless the operator says so', async (t) => {
  const strict = await service.startBeside({ PARCELA_TRUSTED_PROXIES: '', PARCELA_TRACE_TARGETS: 'none' });
  const merchant = await startListener();
  t.after(() => merchant.close());
  const begun = begin();
  const change = { urlCallBack: `${merchant.url}/retorno` };
  const reply = await payIn(begun.headers, 6_000, change, strict.gatewayUrl);
  assert.equal(reply.status, 200, reply.text);
  const paymentId = reply.headers.get('x-payment-id');
  const request = await until('its trace has come', async () =>
    service.collector
      .spans()
      .find(
        ({ name, attributes }) =>
          name === 'POST /v1/payments' && attributes['parcela.payment.id'] === paymentId,
      ),
  );
  assert.notEqual(request.traceId, begun.traceId);
  assert.equal(request.parentSpanId, '');
  const received = await until('the webhook came', async () => merchant.received[0]);
  // Another process on the same database, which sends everywhere, may have had it.
  await until('its line is written', async () => strict.log.some((line) => line.includes(request.traceId)));
  const sent = service.bridge.traceparents.filter((header) => header.includes(request.traceId));
  assert.deepEqual(sent, []);
  assert.equal(String(received.headers.traceparent ?? '').includes(begun.traceId), false);
});
