import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cieloCard, cieloSale, MERCHANT_ID, startCielo } from './running-simulator.ts';

const DAY_MILLISECONDS = 86_400_000;
const SPACING_MILLISECONDS = 5_000;

test('what recurs is begun by a charge or for a later day, charged on its days, changed and ended', async (t) => {
  const cielo = await startCielo(t);
  await cielo.waitForNoon();
  const plan = (fields: object) => ({ RecurrentPayment: { Interval: 'Monthly', ...fields } });
  const wrong = await cielo.call('POST', '/sales/', cieloSale('p0', plan({})));
  assert.deepEqual([wrong.status, wrong.body[0].Code], [400, 166]);
  const sold = await cielo.call('POST', '/sales/', cieloSale('p1', plan({ AuthorizeNow: true })));
  const { Status, RecurrentPayment } = sold.body.Payment;
  assert.deepEqual([Status, RecurrentPayment.Interval, RecurrentPayment.AuthorizeNow], [2, 1, true]);
  const path = `/RecurrentPayment/${RecurrentPayment.RecurrentPaymentId}`;
  assert.equal((await cielo.call('PUT', `${path}/Amount`, 777)).status, 200);
  await cielo.wait(32 * DAY_MILLISECONDS);
  const again = (await cielo.call('GET', path)).body.RecurrentPayment;
  assert.deepEqual([again.SuccessfulRecurrences, again.Interval], [2, 'Monthly']);
  assert.deepEqual(
    (await cielo.ledger('reference=p1')).map(({ amount }) => amount),
    [15_700, 777],
  );
  const later = await cielo.call(
    'POST',
    '/sales/',
    cieloSale('p2', plan({ AuthorizeNow: false, StartDate: again.NextRecurrency })),
  );
  assert.deepEqual([later.body.Payment.Status, later.body.Payment.PaymentId], [20, undefined]);
  assert.equal((await cielo.call('PUT', `${path}/Deactivate`)).status, 200);
  await cielo.wait(70 * DAY_MILLISECONDS);
  assert.equal((await cielo.call('GET', path)).body.RecurrentPayment.Status, 3);
  assert.equal((await cielo.ledger('reference=p1')).length, 2);
  assert.equal((await cielo.ledger('reference=p2')).length, 2, 'the days of two months have come');
  assert.equal((await cielo.call('PUT', `${path}/Reactivate`)).status, 200);
  const resumed = (await cielo.call('GET', path)).body.RecurrentPayment;
  assert.deepEqual([resumed.Status, resumed.SuccessfulRecurrences], [1, 2], 'what it missed is not charged');
  const past = await cielo.call('PUT', `${path}/NextPaymentDate`, again.NextRecurrency);
  const days = { AuthorizeNow: false, StartDate: resumed.NextRecurrency, EndDate: again.NextRecurrency };
  const over = await cielo.call('POST', '/sales/', cieloSale('p3', plan(days)));
  assert.deepEqual([past.body[0].Code, over.body[0].Code], [316, 321]);
  assert.equal((await cielo.ledger('reference=p1')).length, 2);
  assert.equal((await cielo.call('GET', '/RecurrentPayment/another')).status, 404);
});

