import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../../../values/cents.ts';
import { shortReference } from '../../short-reference.ts';
import {
  readRedeAuthorization,
  readRedeCapture,
  readRedeCharge,
  readRedeRefund,
  readRedeRefunds,
  readRedeVerification,
} from './rede-answers.ts';

const REFERENCE = '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a';
const ASKED = { reference: REFERENCE, amount: cents(20_099) };
const LINK = 'aB3dE5fG7hI9jK1lM3nO5p';
const BRAND = { name: 'Mastercard', returnCode: '00', brandTid: '483296', transactionLinkId: LINK };
const APPROVED = {
  returnCode: '00',
  reference: shortReference(REFERENCE),
  amount: 20_099,
  authorizationCode: '186376',
  nsu: '663206341',
  tid: '8345000363484052380',
  brand: BRAND,
};

const answer = (body: unknown, status = 200) => ({ kind: 'answer', status, body }) as const;
const authorized = (change: object, status = 200, isCaptured = true) =>
  readRedeAuthorization(answer({ ...APPROVED, ...change }, status), ASKED, isCaptured);

test('an approval is the charge, or what is held for a capture', () => {
  const approval = {
    authorizationCode: '186376',
    nsu: '663206341',
    networkReference: { transactionId: '483296', linkId: LINK },
    tid: '8345000363484052380',
  };
  assert.deepEqual(authorized({}), { kind: 'approved', ...approval });
  assert.deepEqual(authorized({}, 200, false), { kind: 'preauthorized', ...approval });
  const closed = { brand: null, brandTid: '483296', transactionLinkId: LINK };
  assert.deepEqual(authorized(closed), { kind: 'approved', ...approval }, 'they stand outside the group');
  const odd = authorized({ brand: { ...BRAND, transactionLinkId: 'not a link' } });
  assert.deepEqual(odd.kind === 'approved' && odd.networkReference, {
    transactionId: '483296',
    linkId: null,
    unfitLinkLength: 10,
  });
  assert.deepEqual(authorized({ nsu: 663_206_341 }), { kind: 'approved', ...approval }, 'numbers as numbers');
});

test('an approval that does not fit the request is unknown', () => {
  for (const change of [{ reference: 'another' }, { amount: 1 }, { nsu: null }, { tid: '' }])
    assert.equal(authorized(change).kind, 'unknown', JSON.stringify(change));
  assert.equal(authorized({}, 500).kind, 'unknown');
});

test("a decline has the brand's own code, whatever Rede's table calls it", () => {
  const brand = { returnCode: '51', merchantAdviceCode: '2' };
  const decline = { kind: 'declined', responseCode: '51', adviceCode: '02' };
  assert.deepEqual(authorized({ returnCode: '111', brand }), decline);
  assert.deepEqual(authorized({ returnCode: '777', brand }, 400), decline, 'a code that we do not know');
  const bare = { kind: 'declined', responseCode: 'NONE', adviceCode: null };
  assert.deepEqual(authorized({ returnCode: '111', brand: null }), bare);
});

test("a code of Rede's own table is no issuer's: 51 is a product that is not enabled", () => {
  for (const returnCode of ['51', '24', '898', '4030', '041'])
    assert.equal(authorized({ returnCode, brand: null }, 400).kind, 'notMade', returnCode);
});

test('what proves nothing is unknown: time-outs, a used reference, unknown codes', () => {
  for (const returnCode of ['150', '42', '56', '64', '74', '899', '9999', null])
    assert.equal(authorized({ returnCode, brand: null }, 400).kind, 'unknown', String(returnCode));
  const brand = { returnCode: '96' };
  assert.equal(authorized({ returnCode: '150', brand }).kind, 'unknown', 'it may be tried again');
  assert.equal(authorized({ returnCode: '111', brand: null }, 503).kind, 'unknown');
  const silence = { kind: 'unknown', reason: 'no answer in time' } as const;
  assert.equal(readRedeAuthorization(silence, ASKED, true), silence);
});

test('a verification is approved by 174 alone', () => {
  const body = { ...APPROVED, returnCode: '174', amount: 0 };
  const read = readRedeVerification(answer(body));
  const reference = { transactionId: '483296', linkId: LINK };
  assert.deepEqual(read.kind === 'approved' && read.networkReference, reference);
  assert.equal(readRedeVerification(answer({ ...body, returnCode: '00' })).kind, 'unknown');
  assert.equal(
    readRedeVerification(answer({ returnCode: '175', brand: { returnCode: '14' } })).kind,
    'declined',
  );
  for (const returnCode of ['57', '170', '172'])
    assert.equal(readRedeVerification(answer({ returnCode }, 400)).kind, 'unknown', returnCode);
});

const AUTHORIZATION = { ...APPROVED, status: 'Approved' };
const found = (authorization: object, rest: object = {}, status = 200) =>
  readRedeCharge(
    answer({ authorization: { ...AUTHORIZATION, ...authorization }, ...rest }, status),
    REFERENCE,
  );

