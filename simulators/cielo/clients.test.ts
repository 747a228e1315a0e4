import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cieloCard, cieloSale, MERCHANT_ID, startCielo } from './running-simulator.ts';

/** What public client libraries send and wait for, beside the manual's own examples. */

const NOBODY = '11111111-1111-1111-1111-111111111111';

test('a truth is sent as a number or a text too', async (t) => {
  const cielo = await startCielo(t);
  const stateOf = async (Capture: unknown) =>
    (await cielo.call('POST', '/sales/', cieloSale('p1', { Capture }))).body.Payment.Status;
  const states = await Promise.all([1, 'True', 0, 'false'].map(stateOf));
  assert.deepEqual(states, [2, 2, 1, 1]);
  const RecurrentPayment = { AuthorizeNow: 1, Interval: 'Monthly' };
  const begun = await cielo.call('POST', '/sales/', cieloSale('p2', { RecurrentPayment }));
  assert.equal(begun.body.Payment.RecurrentPayment.AuthorizeNow, true);
});

test('a wrong key, and what is not found, is answered with a status alone', async (t) => {
  const cielo = await startCielo(t);
  await cielo.call('POST', '/sales/', cieloSale('p1'));
  const key = 'K'.repeat(40);
  await cielo.ask('POST', '/simulator/merchants', { json: { merchantId: MERCHANT_ID, key } });
  for (const [path, merchantkey, status] of [
    [`/1/sales/${NOBODY}`, key, 404],
    ['/1/sales?merchantOrderId=none', key, 404],
    ['/1/sales?merchantOrderId=p1', 'another', 401],
  ] as const) {
    const answer = await fetch(cielo.url + path, { headers: { merchantid: MERCHANT_ID, merchantkey } });
    assert.deepEqual([answer.status, await answer.text()], [status, '']);
    assert.equal(answer.headers.get('content-type'), null);
  }
  const unknown = await cielo.call('PUT', `/sales/${NOBODY}/void`);
  assert.deepEqual([unknown.status, unknown.body[0].Code], [404, 307]);
});

test('an answer without a body may be cut off too', async (t) => {
  const cielo = await startCielo(t);
  const ask = () => cielo.call('GET', '/sales?merchantOrderId=none');
  for (const fault of ['booksButCut', 'late', 'garbage', 'booksButUnavailable', 'booksButClosed'] as const) {
    await cielo.script(MERCHANT_ID, [{ on: 'find', fault }]);
    await ask().catch(() => null);
    assert.equal((await ask()).status, 404, fault);
  }
});

test('what recurs is paid otherwise from its next day on', async (t) => {
  const cielo = await startCielo(t);
  await cielo.waitForNoon();
  const plan = { RecurrentPayment: { AuthorizeNow: true, Interval: 'Monthly' } };
  const begun = await cielo.call('POST', '/sales/', cieloSale('p1', plan));
  const path = `/RecurrentPayment/${begun.body.Payment.RecurrentPayment.RecurrentPaymentId}`;
  const card = cieloCard({ CardNumber: '5111111111111114', Brand: 'Master' });
  const payment = { Type: 'CreditCard', Amount: '123', installments: 3, Capture: true, CreditCard: card };
  const wrong = await cielo.call('PUT', `${path}/Payment`, { ...payment, Amount: 0 });
  assert.deepEqual([wrong.status, wrong.body[0].Code], [400, 108]);
  assert.equal((await cielo.call('PUT', `${path}/Payment`, payment)).status, 200);
  await cielo.wait(32 * 86_400_000);
  const sales = await cielo.ledger('reference=p1');
  assert.deepEqual(
    sales.map(({ amount, installments }) => [amount, installments]),
    [
      [15_700, 1],
      [123, 1],
    ],
  );
  const { RecurrentPayment } = (await cielo.call('GET', path)).body;
  const charged = await cielo.call('GET', `/sales/${RecurrentPayment.RecurrentTransactions[1].PaymentId}`);
  assert.equal(charged.body.Payment.CreditCard.Brand, 'Master');
});

test('a debit is charged with an authentication made elsewhere, else its holder is sent away first', async (t) => {
  const cielo = await startCielo(t);
  const debit = { Type: 'DebitCard', CreditCard: null, DebitCard: cieloCard(), Capture: false };
  const ExternalAuthentication = {
    Eci: '5',
    Cavv: 'AAABB2gHA1B5EFNjWQcDAAAAAAB=',
    Version: '2',
    ReferenceId: NOBODY,
  };
  const sold = await cielo.call('POST', '/sales/', cieloSale('p1', { ...debit, ExternalAuthentication }));
  const found = await cielo.call('GET', `/sales/${sold.body.Payment.PaymentId}`);
  for (const { Payment } of [sold.body, found.body]) {
    assert.deepEqual([Payment.Type, Payment.Status, Payment.CapturedAmount], ['DebitCard', 2, 15_700]);
    assert.deepEqual([Payment.DebitCard.CardNumber, Payment.CreditCard], ['411111******1111', undefined]);
  }
  const codeOf = async (changed: object) => {
    const { body } = await cielo.call('POST', '/sales/', cieloSale('p2', { ...debit, ...changed }));
    return body[0].Code;
  };
  assert.deepEqual([await codeOf({}), await codeOf({ Authenticate: true })], [186, 163]);
  const sent = { ...debit, Authenticate: true, ReturnUrl: 'https://loja.example' };
  const { Payment } = (await cielo.call('POST', '/sales/', cieloSale('p3', sent))).body;
  assert.equal(Payment.Status, 0);
  assert.match(Payment.AuthenticationUrl, new RegExp(`^http.*${Payment.PaymentId}$`));
  await cielo.wait(300_000);
  assert.equal((await cielo.call('GET', `/sales/${Payment.PaymentId}`)).body.Payment.Status, 3);
});