test('a sale is answered as the public clients read it, and found by id, order and tid', async (t) => {
  const cielo = await startCielo(t);
  const sold = await cielo.call('POST', '/sales/', cieloSale('pedido1', { Installments: 2 }));
  assert.equal(sold.status, 201);
  assert.equal(sold.body.MerchantOrderId, 'pedido1');
  assert.deepEqual(sold.body.Customer, { Name: 'Ana Souza' });
  const { Payment } = sold.body;
  assert.match(Payment.PaymentId, /^[0-9a-f-]{36}$/);
  assert.match(Payment.Tid, /^\d{20}$/);
  assert.match(Payment.ProofOfSale, /^\d{6}$/);
  assert.match(Payment.AuthorizationCode, /^[0-9A-Z]{6}$/);
  assert.match(Payment.IssuerTransactionId, /^\d{15}$/);
  assert.match(Payment.ReceivedDate, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.deepEqual(
    [Payment.Status, Payment.ReturnCode, Payment.Amount, Payment.CapturedAmount, Payment.Installments],
    [2, '6', 15_700, 15_700, 2],
  );
  const { CardNumber, Brand, SaveCard, PaymentAccountReference } = Payment.CreditCard;
  assert.deepEqual([CardNumber, Brand, SaveCard], ['411111******1111', 'Visa', false]);
  assert.match(PaymentAccountReference, /^[0-9A-F]{29}$/);
  assert.deepEqual(Payment.Links[0], {
    ...{ Method: 'GET', Rel: 'self', Href: `${cielo.url}/1/sales/${Payment.PaymentId}` },
  });
  const found = await cielo.call('GET', `/sales/${Payment.PaymentId}`);
  assert.equal(found.status, 200);
  assert.deepEqual([found.body.MerchantOrderId, found.body.Payment.Status], ['pedido1', 2]);
  const list = await cielo.call('GET', '/sales?merchantOrderId=pedido1');
  assert.deepEqual(
    list.body.Payments.map((one: { PaymentId: string }) => one.PaymentId),
    [Payment.PaymentId],
  );
  assert.deepEqual(list.body.Payment, list.body.Payments);
  const byTid = await cielo.call('GET', `/sales/acquirerTid/${Payment.Tid}`);
  assert.deepEqual(byTid.body, found.body);
});

test('nothing protects from a second sale under one order number', async (t) => {
  const cielo = await startCielo(t);
  await cielo.waitForNoon();
  for (let times = 0; times < 2; times += 1) await cielo.call('POST', '/sales/', cieloSale('p1'));
  const list = await cielo.call('GET', '/sales?merchantOrderId=p1');
  assert.equal(list.body.Payments.length, 2);
  const { body } = await cielo.ask('GET', '/simulator/summary');
  assert.deepEqual(body.liveTwice, [`${MERCHANT_ID} p1`]);
  const voided = await cielo.call('PUT', '/sales/OrderId/p1/void');
  assert.deepEqual([voided.body.Status, voided.body.ReturnCode], [10, '9']);
  const [oldest, newest] = await cielo.ledger('reference=p1');
  assert.deepEqual([oldest.state, newest.state], ['captured', 'refunded']);
  const later = (await cielo.ask('GET', `/simulator/summary?merchantId=${MERCHANT_ID}`)).body;
  assert.deepEqual([later.liveTwice, later.capturedTwice], [[], [`${MERCHANT_ID} p1`]]);
});

test('what is held is captured once, or let go', async (t) => {
  const cielo = await startCielo(t);
  const held = (await cielo.call('POST', '/sales/', cieloSale('p1', { Capture: 'false' }))).body.Payment;
  assert.deepEqual([held.Status, held.ReturnCode, 'CapturedAmount' in held], [1, '4', false]);
  const partly = await cielo.call('PUT', `/sales/${held.PaymentId}/void?amount=1`);
  assert.equal(partly.body.ReturnCode, '41');
  const captured = await cielo.call('PUT', `/sales/${held.PaymentId}/capture?amount=15000`);
  assert.deepEqual([captured.status, captured.body.Status, captured.body.ReturnCode], [200, 2, '6']);
  const again = await cielo.call('PUT', `/sales/${held.PaymentId}/capture?amount=700`);
  assert.deepEqual([again.status, again.body[0].Code], [400, 308]);
  const other = (await cielo.call('POST', '/sales/', cieloSale('p2', { Capture: false }))).body.Payment;
  const voided = await cielo.call('PUT', `/sales/${other.PaymentId}/void`);
  assert.deepEqual([voided.body.Status, voided.body.ReturnCode], [10, '9']);
  const twice = await cielo.call('PUT', `/sales/${other.PaymentId}/void`);
  assert.deepEqual([twice.status, twice.body[0].Code], [400, 309]);
});

test('a capture is refused in a list of errors, or by a code beside the payment, done or not', async (t) => {
  const cielo = await startCielo(t);
  const { PaymentId } = (await cielo.call('POST', '/sales/', cieloSale('p1', { Capture: false }))).body
    .Payment;
  const capture = (amount: number) => cielo.call('PUT', `/sales/${PaymentId}/capture?amount=${amount}`);
  await cielo.script(MERCHANT_ID, [
    { on: 'capture', returnCode: '308' },
    { on: 'capture', returnCode: '999' },
    { on: 'capture' },
    { on: 'capture', returnCode: '999', books: true },
  ]);
  const said = [];
  for (const amount of [700, 700, 15_701, 15_000]) {
    const { status, body } = await capture(amount);
    said.push([status, body[0]?.Code ?? body.ReturnCode, body.Status]);
  }
  assert.deepEqual(said, [
    [400, 308, undefined],
    [200, '999', 1],
    [200, '842', 1],
    [200, '999', 1],
  ]);
  assert.equal((await cielo.call('GET', `/sales/${PaymentId}`)).body.Payment.CapturedAmount, 15_000);
});

test('partial voids want five seconds between them, and are told apart by their sum alone', async (t) => {
  const cielo = await startCielo(t);
  await cielo.waitForNoon();
  const { PaymentId } = (await cielo.call('POST', '/sales/', cieloSale('p1'))).body.Payment;
  const first = await cielo.call('PUT', `/sales/${PaymentId}/void?amount=1000`);
  assert.deepEqual([first.body.Status, first.body.ReturnCode, first.body.ReasonCode], [2, '0', 0]);
  assert.equal((await cielo.call('PUT', `/sales/${PaymentId}/void?amount=1000`)).body.ReturnCode, '476');
  await cielo.wait(SPACING_MILLISECONDS);
  assert.equal((await cielo.call('PUT', `/sales/${PaymentId}/void?amount=1000`)).body.ReturnCode, '0');
  const { Payment } = (await cielo.call('GET', `/sales/${PaymentId}`)).body;
  assert.deepEqual([Payment.Status, Payment.VoidedAmount], [2, 2_000]);
  await cielo.wait(SPACING_MILLISECONDS);
  assert.equal((await cielo.call('PUT', `/sales/${PaymentId}/void?amount=15700`)).body.ReturnCode, '55');
  await cielo.wait(DAY_MILLISECONDS);
  const rest = await cielo.call('PUT', `/sales/${PaymentId}/void`);
  assert.deepEqual([rest.body.Status, rest.body.ReturnCode], [11, '0']);
});

test('a pending void is said to be there until it is decided', async (t) => {
  const cielo = await startCielo(t);
  const { PaymentId } = (await cielo.call('POST', '/sales/', cieloSale('p1'))).body.Payment;
  const path = (amount: number) => `/sales/${PaymentId}/void?amount=${amount}`;
  await cielo.script(MERCHANT_ID, [{ on: 'refund', pending: { afterMilliseconds: 60_000, fails: true } }]);
  assert.equal((await cielo.call('PUT', path(1_000))).body.ReturnCode, '10');
  assert.equal((await cielo.call('PUT', path(1_000))).body.ReturnCode, '10');
  assert.equal((await cielo.call('PUT', path(500))).body.ReturnCode, '17');
  await cielo.wait(60_000);
  assert.equal((await cielo.call('PUT', path(2_001))).body.ReturnCode, '10');
  await cielo.wait(DAY_MILLISECONDS);
  const [sale] = await cielo.ledger('reference=p1');
  assert.deepEqual(
    sale.refunds.map(({ status }: { status: string }) => status),
    ['failed', 'done'],
  );
  assert.equal(sale.refundedAmount, 2_001);
});

test('a void may be said not to be done, and be done', async (t) => {
  const cielo = await startCielo(t, { options: ['--spacing-milliseconds', '0'] });
  const { PaymentId } = (await cielo.call('POST', '/sales/', cieloSale('p1'))).body.Payment;
  await cielo.script(MERCHANT_ID, [
    { on: 'refund', returnCode: '42' },
    { on: 'refund', returnCode: '309' },
    { on: 'refund', returnCode: '98', books: true },
    { on: 'refund', fault: 'booksButUnavailable' },
  ]);
  const codes = [];
  for (let times = 0; times < 4; times += 1) {
    const { status, body } = await cielo.call('PUT', `/sales/${PaymentId}/void?amount=100`);
    codes.push([status, body[0]?.Code ?? body.ReturnCode]);
  }
  assert.deepEqual(codes, [
    [200, '42'],
    [400, 309],
    [200, '98'],
    [500, undefined],
  ]);
  assert.equal((await cielo.call('GET', `/sales/${PaymentId}`)).body.Payment.VoidedAmount, 200);
});

test('what Cielo does not know it finds out by itself', async (t) => {
  const cielo = await startCielo(t);
  await cielo.script(MERCHANT_ID, [
    { on: 'authorize', doubt: { status: '0', becomes: 'voided' } },
    { on: 'authorize', doubt: { status: '12', becomes: 'confirmed' } },
    { on: 'authorize', doubt: { status: '0', becomes: 'denied' } },
  ]);
  const ids = [];
  for (const reference of ['a', 'b', 'c']) {
    const { Payment } = (await cielo.call('POST', '/sales/', cieloSale(reference))).body;
    ids.push([Payment.PaymentId, Payment.Status]);
  }
  assert.deepEqual(
    ids.map(([, status]) => status),
    [0, 12, 0],
  );
  await cielo.wait(300_000);
  const found = await Promise.all(ids.map(([id]) => cielo.call('GET', `/sales/${id}`)));
  assert.deepEqual(
    found.map(({ body }) => body.Payment.Status),
    [10, 2, 3],
  );
});

test('the guarantee voids what is not known, and says so', async (t) => {
  const cielo = await startCielo(t, { options: ['--cancel-guarantee', '1'] });
  await cielo.script(MERCHANT_ID, [{ on: 'authorize', doubt: { status: '0', becomes: 'confirmed' } }]);
  const { Payment } = (await cielo.call('POST', '/sales/', cieloSale('p1'))).body;
  assert.deepEqual([Payment.Status, Payment.TryAutomaticCancellation], [0, true]);
  await cielo.wait(300_000);
  assert.deepEqual(await cielo.ledger('live=true'), []);
});

test('the query host is behind, and the ledger is not', async (t) => {
  const cielo = await startCielo(t, { options: ['--replica-lag-milliseconds', '60000'] });
  await cielo.waitForNoon();
  const { PaymentId } = (await cielo.call('POST', '/sales/', cieloSale('p1'))).body.Payment;
  assert.equal((await cielo.call('GET', `/sales/${PaymentId}`)).status, 404);
  assert.equal((await cielo.call('GET', '/sales?merchantOrderId=p1')).status, 404);
  assert.equal((await cielo.ledger('live=true')).length, 1);
  await cielo.wait(60_000);
  await cielo.call('PUT', `/sales/${PaymentId}/void`);
  assert.equal((await cielo.call('GET', `/sales/${PaymentId}`)).body.Payment.Status, 2);
  await cielo.wait(60_000);
  assert.equal((await cielo.call('GET', `/sales/${PaymentId}`)).body.Payment.Status, 10);
});

test('a request may arrive later, and more than once', async (t) => {
  const cielo = await startCielo(t);
  await cielo.script(MERCHANT_ID, [{ on: 'authorize', fault: 'booksButClosed', copies: 2 }]);
  await assert.rejects(cielo.call('POST', '/sales/', cieloSale('p1')));
  assert.equal((await cielo.ledger('reference=p1&live=true')).length, 3);
});

test('the last digit of a card decides as in the sandbox, unless the amount does', async (t) => {
  const cielo = await startCielo(t);
  const codes = [];
  for (const digit of ['0', '1', '2', '3', '4', '5', '6', '7', '8']) {
    const CreditCard = cieloCard({ CardNumber: `411111111111111${digit}` });
    const { Payment } = (await cielo.call('POST', '/sales/', cieloSale(`p${digit}`, { CreditCard }))).body;
    codes.push(`${Payment.Status} ${Payment.ReturnCode}`);
  }
  assert.deepEqual(codes, ['2 6', '2 6', '3 05', '3 57', '2 6', '3 78', '3 99', '3 77', '3 70']);
  const declined = await cielo.call('POST', '/sales/', cieloSale('p', { Amount: 1_051 }));
  assert.deepEqual([declined.status, declined.body.Payment.ReturnCode], [201, '51']);
});

test('a card is checked with nothing', async (t) => {
  const cielo = await startCielo(t);
  const good = await cielo.call(
    'POST',
    '/zeroauth',
    cieloCard({ CardNumber: '5111111111111114', Brand: 'Master' }),
  );
  assert.deepEqual([good.status, good.body.Valid, good.body.ReturnCode], [200, true, '00']);
  assert.match(good.body.IssuerTransactionId, /^\d{15}$/);
  assert.match(good.body.TransactionLinkId, /^[\w-]{22}$/);
  const bad = await cielo.call('POST', '/zeroauth', cieloCard());
  assert.deepEqual([bad.body.Valid, bad.body.ReturnCode], [false, '57']);
  assert.match(bad.body.IssuerTransactionId, /^\d{15}$/);
  const amex = await cielo.call('POST', '/zeroauth', cieloCard({ Brand: 'Amex' }));
  assert.deepEqual([amex.status, amex.body.Code], [400, 57]);
});

test('Mastercard wants to know who began the use of a stored card', async (t) => {
  const cielo = await startCielo(t);
  const CreditCard = cieloCard({
    ...{ CardNumber: '5555555555554444', Brand: 'Master' },
    CardOnFile: { Usage: 'Used', Reason: 'Recurring' },
  });
  const refused = await cielo.call('POST', '/sales/', cieloSale('p1', { CreditCard }));
  assert.deepEqual([refused.status, refused.body[0].Code], [400, 186]);
  const InitiatedTransactionIndicator = { Category: 'M1', Subcategory: 'Subscription' };
  const named = { IssuerTransactionId: '300000000000001', TransactionLinkId: 'aB3dE5fG7hI9jK1lM3nO5p' };
  const asked = { CreditCard, InitiatedTransactionIndicator, ...named };
  const malformed = { ...asked, TransactionLinkId: 'too-short' };
  assert.equal((await cielo.call('POST', '/sales/', cieloSale('p1', malformed))).body[0].Code, 186);
  const sold = await cielo.call('POST', '/sales/', cieloSale('p1', asked));
  assert.equal(sold.status, 201);
  assert.deepEqual(sold.body.Payment.InitiatedTransactionIndicator, InitiatedTransactionIndicator);
  assert.deepEqual(sold.body.Payment.CreditCard.CardOnFile, { Usage: 'Used', Reason: 'Recurring' });
  const [sale] = await cielo.ledger('reference=p1');
  assert.deepEqual([sale.notes.issuerTransactionId, sale.notes.transactionLinkId], Object.values(named));
  assert.match(sold.body.Payment.TransactionLinkId, /^[\w-]{22}$/);
});

test('a card is kept under a token, and names may begin with small letters', async (t) => {
  const cielo = await startCielo(t);
  const kept = await cielo.call('POST', '/card', { ...cieloCard(), CustomerName: 'Ana Souza' });
  assert.equal(kept.status, 201);
  const { CardToken } = kept.body;
  const shown = await cielo.call('GET', `/card/${CardToken}`);
  assert.deepEqual(shown.body, {
    ...{ CardNumber: '411111******1111', Holder: 'Ana Souza', ExpirationDate: '12/2030' },
  });
  const sold = await cielo.call('POST', '/sales', {
    ...{ merchantOrderId: 'pedido-1', customer: { name: 'Ana Souza' } },
    payment: {
      type: 'CreditCard',
      amount: 100,
      installments: 1,
      creditCard: { cardToken: CardToken, brand: 'visa' },
    },
  });
  assert.equal(sold.status, 201);
  assert.deepEqual(sold.body.Customer, { Name: 'Ana Souza' });
  assert.deepEqual([sold.body.Payment.Status, sold.body.Payment.CreditCard.CardToken], [1, CardToken]);
  const found = await cielo.call('GET', `/sales/${sold.body.Payment.PaymentId}`);
  assert.equal(found.body.AcquirerOrderId, sold.body.Payment.Tid);
  const other = await cielo.call('POST', '/card', cieloCard(), {
    merchantid: MERCHANT_ID.replace(/^0/, '1'),
  });
  const strange = cieloSale('p2', { CreditCard: { CardToken: other.body.CardToken, Brand: 'Visa' } });
  assert.equal((await cielo.call('POST', '/sales', strange)).body[0].Code, 130);
  const saved = await cielo.call(
    'POST',
    '/sales',
    cieloSale('p3', { CreditCard: cieloCard({ SaveCard: 'true' }) }),
  );
  const { CreditCard } = saved.body.Payment;
  assert.equal(CreditCard.SaveCard, true);
  assert.equal((await cielo.call('GET', `/card/${CreditCard.CardToken}`)).status, 200);
});

test('what is wrong with a request is said in a list of codes', async (t) => {
  const cielo = await startCielo(t);
  const codeOf = async (sale: unknown, headers = {}) => {
    const { status, body } = await cielo.call('POST', '/sales/', sale, headers);
    return [status, body[0].Code];
  };
  assert.deepEqual(await codeOf(cieloSale('a'.repeat(51))), [400, 107]);
  assert.deepEqual(await codeOf(cieloSale('p1', { Amount: 0 })), [400, 108]);
  assert.deepEqual(
    await codeOf(cieloSale('p1', { CreditCard: cieloCard({ ExpirationDate: '13/2030' }) })),
    [400, 126],
  );
  assert.deepEqual(await codeOf(cieloSale('p1'), { merchantid: 'none' }), [400, 114]);
});

test('each host takes its own requests', async (t) => {
  const cielo = await startCielo(t);
  const headers = { merchantid: MERCHANT_ID, merchantkey: 'k' };
  const sold = await cielo.ask('POST', '/command/1/sales', { json: cieloSale('p1'), headers });
  assert.equal(sold.status, 201);
  const [self] = sold.body.Payment.Links;
  assert.equal(self.Href, `${cielo.url}/query/1/sales/${sold.body.Payment.PaymentId}`);
  assert.equal((await cielo.ask('GET', '/command/1/sales?merchantOrderId=p1', { headers })).status, 405);
  assert.equal((await cielo.ask('POST', '/query/1/sales', { json: cieloSale('p1'), headers })).status, 405);
});

test('killed, it has what it answered, and its clock', async (t) => {
  const cielo = await startCielo(t);
  await cielo.wait(DAY_MILLISECONDS);
  const { PaymentId } = (await cielo.call('POST', '/sales/', cieloSale('p1'))).body.Payment;
  await cielo.call('PUT', `/sales/${PaymentId}/void?amount=1000`);
  const before = await cielo.ledger('');
  await cielo.end('SIGKILL');
  const again = await startCielo(t, { folder: cielo.folder });
  assert.deepEqual(await again.ledger(''), before);
  const { now } = (await again.ask('GET', '/simulator/about')).body;
  assert.ok(now >= before[0].at);
});
