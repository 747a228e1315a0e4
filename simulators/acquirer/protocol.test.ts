import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorization, type RunningSimulator, startSimulator, testCard } from './running-simulator.ts';

async function statusOf(simulator: RunningSimulator, reference: string): Promise<unknown> {
  const { status, body } = await simulator.get(`/charges/${reference}?merchantId=M1`);
  return status === 200 ? body.status : status;
}

test('it says what it is, and what it can do', async (t) => {
  const simulator = await startSimulator(t);
  const { capabilities, ...about } = (await simulator.get('/about')).body;
  assert.deepEqual(about, { name: 'parcela-simulator', simulator: true, protocol: 1 });
  assert.equal(capabilities.largestInstallments, 99);
  assert.equal(capabilities.lookUpDays, null);
});

test('an approval reports code, NSU and network transaction, and can be asked for', async (t) => {
  const simulator = await startSimulator(t);
  const { status, body } = await simulator.post('/authorizations', authorization('a'));
  assert.equal(status, 200);
  const { authorizationCode, nsu, networkTransactionId, transactionLinkId, tid, authorizedAt } = body;
  assert.deepEqual(body, {
    reference: 'a',
    outcome: 'approved',
    amount: 2_500,
    authorizationCode,
    nsu: '1',
    networkTransactionId,
    transactionLinkId,
    tid,
    authorizedAt,
  });
  assert.match(authorizationCode, /^[0-9A-Z]{6}$/);
  assert.match(networkTransactionId, /^\d{15}$/);
  assert.match(tid, /^\d{20}$/);
  assert.deepEqual((await simulator.get('/charges/a?merchantId=M1')).body, {
    reference: 'a',
    status: 'approved',
    amount: 2_500,
    canceledAmount: 0,
    authorizationCode,
    nsu,
    networkTransactionId,
    transactionLinkId,
    tid,
    responseCode: null,
    adviceCode: null,
    authorizedAt,
  });
  const other = await simulator.post('/authorizations', authorization('b'));
  assert.equal(other.body.nsu, '2');
  assert.notEqual(other.body.authorizationCode, authorizationCode);
  assert.notEqual(other.body.tid, tid);
});

test('a decline reports the code of the brand and the advice', async (t) => {
  const simulator = await startSimulator(t);
  const lost = { amount: 1_041, card: testCard('5555555555554444', 'mastercard') };
  const { status, body } = await simulator.post('/authorizations', authorization('a', lost));
  assert.equal(status, 200);
  assert.deepEqual(body, {
    reference: 'a',
    outcome: 'declined',
    amount: 1_041,
    responseCode: '41',
    adviceCode: '03',
  });
  const amex = { amount: 1_051, card: testCard('376449047333005', 'amex', '1234') };
  assert.equal((await simulator.post('/authorizations', authorization('b', amex))).body.responseCode, '116');
  const found = await simulator.get('/charges/a?merchantId=M1');
  assert.deepEqual(
    [found.body.status, found.body.responseCode, found.body.adviceCode, found.body.nsu],
    ['declined', '41', '03', null],
  );
});

test('an approval of a Mastercard has a link, which a later charge of the merchant alone may name', async (t) => {
  const simulator = await startSimulator(t);
  const card = testCard('5448280000000007', 'mastercard', null);
  const { body } = await simulator.post('/authorizations', authorization('a', { card }));
  assert.match(body.transactionLinkId, /^[\w-]{22}$/);
  assert.equal(
    (await simulator.get('/charges/a?merchantId=M1')).body.transactionLinkId,
    body.transactionLinkId,
  );
  const named = { initiator: 'merchant', card, transactionLinkId: body.transactionLinkId };
  const later = await simulator.post('/authorizations', authorization('b', named));
  assert.equal(later.status, 200);
  assert.notEqual(later.body.transactionLinkId, body.transactionLinkId);
  for (const change of [
    { transactionLinkId: `${body.transactionLinkId}x` },
    { initiator: 'cardholder' },
    { card: testCard('4111111111111111', 'visa', null) },
  ]) {
    const { status, body } = await simulator.post(
      '/authorizations',
      authorization('c', { ...named, ...change }),
    );
    assert.deepEqual([status, body.field], [400, 'transactionLinkId']);
  }
});

