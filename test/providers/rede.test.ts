import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call, logIn, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { linksOf } from '../payments/linked.ts';
import { insertPlan } from '../recurrence/recurrence-service.ts';
import {
  type AcquirerService,
  ESTABLISHMENT,
  idOf,
  openAcquirerService,
  payByStored,
} from './acquirer-service.ts';

/** The adapter of Rede, from the front door to the books of the simulated Rede. */

let rede: AcquirerService;

before(async () => {
  const settings = ['horizonSeconds=2', 'apartSeconds=1', 'softDescriptor=LOJA TESTE'];
  rede = await openAcquirerService('rede', { settings, service: { PARCELA_CHARGES_AT_ONCE: '4' } });
  await rede.waitForNoon();
});
after(() => rede?.close());

const live = (booked: readonly { readonly liveAmount?: number }[]) =>
  booked.reduce((sum, { liveAmount = 0 }) => sum + liveAmount, 0);

test('a payment is charged once, under a reference that comes from its id', async () => {
  const reply = await rede.pay(12_300, {
    payment: { transactionType: 'credit', amount: 12_300, productType: 'lojista', installments: 3 },
  });
  assert.equal(reply.status, 200, reply.text);
  const booked = await rede.booked(idOf(reply));
  assert.equal(booked.length, 1);
  const [sale] = booked;
  assert.deepEqual([sale?.state, sale?.amount, sale?.installments], ['captured', 12_300, 3]);
  assert.equal(sale?.notes.softDescriptor, 'LOJA TESTE');
  const row = await rede.transaction(reply.order);
  assert.equal(row.tid, sale?.id);
  assert.equal(row.nsu, String(sale?.nsu));
  assert.deepEqual([row.state, row.acquirer], ['approved', 'rede']);
});

const CAVV = 'AAABBZEEBgAAAAAAAAQGAAAAAAA=';

test('an authentication made elsewhere reaches Rede, and the payment says that it was authenticated', async () => {
  const threeDSecure = { eci: '02', cavv: CAVV, dsTransactionId: randomUUID(), version: '2.2.0' };
  const reply = await rede.pay(12_310, { threeDSecure });
  assert.equal(reply.status, 200, reply.text);
  const shown = { eci: '02', version: '2.2.0', result: 'authenticated' };
  assert.deepEqual(reply.body.paymentAuthorization.threeDSecure, shown);
  assert.deepEqual((await rede.read(idOf(reply))).threeDSecure, shown);
  const [sale] = await rede.booked(idOf(reply));
  assert.equal(sale?.notes.eci, '02');
  const row = await rede.transaction(reply.order);
  assert.deepEqual([row.eci, row.three_d_secure_version], ['02', '2.2.0']);
  assert.ok(!JSON.stringify(row).includes(CAVV));
});

test('a later use of a Mastercard names the first, by the network id and the link', async () => {
  const uses = await payByStored(rede, 'first');
  const [first] = uses;
  assert.deepEqual(
    uses.map(({ told }) => [told.brandTid, told.transactionLinkId]),
    [
      [undefined, undefined],
      [first?.id, first?.link],
      [first?.id, first?.link],
    ],
  );
});

test("an indicator that the card's brand does not use is refused before anything is sent", async () => {
  const threeDSecure = { eci: '05', cavv: CAVV, dsTransactionId: randomUUID() };
  const reply = await rede.pay(12_312, { threeDSecure });
  assert.equal(reply.status, 400, reply.text);
  assert.deepEqual(
    reply.body.map(({ tag }: { tag: string }) => tag),
    ['threeDSecure.eci'],
  );
});

test("a decline carries the brand's own code", async () => {
  const reply = await rede.pay(1_051);
  assert.equal(reply.status, 402, reply.text);
  assert.equal(reply.body[0].tag, '51');
});

test('a refusal of the request itself is no decline: nothing was charged, and the caller may come again', async () => {
  await rede.script({ on: 'authorize', returnCode: '898' });
  const reply = await rede.pay(12_301);
  assert.equal(reply.status, 503, reply.text);
  const row = await rede.transaction(reply.order);
  assert.equal(row.state, 'voided');
  assert.match(String(row.unknown_reason), /^not sent: .*898/);
});

