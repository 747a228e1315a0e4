import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../../../values/cents.ts';
import { shortReference } from '../../short-reference.ts';
import {
  type CieloPayment,
  readCieloAuthorization,
  readCieloCapture,
  readCieloList,
  readCieloPayment,
  readCieloVerification,
  readCieloVoid,
} from './cielo-answers.ts';
import { captureFound, foundOf, givenBackOf, paymentOf } from './cielo-payments.ts';

const REFERENCE = '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a';
const ASKED = { reference: REFERENCE, amount: cents(15_700) };
const LINK = 'aB3dE5fG7hI9jK1lM3nO5p';
const PAYMENT = {
  PaymentId: '24bc8366-fc31-4d6c-8555-17049a836a07',
  Status: 2,
  Amount: 15_700,
  CapturedAmount: 15_700,
  ReceivedDate: '2026-11-28 10:00:00',
  Tid: '0305020554239',
  ProofOfSale: '674532',
  AuthorizationCode: '123456',
  IssuerTransactionId: '580027442382078',
  TransactionLinkId: LINK,
  ReturnCode: '6',
};
const APPROVAL = {
  authorizationCode: '123456',
  nsu: '674532',
  networkReference: { transactionId: '580027442382078', linkId: LINK },
  tid: '0305020554239',
};

const answer = (body: unknown, status = 200) => ({ kind: 'answer', status, body }) as const;
const sale = (change: object) => ({
  MerchantOrderId: shortReference(REFERENCE),
  Payment: { ...PAYMENT, ...change },
});
const authorized = (change: object, isCaptured = true) =>
  readCieloAuthorization(answer(sale(change), 201), ASKED, isCaptured).answer;

test('a payment is decided by its status alone, whatever the return code says', () => {
  assert.deepEqual(authorized({ ReturnCode: '4' }), { kind: 'approved', ...APPROVAL });
  assert.deepEqual(authorized({ Status: 1 }, false), { kind: 'preauthorized', ...APPROVAL });
  for (const Status of [0, 12, 20, 10, 11, 99, null])
    assert.equal(authorized({ Status, ReturnCode: '00' }).kind, 'unknown', String(Status));
  assert.equal(authorized({ Status: 13 }).kind, 'notMade');
});

test("what the network calls a payment is kept only in the network's form, and no approval fails for it", () => {
  for (const TransactionLinkId of [
    null,
    undefined,
    '',
    5,
    {},
    `${LINK}q`,
    LINK.slice(1),
    `${LINK.slice(1)}.`,
  ]) {
    const read = authorized({ TransactionLinkId });
    const unfit = typeof TransactionLinkId === 'string' && TransactionLinkId !== '';
    const reference = {
      ...{ transactionId: '580027442382078', linkId: null },
      ...(unfit ? { unfitLinkLength: TransactionLinkId.length } : {}),
    };
    assert.deepEqual(read, { kind: 'approved', ...APPROVAL, networkReference: reference });
  }
});

test('more or less than was asked for is unknown', () => {
  assert.equal(authorized({ Status: 1 }).kind, 'unknown', 'it was to be captured');
  assert.equal(authorized({}, false).kind, 'unknown', 'it was not to be captured');
  assert.equal(authorized({ Amount: 1 }).kind, 'unknown');
  assert.equal(authorized({ ProofOfSale: '' }).kind, 'unknown');
  const other = answer({ ...sale({}), MerchantOrderId: 'ANOTHER' }, 201);
  assert.equal(readCieloAuthorization(other, ASKED, true).answer.kind, 'unknown');
});

test("a decline has the issuer's code; Cielo's own codes are none, and its time-outs no decline", () => {
  const denied = (ReturnCode: string, MerchantAdviceCode?: string) =>
    authorized({ Status: 3, ReturnCode, MerchantAdviceCode });
  assert.deepEqual(denied('51', '1'), { kind: 'declined', responseCode: '51', adviceCode: '01' });
  assert.deepEqual(denied('70'), { kind: 'declined', responseCode: 'NONE', adviceCode: null });
  for (const code of ['AA', '98', '99', '999']) assert.equal(denied(code).kind, 'unknown', code);
});