// What every bridge must do is conformance/acquirer, which runs against this program too. Here is
// what only its ledger shows.
test('the ledger has a repeated charge once, a voided one without its cents, and a void of none as no charge', async (t) => {
  const simulator = await startSimulator(t);
  const summary = async () => (await simulator.get('/ledger/summary')).body;
  await Promise.all(Array.from({ length: 50 }, () => simulator.post('/authorizations', authorization('a'))));
  assert.deepEqual([(await summary()).approved, (await summary()).approvedCents], [1, 2_500]);
  await simulator.post('/undos', { merchantId: 'M1', reference: 'a' });
  await simulator.post('/undos', { merchantId: 'M2', reference: 'a' });
  await simulator.post('/authorizations', authorization('a', { merchantId: 'M2' }));
  const { approved, approvedCents, undone, tombstones } = await summary();
  assert.deepEqual([approved, approvedCents, undone, tombstones], [0, 0, 1, 1]);
  assert.deepEqual((await simulator.get('/ledger?merchantId=M2')).body, { items: [] });
});

test('the ledger has no charge after voids that race their authorizations', async (t) => {
  const simulator = await startSimulator(t);
  const races = Array.from({ length: 60 }, async (_, index) => {
    const reference = `race-${index}`;
    const undone = () => simulator.post('/undos', { merchantId: 'M1', reference });
    const authorized = () => simulator.post('/authorizations', authorization(reference));
    await Promise.all(index % 2 === 0 ? [authorized(), undone()] : [undone(), authorized()]);
  });
  await Promise.all(races);
  const { body } = await simulator.get('/ledger/summary');
  assert.deepEqual([body.approved, body.approvedCents, body.undone + body.tombstones], [0, 0, 60]);
});

test('a void reaches a charge that is still being worked on', async (t) => {
  const simulator = await startSimulator(t);
  await simulator.post('/script', { merchantId: 'M1', steps: [{ delayMilliseconds: 300 }] });
  const authorized = simulator.post('/authorizations', authorization('a'));
  await simulator.post('/undos', { merchantId: 'M1', reference: 'a' });
  const { status, body } = await authorized;
  assert.deepEqual([status, body], [409, { error: 'undone' }]);
});

test('a charge is canceled in parts, each once, until nothing is left', async (t) => {
  const simulator = await startSimulator(t);
  await simulator.post('/authorizations', authorization('a'));
  const cancel = (cancellationReference: string, amount: number, reference = 'a') =>
    simulator.post('/cancellations', { cancellationReference, reference, merchantId: 'M1', amount });
  const first = await cancel('c1', 1_000);
  assert.deepEqual(first.body, {
    cancellationReference: 'c1',
    outcome: 'canceled',
    amount: 1_000,
    canceledAmount: 1_000,
  });
  assert.equal(await statusOf(simulator, 'a'), 'approved');
  const tooMuch = await cancel('c2', 1_501);
  assert.deepEqual(tooMuch.body, {
    cancellationReference: 'c2',
    outcome: 'refused',
    reason: 'exceedsRemaining',
  });
  assert.equal((await cancel('c3', 1_500)).body.canceledAmount, 2_500);
  assert.equal(await statusOf(simulator, 'a'), 'canceled');
  assert.deepEqual((await cancel('c1', 1_000)).body, first.body);
  assert.deepEqual((await cancel('c1', 999)).body, { error: 'referenceReused' });
  assert.equal((await cancel('c4', 1)).body.reason, 'exceedsRemaining');
  const undo = await simulator.post('/undos', { merchantId: 'M1', reference: 'a' });
  assert.deepEqual([undo.status, undo.body], [409, { error: 'canceled' }]);
  const changes = await simulator.get('/changes');
  assert.deepEqual(
    changes.body.items.map((item: { reference: string; type: string; amount: number }) => [
      item.reference,
      item.type,
      item.amount,
    ]),
    [
      ['a', 'canceled', 1_000],
      ['a', 'canceled', 1_500],
    ],
  );
});

test('a check of a card takes no money', async (t) => {
  const simulator = await startSimulator(t);
  const check = { reference: 'v', merchantId: 'M1', card: testCard() };
  const { body } = await simulator.post('/verifications', check);
  assert.deepEqual([body.outcome, body.amount, body.reference], ['approved', 0, 'v']);
  assert.deepEqual((await simulator.post('/verifications', check)).body, body);
  const reused = { ...check, card: testCard('4012001037141112') };
  assert.equal((await simulator.post('/verifications', reused)).status, 409);
  const bad = { ...check, reference: 'w', card: testCard('5200050000000283', 'mastercard') };
  assert.deepEqual((await simulator.post('/verifications', bad)).body, {
    reference: 'w',
    outcome: 'declined',
    amount: 0,
    responseCode: '79',
    adviceCode: '21',
  });
  assert.deepEqual((await simulator.get('/ledger?merchantId=M1')).body.items, []);
});