test('a charge that was booked and not answered is voided: nothing of it stays', async () => {
  const reply = await rede.pay(1_002);
  assert.equal(reply.status, 500, reply.text);
  const row = await rede.untilState(reply.order, 'voided');
  const booked = await rede.booked(String(row.transaction_id));
  assert.deepEqual([booked.length, booked[0]?.state, live(booked)], [1, 'refunded', 0]);
});

test('a time-out that Rede reports is unknown, whether it was booked or not', async () => {
  await rede.script({ on: 'authorize', returnCode: '150', books: true });
  const reply = await rede.pay(12_302);
  assert.equal(reply.status, 500, reply.text);
  const row = await rede.untilState(reply.order, 'voided');
  assert.equal(live(await rede.booked(String(row.transaction_id))), 0);
});

test('what Rede does not know is looked for until its horizon is over, and a day longer', async () => {
  const reply = await rede.pay(1_001);
  assert.equal(reply.status, 500, reply.text);
  await until('a look found nothing', async () => {
    const row = await rede.transaction(reply.order);
    return row.state === 'unresolved' && row.void_sent_at !== null;
  });
  const row = await rede.untilState(reply.order, 'voided');
  const [watched] = await rede.service.auditor.query(
    "select watched_until - due_at > interval '20 hours' as is_long from watched_charges where transaction_id = $1",
    [row.transaction_id],
  );
  assert.equal(watched?.is_long, true);
  assert.deepEqual(await rede.booked(String(row.transaction_id)), []);
});

test('a charge that Rede books behind the horizon is found by the watch, voided, and told of', async () => {
  await rede.script({ on: 'authorize', delayMilliseconds: 9_000 });
  const reply = await rede.pay(12_303);
  assert.equal(reply.status, 500, reply.text);
  const { transaction_id: id } = await rede.untilState(reply.order, 'voided');
  await until('it is live after all', async () => live(await rede.booked(String(id))) > 0);
  await rede.service.auditor.query('update watched_charges set due_at = now() where transaction_id = $1', [
    id,
  ]);
  await until('it is voided', async () => live(await rede.booked(String(id))) === 0, 90_000);
  await until('somebody is told', async () =>
    rede.service.log.some((line) => line.includes('was found to be gone') && line.includes(String(id))),
  );
});

test('a token that ended in mid-flight is renewed once, and the payment is made', async () => {
  await rede.desk('tokens/expire', { merchantId: ESTABLISHMENT });
  const reply = await rede.pay(12_304);
  assert.equal(reply.status, 200, reply.text);
  assert.equal((await rede.booked(idOf(reply))).length, 1);
});

test('a whole cancel on the day of the sale is done at once', async () => {
  const paymentId = idOf(await rede.pay(12_305));
  const reply = await rede.post(paymentId, 'cancel');
  assert.equal(reply.status, 200, reply.text);
  assert.equal(live(await rede.booked(paymentId)), 0);
  assert.equal((await rede.read(paymentId)).statusDescription, 'Cancelada');
});

test('a cancel that Rede refuses ends, and may be asked for again', async () => {
  const paymentId = idOf(await rede.pay(12_312));
  await rede.script({ on: 'refund', returnCode: '371' });
  const refused = await rede.post(paymentId, 'cancel');
  assert.equal(refused.status, 409, refused.text);
  assert.equal((await rede.post(paymentId, 'cancel')).status, 200);
  assert.equal(live(await rede.booked(paymentId)), 0);
});

test('what Rede forbids of a captured sale contradicts it, and is believed by look-ups alone', async () => {
  const paymentId = idOf(await rede.pay(12_313));
  await rede.script({ on: 'refund', returnCode: '351' });
  assert.equal((await rede.post(paymentId, 'cancel')).status, 500);
  const denied = `update cancels set sent_at = now() - interval '1 hour', denied_at = now() - interval '1 hour', due_at = now()
    where transaction_id = $1 and denial = 'Rede answered 351' returning 1`;
  await until(
    'the no is kept',
    async () => (await rede.service.auditor.query(denied, [paymentId])).length > 0,
  );
  const ended = `select refusal_reason from cancels where transaction_id = $1 and state = 'refused'`;
  await until('it ends', async () => (await rede.service.auditor.query(ended, [paymentId])).length > 0);
  assert.equal(live(await rede.booked(paymentId)), 12_313);
});