test('a list of errors says that nothing was made, and other errors say nothing', () => {
  const refused = (body: unknown, status: number) =>
    readCieloAuthorization(answer(body, status), ASKED, true).answer.kind;
  assert.equal(refused([{ Code: 116, Message: 'blocked' }], 400), 'notMade');
  assert.equal(refused([{ ReturnCode: 116, ReturnMessage: 'blocked' }], 400), 'notMade');
  assert.equal(refused([{ Code: 126, Message: 'expiration' }], 400), 'declined');
  assert.equal(refused(null, 401), 'notMade');
  for (const [body, status] of [
    [[{ Code: 0 }], 400],
    [[{ Code: 302 }], 400],
    [{}, 400],
    [null, 404],
    [[{ Code: 116 }], 500],
  ] as const)
    assert.equal(refused(body, status), 'unknown', JSON.stringify([body, status]));
});

test('a verification is good if Cielo says so', () => {
  const read = (body: object) => readCieloVerification(answer(body));
  const named = { IssuerTransactionId: '58', TransactionLinkId: LINK };
  const good = read({ Valid: true, ReturnCode: '00', ...named });
  assert.deepEqual(good.kind === 'approved' && good.networkReference, { transactionId: '58', linkId: LINK });
  assert.equal(read({ Valid: false, ReturnCode: '57' }).kind, 'declined');
  assert.equal(read({ Code: 389 }).kind, 'unknown');
});

function payment(change: object): CieloPayment {
  const read = readCieloPayment(answer(sale(change)), REFERENCE);
  if ('kind' in read) throw new Error(read.reason);
  return read;
}

const OLDER = { ReceivedDate: '2026-11-28 09:00:00', Tid: 'OLDER' };

test('what is under a reference is told by all payments together', () => {
  const found = (...changes: object[]) => foundOf(changes.map(payment));
  assert.equal(found().kind, 'notFound');
  assert.deepEqual(found({}), { kind: 'approved', ...APPROVAL, amount: 15_700, hasTwins: false });
  const twins = found({}, OLDER);
  assert.deepEqual(twins.kind === 'approved' && [twins.tid, twins.hasTwins], ['OLDER', true]);
  const held = found({ Status: 1, ...OLDER }, {});
  assert.deepEqual(held.kind === 'approved' && held.hasTwins, true, 'what is held is live too');
  assert.equal(found({ Status: 1 }, { Status: 10 }).kind, 'preauthorized');
  assert.equal(found({ Status: 10 }, { Status: 3 }).kind, 'voided');
  assert.equal(found({ Status: 3, ReturnCode: '51' }, { Status: 3 }).kind, 'declined');
  assert.equal(found({}, { Status: 0 }).kind, 'unknown', 'one that is undecided may still be live');
  assert.equal(found({ Status: 11 }).kind, 'voided');
});

test('a list may be under either name, and 404 is no proof of absence', () => {
  const { PaymentId } = PAYMENT;
  assert.deepEqual(readCieloList(answer({ Payment: [{ PaymentId }] })), [PaymentId]);
  assert.deepEqual(readCieloList(answer({ Payments: [{ PaymentId }, { PaymentId }] })), [
    PaymentId,
    PaymentId,
  ]);
  assert.equal(readCieloList(answer(null, 404)), null);
  for (const useless of [answer({}, 200), answer({ Payment: [{}] })])
    assert.equal(Reflect.get(readCieloList(useless) ?? {}, 'cause'), 'unusable');
});

test('a cancel or capture is of the payment with its tid, never of a twin', () => {
  const both = [payment({}), payment({ ...OLDER, Status: 10 })];
  assert.equal(paymentOf(both, { tid: 'OLDER' })?.status, 10);
  assert.equal(paymentOf(both, { tid: null })?.tid, PAYMENT.Tid, 'the only live one');
  assert.equal(paymentOf([payment({}), payment(OLDER)], { tid: null }), null);
  assert.equal(paymentOf(both, { tid: 'ANOTHER' }), null);
});

test('what was given back is the sum that Cielo shows', () => {
  assert.equal(givenBackOf(payment({ VoidedAmount: 700 })).done, 700);
  assert.equal(givenBackOf(payment({ Status: 10 })).done, 15_700);
  assert.equal(givenBackOf(payment({})).done, 0);
});