test('a look-up tells whether a charge is held, taken, given back or declined', () => {
  assert.deepEqual(found({}).found, { kind: 'preauthorized' });
  const captured = found({}, { capture: { amount: 20_000 } });
  assert.equal(captured.found.kind === 'approved' && captured.found.amount, 20_000);
  assert.equal(captured.tid, APPROVED.tid);
  assert.equal(found({ status: 'Canceled' }).found.kind, 'voided');
  const declined = found({ status: 'Denied', brand: { returnCode: '05' } }).found;
  assert.deepEqual(declined, { kind: 'declined', responseCode: '05', adviceCode: null });
  for (const brand of [undefined, null, {}]) {
    const beside = found({ status: 'Denied', brand }, { brand: { returnCode: '54' } }).found;
    assert.equal(beside.kind === 'declined' && beside.responseCode, '54', 'the group stands beside it');
  }
  assert.equal(found({ status: 'Pending' }).found.kind, 'preauthorized');
  assert.equal(found({ status: 'Pending', returnCode: null }).found.kind, 'unknown');
  assert.equal(found({ status: 'Something' }).found.kind, 'unknown');
});

test('78 and 404 are an unknown reference, which is no proof of absence; other errors are unknown', () => {
  assert.equal(readRedeCharge(answer({ returnCode: '78' }, 400), REFERENCE).found.kind, 'notFound');
  assert.equal(readRedeCharge(answer(null, 404), REFERENCE).found.kind, 'notFound');
  assert.equal(readRedeCharge(answer({ returnCode: '78' }, 500), REFERENCE).found.kind, 'unknown');
  assert.equal(readRedeCharge(answer(null, 403), REFERENCE).found.kind, 'unknown');
  assert.equal(found({ reference: 'another' }).found.kind, 'unknown');
});

test('a capture is done, refused by a code that is in the list, or unknown', () => {
  const kindOf = (returnCode: string, status = 400) =>
    readRedeCapture(answer({ returnCode }, status), 5).kind;
  assert.deepEqual(readRedeCapture(answer({ returnCode: '00', amount: 5 }), 5), { kind: 'captured' });
  assert.equal(readRedeCapture(answer({ returnCode: '00', amount: 6 }), 5).kind, 'unknown');
  const expired = readRedeCapture(answer({ returnCode: '173' }, 400), 5);
  const said = { kind: 'denied', proof: 'clear' };
  assert.deepEqual(expired, { ...said, refusal: 'expired', reason: 'Rede answered 173' });
  for (const code of ['171', '355']) {
    const denied = { kind: 'denied', proof: 'doubtful', refusal: null, reason: `Rede answered ${code}` };
    assert.deepEqual(readRedeCapture(answer({ returnCode: code }, 400), 5), denied);
  }
  for (const status of [200, 400, 412, 422]) assert.equal(kindOf('049', status), 'denied', String(status));
  // Not heard, a success that is none, another state of it, access that may be mended, in no list.
  for (const code of ['64', '150', '899', '00', '172', '78', '898', '4030', '9999'])
    assert.equal(kindOf(code), 'unknown', code);
  for (const status of [302, 500, 503]) assert.equal(kindOf('49', status), 'unknown', String(status));
  assert.equal(readRedeCapture(answer({}, 400), 5).kind, 'unknown');
});

test('a refund is done, accepted, refused for good, or unknown', () => {
  const read = (returnCode: string, status = 200, isCaptured = true) =>
    readRedeRefund(answer({ returnCode }, status), isCaptured);
  const kindOf = (...said: Parameters<typeof read>) => read(...said).kind;
  const proofOf = (code: string, isCaptured = true) => {
    const denied = read(code, 400, isCaptured);
    return denied.kind === 'denied' && denied.proof;
  };
  assert.deepEqual([proofOf('351'), proofOf('351', false)], ['doubtful', 'clear']);
  assert.deepEqual([proofOf('355'), proofOf('365'), proofOf('354')], ['doubtful', 'clear', 'clear']);
  for (const code of ['357', '358', '371', '373']) assert.equal(proofOf(code), 'unlessEarlier', code);
  assert.equal(kindOf('359'), 'canceled');
  assert.equal(kindOf('360'), 'pending');
  for (const code of ['353', '354', '357', '358', '365', '371', '373', '374', '351', '51', '71'])
    assert.equal(kindOf(code, 400), 'denied', code);
  for (const code of ['368', '150', '78', '898', '9999']) assert.equal(kindOf(code, 400), 'unknown', code);
  assert.equal(kindOf('357', 500), 'unknown');
});

test('refunds are summed by their state, and an unknown state counts as under way', () => {
  const refunds = [
    { amount: 10, status: 'Done' },
    { amount: 5, status: 'Processing', refundId: 'r2' },
    { amount: 3, status: 'Denied', refundId: 'r3' },
    { amount: 2, status: 'Whatever' },
  ];
  assert.deepEqual(readRedeRefunds(answer({ refunds })), {
    ...{ done: 10, underWay: 7, underWayIds: ['r2'], failed: ['r3'] },
  });
  assert.deepEqual(readRedeRefunds(answer({ returnCode: '369' }, 404)), {
    done: 0,
    underWay: 0,
    underWayIds: [],
    failed: [],
  });
  for (const useless of [answer({ refunds: [{ status: 'Done' }] }), answer({}, 404)])
    assert.equal(Reflect.get(readRedeRefunds(useless), 'cause'), 'unusable');
});