test('a hold that Rede does not void is asked for rarely, and is over when no network holds it any more', async () => {
  const payment = {
    transactionType: 'credit',
    amount: 12_314,
    productType: 'avista',
    installments: 1,
    captureType: 'pa',
  };
  const { order, ...reply } = await rede.pay(12_314, { payment });
  const no = { on: 'refund', returnCode: '365' };
  await rede.script(no, no, no, no);
  assert.equal((await rede.post(idOf(reply), 'cancel')).status, 500);
  const { auditor } = rede.service;
  const tried = `update transactions set resolve_tries = 20, due_at = now() where transaction_id = $1
    and state = 'unresolved' and unknown_reason ~ '365' returning 1`;
  await until('it is refused', async () => (await auditor.query(tried, [idOf(reply)])).length > 0);
  const rests = `select 1 from transactions where transaction_id = $1 and due_at > now() + interval '50 minutes'`;
  await until('it rests', async () => (await auditor.query(rests, [idOf(reply)])).length > 0);
  const old = `update transactions set created_at = now() - interval '32 days', due_at = now() where transaction_id = $1`;
  await auditor.query(old, [idOf(reply)]);
  await rede.untilState(order, 'voided');
  await rede.script();
});

test('a cancel that was done and not answered is told by the sum, and not done again', async () => {
  const paymentId = idOf(await rede.pay(12_306));
  await rede.script({ on: 'refund', fault: 'booksButSilent' });
  const reply = await rede.post(paymentId, 'cancel');
  assert.equal(reply.status, 500, reply.text);
  await until('it is canceled', async () => (await rede.read(paymentId)).statusDescription === 'Cancelada');
  const [sale] = await rede.booked(paymentId);
  assert.deepEqual([sale?.refunds.length, sale?.refundedAmount], [1, 12_306]);
});

test('a cancel that is lost twice is not sent again until its last request can be booked no more', async () => {
  const paymentId = idOf(await rede.pay(12_311));
  const { auditor } = rede.service;
  const lost = { on: 'refund', fault: 'silent' };
  // Nobody takes the third while it is not to be sent.
  await rede.script(lost, lost, { on: 'refund', fault: 'booksButSilent' });
  assert.equal((await rede.post(paymentId, 'cancel', { amount: 2_311 })).status, 500);
  const readCancel = async () => {
    const [row] = await auditor.query(
      `select unknown_reason, sent_at > now() - interval '1 minute' as is_just_sent
       from cancels where transaction_id = $1`,
      [paymentId],
    );
    return row as { unknown_reason: string | null; is_just_sent: boolean };
  };
  const askAgain = (change: string) =>
    auditor.query(`update cancels set ${change} due_at = now() where transaction_id = $1`, [paymentId]);
  await until('its caller is done', async () => (await readCancel()).unknown_reason !== null);
  await askAgain("sent_at = now() - interval '3 minutes',");
  await until('it is sent again', async () => (await readCancel()).is_just_sent);
  await askAgain('');
  await until('it is looked for', async () =>
    /may still book/.test((await readCancel()).unknown_reason ?? ''),
  );
  assert.deepEqual((await rede.booked(paymentId))[0]?.refunds, []);
  await askAgain("sent_at = now() - interval '3 minutes',");
  await until('it is done', async () => (await rede.booked(paymentId))[0]?.refunds.length === 1);
});

test('a part is accepted on the day of the sale and done the day after; another has to wait for it', async () => {
  const paymentId = idOf(await rede.pay(12_307));
  const reply = await rede.post(paymentId, 'cancel', { amount: 2_307 });
  assert.equal(reply.status, 202, reply.text);
  const other = await rede.post(paymentId, 'cancel', { amount: 1_000 });
  assert.equal(other.status, 409, other.text);
  await rede.nextDay();
  await rede.service.auditor.query(
    'update cancels set due_at = now(), rests_until = now() where transaction_id = $1',
    [paymentId],
  );
  await until('it is done', async () => (await rede.read(paymentId)).canceledAmount === 2_307);
  const [sale] = await rede.booked(paymentId);
  assert.deepEqual([sale?.refunds.length, sale?.liveAmount], [1, 10_000]);
});