test('a trigger card counts per merchant', async (t) => {
  const simulator = await startSimulator(t);
  const charge = async (reference: string, merchantId: string) => {
    const changed = { merchantId, card: testCard('4000050000000122') };
    const { body } = await simulator.post('/authorizations', authorization(reference, changed));
    return body.outcome;
  };
  assert.deepEqual(
    [await charge('a', 'M1'), await charge('b', 'M1'), await charge('c', 'M1'), await charge('a', 'M2')],
    ['declined', 'declined', 'approved', 'declined'],
  );
});

test('the ledger can be read by either reference, newest last', async (t) => {
  const simulator = await startSimulator(t);
  for (const reference of ['a', 'b', 'c']) {
    await simulator.post('/authorizations', authorization(reference, { merchantReference: 'order 1&2' }));
  }
  await simulator.post('/authorizations', authorization('d', { amount: 1_051, merchantReference: null }));
  const idsOf = async (query: string) => {
    const { body } = await simulator.get(`/ledger?merchantId=M1${query}`);
    return body.items.map((item: { paymentId: string }) => item.paymentId);
  };
  assert.deepEqual(await idsOf(''), ['a', 'b', 'c', 'd']);
  assert.deepEqual(await idsOf('&limit=2'), ['c', 'd']);
  assert.deepEqual(await idsOf('&merchantReference=order%201%262&limit=2'), ['b', 'c']);
  assert.deepEqual(await idsOf('&reference=b'), ['b']);
  assert.deepEqual(await idsOf('&reference=b&merchantReference=other'), []);
  const { body } = await simulator.get('/ledger?merchantId=M1&reference=a');
  assert.deepEqual(body.items, [
    {
      reference: 'order 1&2',
      paymentId: 'a',
      nsu: '1',
      authorizationCode: body.items[0].authorizationCode,
      amount: 2_500,
      canceledAmount: 0,
      status: 'approved',
    },
  ]);
  const all = await simulator.get('/ledger/all?after=1&limit=2');
  assert.deepEqual(
    all.body.items.map((item: { merchantId: string; paymentId: string }) => [
      item.merchantId,
      item.paymentId,
    ]),
    [
      ['M1', 'b'],
      ['M1', 'c'],
    ],
  );
  assert.equal(all.body.next, 3);
});

test('a malformed request names its first wrong field and books nothing', async (t) => {
  const simulator = await startSimulator(t);
  const wrong: [object, string][] = [
    [{ reference: 'no blanks' }, 'reference'],
    [{ merchantId: '' }, 'merchantId'],
    [{ amount: 0 }, 'amount'],
    [{ amount: '100' }, 'amount'],
    [{ amount: 10_000_000_000 }, 'amount'],
    [{ installments: 100 }, 'installments'],
    [{ initiator: 'bank' }, 'initiator'],
    [{ card: null }, 'card'],
    [{ card: testCard('4111111111111112') }, 'card.number'],
    [{ card: { ...testCard(), expirationMonth: '13' } }, 'card.expirationMonth'],
    [{ card: { ...testCard(), brand: 'Visa' } }, 'card.brand'],
    [{ initiator: 'merchant' }, 'card.securityCode'],
  ];
  for (const [changed, field] of wrong) {
    const { status, body } = await simulator.post('/authorizations', authorization('a', changed));
    assert.deepEqual([status, body], [400, { error: 'malformed', field }]);
  }
  for (const body of [null, [], 'text']) {
    assert.deepEqual((await simulator.post('/undos', body)).body, { error: 'malformed', field: '' });
  }
  const stored = { initiator: 'merchant', card: testCard('4111111111111111', 'visa', null) };
  assert.equal((await simulator.post('/authorizations', authorization('a', stored))).status, 200);
});

test('wrong questions are refused by the name of their parameter', async (t) => {
  const simulator = await startSimulator(t);
  for (const [path, field] of [
    ['/charges/a', 'merchantId'],
    ['/charges/%ff?merchantId=M1', 'reference'],
    ['/ledger', 'merchantId'],
    ['/ledger?merchantId=M1&limit=0', 'limit'],
    ['/changes?after=-1', 'after'],
    ['/changes?until=2026-11-21', 'until'],
  ] as const) {
    assert.deepEqual(await simulator.get(path), { status: 400, body: { error: 'malformed', field } });
  }
});
