import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, logIn, pay, paymentRequest, tokenize } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

let service: TestService;
let token: string;

before(async () => {
  service = await openTestService({
    PARCELA_ANTIFRAUD_RULES:
      'document/hour/attempts/2=review document/hour/attempts/3=reject address/day/declines/2=reject',
  });
  token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
});
after(() => service.close());

async function bookedWith(reference: string): Promise<number> {
  const path = `/homologation/acquirer/charges?reference=${reference}`;
  return (await call(service.gatewayUrl, path, { token })).body.items.length as number;
}

async function verdictOf(reference: string): Promise<unknown[]> {
  const rows = await service.auditor.query(
    'select anti_fraud_verdict, anti_fraud_reasons from transactions where reference_transaction = $1',
    [reference],
  );
  return rows.flatMap((row) => [row.anti_fraud_verdict, row.anti_fraud_reasons]);
}

/** What the list and the payment itself say. */
async function reportedOf(reference: string, paymentId: string): Promise<unknown[]> {
  const listed = await call(service.gatewayUrl, `/v1/payments?referenceTransaction=${reference}`, { token });
  const alone = await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token });
  return [listed.body.items[0], alone.body].map(({ antifraud, antifraudReasons }) => ({
    antifraud,
    antifraudReasons,
  }));
}

async function payAs(customer: Record<string, string>, amount = 1_000) {
  const { request, reply } = await pay(service.gatewayUrl, token, amount, { customer });
  return { reply, reference: request.referenceTransaction };
}

test('a buyer who pays too often is reviewed and charged, then rejected before the acquirer learns of it', async () => {
  const buyer = { documentNumber: '529.982.247-25' };
  for (const verdict of ['accept', 'accept', 'review']) {
    const { reply, reference } = await payAs(buyer);
    assert.equal(reply.status, 200, reply.text);
    const reasons = verdict === 'review' ? 'document/hour/attempts' : '';
    assert.deepEqual(await verdictOf(reference), [verdict, reasons]);
    assert.equal(await bookedWith(reference), 1);
    const reported = { antifraud: verdict, antifraudReasons: reasons === '' ? [] : [reasons] };
    assert.deepEqual(await reportedOf(reference, reply.body.paymentAuthorization.paymentId), [
      reported,
      reported,
    ]);
  }
  const { reply, reference } = await payAs(buyer);
  assert.equal(reply.status, 402);
  assert.deepEqual(Object.keys(reply.body[0]), ['tag', 'description']);
  assert.equal(reply.body[0].tag, 'antifraud');
  assert.deepEqual(await verdictOf(reference), [], 'there is no transaction');
  assert.equal(await bookedWith(reference), 0);
});

test("an address with the issuer's declines is rejected, and its card token is still good", async () => {
  const buyer = { ipAddress: '203.0.113.7' };
  assert.deepEqual(
    [(await payAs(buyer, 1_051)).reply.status, (await payAs(buyer, 1_051)).reply.status],
    [402, 402],
  );
  const numberToken = await tokenize(service.gatewayUrl, token);
  const body = paymentRequest(numberToken, 1_000, { customer: buyer });
  const refused = await call(service.gatewayUrl, '/v1/payments', { token, body });
  assert.deepEqual([refused.status, refused.body[0].tag], [402, 'antifraud']);
  const elsewhere = { ...body, customer: null };
  assert.equal((await call(service.gatewayUrl, '/v1/payments', { token, body: elsewhere })).status, 200);
});

test('the three buyers of homologation try out every answer', async () => {
  const accepted = await payAs({ email: 'accept@test.com' });
  const reviewed = await payAs({ email: 'review@test.com' });
  const rejected = await payAs({ email: 'reject@test.com' });
  assert.deepEqual(
    [accepted, reviewed, rejected].map(({ reply }) => reply.status),
    [200, 200, 402],
  );
  assert.deepEqual(await verdictOf(reviewed.reference), ['review', 'trigger']);
  const text = await (await fetch(service.metricsUrl)).text();
  assert.match(text, /parcela_anti_fraud_decisions_total\{verdict="reject"\} [1-9]/);
});

test('the log names the payment that is to be reviewed, and says of a rejected sale that it was rejected', async () => {
  const reviewed = await payAs({ email: 'review@test.com' });
  await payAs({ email: 'reject@test.com' });
  const { paymentId } = reviewed.reply.body.paymentAuthorization;
  const lines = () => service.log.flatMap((line) => (line.includes('anti-fraud') ? [JSON.parse(line)] : []));
  const { merchantId } = await service.demo();
  const line = await until('the log names it', async () =>
    lines().find((said) => said.paymentId === paymentId),
  );
  assert.deepEqual([line.merchantId, line.outcome, line.reasons], [merchantId, 'approved', ['trigger']]);
  assert.equal(line.msg, 'anti-fraud asks for a review of a payment');
  const rejected = await until('the log says it', async () =>
    lines().find(({ msg, reasons }) => msg === 'anti-fraud rejects sales' && reasons === 'trigger'),
  );
  assert.deepEqual([rejected.level, rejected.merchantId], ['info', undefined], 'of all, once a minute');
  assert.ok(rejected.times >= 1);
  assert.ok(
    !lines().some(({ msg }) => msg === 'anti-fraud rejected a sale'),
    'a line a sale would drown others',
  );
  assert.ok(!lines().some(({ msg }) => msg.includes('stopped')));
});

test('the print of a card that is counted is not the one that its transaction keeps', async () => {
  const { reference } = await payAs({ documentNumber: '111.444.777-35' });
  const [row] = await service.auditor.query(
    `select octet_length(a.card_fingerprint) as bytes, a.card_fingerprint = t.card_fingerprint as is_same
     from transactions t join velocity_events a using (merchant_id, transaction_id) where t.reference_transaction = $1`,
    [reference],
  );
  assert.deepEqual(row, { bytes: 32, is_same: false });
});