test('a capture that is refused ends, leaves the charge held, and may be asked for again', async () => {
  const held = { transactionType: 'credit', amount: 12_310, productType: 'avista', installments: 1 };
  const paymentId = idOf(await rede.pay(12_310, { payment: { ...held, captureType: 'pa' } }));
  await rede.script({ on: 'capture', returnCode: '173' });
  const refused = await rede.post(paymentId, 'capture', { amount: 2_310 });
  assert.equal(refused.status, 409, refused.text);
  assert.equal((await rede.booked(paymentId))[0]?.state, 'authorized');
  assert.equal((await rede.post(paymentId, 'capture', { amount: 2_310 })).status, 200);
  assert.equal((await rede.booked(paymentId))[0]?.capturedAmount, 2_310);
});

test('what is held is captured in part, once, and what was not captured is let go', async () => {
  const held = { transactionType: 'credit', amount: 12_308, productType: 'avista', installments: 1 };
  const payment = { ...held, captureType: 'pa' };
  const reply = await rede.pay(12_308, { payment });
  assert.equal(reply.status, 200, reply.text);
  const paymentId = idOf(reply);
  const captured = await rede.post(paymentId, 'capture', { amount: 2_308 });
  assert.equal(captured.status, 200, captured.text);
  const [sale] = await rede.booked(paymentId);
  assert.deepEqual([sale?.state, sale?.capturedAmount], ['captured', 2_308]);
  const released = idOf(await rede.pay(12_308, { payment }));
  assert.equal((await rede.post(released, 'cancel')).status, 200);
  assert.equal(live(await rede.booked(released)), 0);
  // Another no is tried again; that it is too late ends it, where it can be.
  for (const [days, isLive] of [
    [2, true],
    [0, false],
  ] as const) {
    const late = await rede.pay(12_308, { payment });
    await rede.service.auditor.query(
      `update transactions set created_at = created_at - $2 * interval '1 day' where transaction_id = $1`,
      [idOf(late), days],
    );
    await rede.script({ on: 'refund', returnCode: '365' }, { on: 'refund', returnCode: '354' });
    assert.equal((await rede.post(idOf(late), 'cancel')).status, 500);
    await rede.untilState(late.order, 'voided');
    assert.equal(live(await rede.booked(idOf(late))) > 0, isLive);
  }
});

test('a capture that was done and not answered is found, and not made again', async () => {
  const amount = 12_309;
  const payment = {
    transactionType: 'credit',
    amount,
    productType: 'avista',
    installments: 1,
    captureType: 'pa',
  };
  const paymentId = idOf(await rede.pay(amount, { payment }));
  await rede.script({ on: 'capture', fault: 'booksButSilent' });
  assert.equal((await rede.post(paymentId, 'capture')).status, 500);
  await until('it is captured', async () => (await rede.read(paymentId)).statusDescription === 'Autorizada');
  assert.equal((await rede.booked(paymentId))[0]?.capturedAmount, amount);
});

test('a try to pay a link that the acquirer refused to handle is one of its twenty', async () => {
  const links = linksOf({ url: rede.service.gatewayUrl, token: rede.token });
  const link = await links.newLink();
  await rede.service.auditor.query(
    'update payment_links set tries = 19, card_tries = 19 where link_id = $1',
    [link.id],
  );
  await rede.script({ on: 'authorize', returnCode: '898' });
  assert.equal((await links.byCard(link)).body.status, 'declined');
  assert.equal((await links.byCard(link)).body.status, 'notOpen');
});