test('a capture is told by the payment', () => {
  assert.equal(captureFound(payment({}), 15_700).kind, 'captured');
  assert.equal(Reflect.get(captureFound(payment({}), 1), 'isForPerson'), true, 'another amount');
  assert.equal(captureFound(payment({ Status: 1 }), 15_700).kind, 'notFound');
  assert.equal(captureFound(payment({ Status: 10 }), 15_700).kind, 'refused');
  assert.equal(readCieloCapture(answer({ Status: 2 })).kind, 'captured');
  assert.equal(readCieloCapture(answer({ Status: 1, ReturnCode: '6' })).kind, 'unknown');
});

test('a no to a capture is in the list of its codes, whatever its status and form', () => {
  const kindOf = (body: unknown, status: number) => readCieloCapture(answer(body, status)).kind;
  for (const status of [200, 201, 400, 422])
    for (const body of [
      [{ Code: 308 }],
      [{ ReturnCode: '308' }],
      { ReturnCode: 842 },
      { Status: 1, ProviderReturnCode: '842' },
    ])
      assert.equal(kindOf(body, status), 'denied', JSON.stringify([body, status]));
  const unavailable = readCieloCapture(answer([{ Code: 308 }], 400));
  assert.equal(unavailable.kind === 'denied' && unavailable.proof, 'unlessEarlier', 'an earlier one is why');
  const expired = readCieloCapture(answer({ Status: 1, ReturnCode: '843' }));
  const said = { kind: 'denied', proof: 'clear' };
  assert.deepEqual(expired, { ...said, refusal: 'expired', reason: 'Cielo answered 843' });
  for (const code of ['307', '841']) {
    const doubtful = { kind: 'denied', proof: 'doubtful', refusal: null, reason: `Cielo answered ${code}` };
    assert.deepEqual(readCieloCapture(answer([{ Code: code }], 400)), doubtful);
  }
  // What was not heard, a success that is none, another state of it, and what is in no list.
  for (const code of ['98', '99', '999', 'AA', 'BP900', '57', '0', '00', '6', '302', '003', '7'])
    for (const body of [[{ Code: code }], [{ ReturnCode: code }], { ReturnCode: code }])
      assert.equal(kindOf(body, 400), 'unknown', JSON.stringify(body));
  assert.equal(kindOf([{ Code: 308 }], 500), 'unknown');
  for (const Status of [2, 10, 0])
    assert.equal(kindOf({ Status, ReturnCode: '842' }, 200), 'unknown', String(Status));
});

test('a void is done, accepted, refused for good, or unknown', () => {
  const kindOf = (ReturnCode: string, status = 200) => readCieloVoid(answer({ ReturnCode }, status)).kind;
  for (const code of ['0', '9']) assert.equal(kindOf(code), 'canceled');
  for (const code of ['10', '223']) assert.equal(kindOf(code), 'pending');
  for (const code of ['40', '51', '77'])
    for (const status of [200, 400]) assert.equal(kindOf(code, status), 'denied');
  for (const code of ['17', '42', '43', '54', '56', '72', '76'])
    assert.deepEqual(readCieloVoid(answer({ ReturnCode: code })), {
      ...{
        kind: 'denied',
        proof: 'unlessEarlier',
        refusal: 'failed',
        reason: `Cielo answered ${code}`,
        code,
      },
    });
  const proofOf = (body: object) => {
    const denied = readCieloVoid(answer(body));
    return denied.kind === 'denied' && denied.proof;
  };
  for (const code of ['41', '51', '55', '102', '130'])
    assert.equal(proofOf({ ReturnCode: code }), 'unlessEarlier', code);
  for (const code of ['309', '312']) assert.equal(proofOf([{ Code: code }]), 'unlessEarlier', code);
  for (const code of ['40', '53', '101']) assert.equal(proofOf({ ReturnCode: code }), 'clear', code);
  for (const code of ['98', '99', '57', '476', '5', '475', 'BP900'])
    assert.equal(kindOf(code), 'unknown', code);
  for (const status of [400, 500]) assert.equal(kindOf('0', status), 'unknown');
});

test('an error of a void has a table of its own: 0 is no void, and 102 no amount', () => {
  const kindOf = (error: object, status = 400) => readCieloVoid(answer([error], status)).kind;
  for (const status of [200, 400]) {
    assert.equal(kindOf({ Code: 309 }, status), 'denied');
    assert.equal(kindOf({ ReturnCode: '309' }, status), 'denied');
    for (const code of [0, 10, 51, 102]) assert.equal(kindOf({ Code: code }, status), 'unknown');
  }
  assert.equal(kindOf({ Code: 309 }, 500), 'unknown');
});