test('what was surely not charged goes to the next of the rules, once, and an unknown charge never', async () => {
  await rede.parcela('provider', 'route', '--kind', 'acquirer', '--rule', 'rede', '--rule', 'default');
  const reply = await until('the second rule is known', async () => {
    await rede.script({ on: 'authorize', returnCode: '898' });
    const paid = await rede.pay(12_310);
    if (paid.status === 200) return paid;
    // Refused five times in a row it would be passed over.
    await rede.pay(12_300);
    return false;
  });
  const attempts = await rede.service.auditor.query(
    `select transaction_id, acquirer, state, next_attempt_id from transactions
     where reference_transaction = $1 order by created_at`,
    [reply.order],
  );
  assert.deepEqual(
    attempts.map(({ acquirer, state }) => [acquirer, state]),
    [
      ['rede', 'voided'],
      ['default', 'approved'],
    ],
  );
  assert.deepEqual([attempts[0]?.next_attempt_id, attempts[1]?.transaction_id], [idOf(reply), idOf(reply)]);
  assert.deepEqual(await rede.booked(String(attempts[0]?.transaction_id)), []);
  const lost = await rede.pay(1_002);
  assert.equal(lost.status, 500, lost.text);
  await rede.untilState(lost.order, 'voided');
  const tries = await rede.service.auditor.query(
    'select acquirer from transactions where reference_transaction = $1',
    [lost.order],
  );
  assert.deepEqual(tries, [{ acquirer: 'rede' }]);
});

test('a billing that the first acquirer surely did not charge goes to the next one in the same attempt', async () => {
  const { service, merchantId, token } = rede;
  const recurrence = await logIn(service.gatewayUrl, (await service.demo()).recurrence);
  const planId = await insertPlan({ auditor: service.auditor, merchantId });
  const numberToken = await tokenize(service.gatewayUrl, token);
  const card = { numberToken, cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };
  const stored = await call(service.gatewayUrl, '/v1/vaults/cards', { token, body: card });
  assert.equal(stored.status, 200, stored.text);
  await rede.script({ on: 'authorize', returnCode: '898' });
  const ask = (path: string, body?: object) =>
    call(service.gatewayUrl, `/v1/recurrences${path}`, { token: recurrence, ...(body && { body }) });
  const { vaultId } = stored.body;
  const subscription = await ask('/subscriptions', { vaultId, orderNumber: 'P-1', planId });
  assert.equal(subscription.status, 200, subscription.text);
  const billing = await until('its first billing is paid', async () => {
    const { body } = await ask(`/billing?subscriptionId=${subscription.body}&status=Paid`);
    return body.items[0];
  });
  const attempts = await service.auditor.query(
    `select t.transaction_id, t.acquirer, t.state, t.next_attempt_id, c.outcome, c.attempt_number
     from billing_charges c join transactions t using (merchant_id, transaction_id)
     where c.billing_id = $1 order by c.charge_number`,
    [billing.id],
  );
  assert.deepEqual(
    attempts.map((one) => [one.acquirer, one.state, one.outcome, one.attempt_number]),
    [
      ['rede', 'voided', 'voided', 1],
      ['default', 'approved', 'approved', 1],
    ],
  );
  const [first, second] = attempts.map(({ transaction_id: id }) => String(id));
  assert.equal(attempts[0]?.next_attempt_id, second);
  assert.deepEqual((await rede.read(String(second))).attempts, [
    { paymentId: first, acquirer: 'rede', notCharged: 'requestRefused' },
    { paymentId: second, acquirer: 'default', notCharged: null },
  ]);
});

test('a card is verified and charged R$ 1.00 by command, and nothing of it stays', async () => {
  const says = await rede.tryCard('--charge');
  assert.match(says, /answers and is fit/);
  assert.match(says, /the acquirer approves/);
  assert.match(says, /The charge was approved\.\s+Mastercard's link \(TLID\) came with it/);
  assert.match(says, /Nothing of it is live/);
});

test('the operator is told in plain words what is wrong, and of no key', async () => {
  await rede.desk('merchants', { merchantId: ESTABLISHMENT, key: 'another' });
  const { exitCode, printed } = await rede.testProvider();
  assert.equal(exitCode, 1);
  assert.match(printed, /takes no such/);
  assert.ok(!printed.includes('KEY-OF-A-TEST'));
});
