import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AFFILIATION, redeSale, startRede } from './running-simulator.ts';

const DAY_MILLISECONDS = 86_400_000;

test('a sale is answered as the public clients read it, and found by tid and reference', async (t) => {
  const rede = await startRede(t);
  const token = await rede.token();
  assert.equal(token.status, 200);
  assert.equal(token.body.token_type, 'Bearer');
  assert.equal(token.body.expires_in, 1_440);
  const sold = await rede.call('POST', '', redeSale('pedido1', { capture: 'true', installments: 3 }));
  assert.equal(sold.status, 200);
  const { tid, nsu, brand, links, dateTime, ...rest } = sold.body;
  assert.deepEqual(rest, {
    ...{ reference: 'pedido1', amount: 2_500, installments: 3, cardBin: '544828', last4: '0007' },
    ...{ returnCode: '00', returnMessage: 'Success.' },
  });
  assert.match(tid, /^\d{20}$/);
  assert.match(dateTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/);
  assert.equal(brand.name, 'Mastercard');
  assert.equal(brand.returnCode, '00');
  assert.match(brand.authorizationCode, /^[0-9A-Z]{6}$/);
  assert.deepEqual(
    links.map(({ method, rel }: { method: string; rel: string }) => [method, rel]),
    [
      ['GET', 'transaction'],
      ['POST', 'refund'],
    ],
  );
  const found = await rede.call('GET', `/${tid}`);
  assert.equal(found.status, 200);
  const { authorization, capture } = found.body;
  assert.equal(authorization.status, 'Approved');
  assert.deepEqual([authorization.brand, authorization.authorizationCode], [brand, undefined]);
  assert.equal(authorization.affiliation, Number(AFFILIATION));
  assert.deepEqual([authorization.reference, authorization.tid, authorization.nsu], ['pedido1', tid, nsu]);
  assert.deepEqual([capture.amount, capture.nsu], [2_500, nsu]);
  const byReference = await rede.call('GET', '?reference=pedido1');
  assert.deepEqual(byReference.body.authorization, authorization);
});

test('without the header the brand stays closed', async (t) => {
  const rede = await startRede(t);
  const { body } = await rede.call('POST', '', redeSale('p1'), { 'transaction-response': '' });
  assert.equal('brand' in body, false);
  assert.match(body.authorizationCode, /^[0-9A-Z]{6}$/);
  assert.match(body.brandTid, /^\d{15}$/);
  assert.match(body.transactionLinkId, /^[\w-]{22}$/);
});

test('a reference is taken once, by a decline too', async (t) => {
  const rede = await startRede(t);
  await rede.call('POST', '', redeSale('p1'));
  const again = await rede.call('POST', '', redeSale('p1'));
  assert.deepEqual([again.status, again.body.returnCode], [412, '42']);
  const declined = await rede.call('POST', '', redeSale('p2', { amount: 1_051 }));
  assert.deepEqual([declined.status, declined.body.returnCode], [400, '111']);
  assert.deepEqual([declined.body.brand.returnCode, declined.body.brand.name], ['51', 'Mastercard']);
  assert.equal((await rede.call('POST', '', redeSale('p2'))).status, 412);
  assert.equal((await rede.call('GET', '?reference=p2')).body.authorization.status, 'Denied');
  const [live] = await rede.ledger('live=true');
  assert.equal(live.reference, 'p1');
});

test('what is held is captured once, or let go', async (t) => {
  const rede = await startRede(t);
  const held = await rede.call('POST', '', redeSale('p1', { capture: false }));
  const tid = held.body.tid;
  assert.equal((await rede.call('GET', `/${tid}`)).body.authorization.status, 'Pending');
  assert.equal((await rede.call('PUT', `/${tid}`, { amount: 2_501 })).body.returnCode, '49');
  assert.equal((await rede.call('PUT', `/${tid}`, { amount: 1_054 })).body.returnCode, '173');
  const whole = await rede.call('POST', '', redeSale('p0', { capture: false, amount: 1_050 }));
  assert.equal((await rede.call('PUT', `/${whole.body.tid}`, { amount: 1_050 })).body.returnCode, '00');
  const captured = await rede.call('PUT', `/${tid}`, { amount: 2_000 });
  assert.deepEqual([captured.status, captured.body.returnCode], [200, '00']);
  assert.equal((await rede.call('PUT', `/${tid}`, { amount: 500 })).body.returnCode, '171');
  const found = await rede.call('GET', `/${tid}`);
  assert.deepEqual([found.body.authorization.amount, found.body.capture.amount], [2_500, 2_000]);
  const other = await rede.call('POST', '', redeSale('p2', { capture: false }));
  assert.equal((await rede.call('POST', `/${other.body.tid}/refunds`, { amount: 1 })).body.returnCode, '365');
  assert.equal(
    (await rede.call('POST', `/${other.body.tid}/refunds`, { amount: 2_500 })).body.returnCode,
    '359',
  );
  assert.equal((await rede.call('GET', `/${other.body.tid}`)).body.authorization.status, 'Canceled');
});

test('a refund is done at once on the day of the sale, and later behind it', async (t) => {
  const rede = await startRede(t);
  await rede.waitForNoon();
  const { tid } = (await rede.call('POST', '', redeSale('p1'))).body;
  assert.equal((await rede.call('POST', `/${tid}/refunds`, { amount: 500 })).body.returnCode, '365');
  const delayed = await rede.call('POST', `/${tid}/refunds`, { amount: 500, delayRefunds: true });
  assert.equal(delayed.body.returnCode, '360');
  assert.equal((await rede.call('POST', `/${tid}/refunds`, { amount: 2_500 })).body.returnCode, '358');
  const list = await rede.call('GET', `/${tid}/refunds`);
  assert.deepEqual(
    list.body.refunds.map(({ refundId, status, amount }: Record<string, unknown>) => [
      refundId,
      status,
      amount,
    ]),
    [[delayed.body.refundId, 'Processing', 500]],
  );
  await rede.wait(DAY_MILLISECONDS);
  await rede.token();
  const [done] = (await rede.call('GET', `/${tid}/refunds`)).body.refunds;
  assert.deepEqual([done.status, done.cancelId], ['Done', delayed.body.cancelId]);
  const one = (await rede.call('GET', `/${tid}/refunds/${done.refundId}`)).body;
  assert.deepEqual(
    one.statusHistory.map(({ status }: { status: string }) => status),
    ['Done', 'Processing'],
  );
  assert.equal((await rede.call('GET', `/${tid}/refunds/another`)).body.returnCode, '362');
  const later = await rede.call('POST', `/${tid}/refunds`, { amount: 2_000 });
  assert.equal(later.body.returnCode, '360');
  await rede.wait(DAY_MILLISECONDS);
  await rede.token();
  assert.equal((await rede.call('GET', `/${tid}`)).body.authorization.status, 'Canceled');
  assert.equal((await rede.call('POST', `/${tid}/refunds`, { amount: 1 })).body.returnCode, '355');
  const whole = (await rede.call('POST', '', redeSale('p2'))).body.tid;
  assert.equal((await rede.call('POST', `/${whole}/refunds`, { amount: 2_500 })).body.returnCode, '359');
});

test('a card is checked with nothing', async (t) => {
  const rede = await startRede(t);
  const good = await rede.call('POST', '', redeSale('p1', { amount: 0 }));
  assert.deepEqual([good.status, good.body.returnCode, good.body.brand.returnCode], [200, '174', '00']);
  await rede.script(AFFILIATION, [{ on: 'check', outcome: 'declined', meaning: '54' }]);
  const bad = await rede.call('POST', '', redeSale('p2', { amount: 0 }));
  assert.deepEqual([bad.status, bad.body.returnCode, bad.body.brand.returnCode], [400, '175', '54']);
});

test('what is unknown, malformed or not allowed is said in the codes of Rede', async (t) => {
  const rede = await startRede(t);
  const unknown = await rede.call('GET', '/20260101000000000001');
  assert.deepEqual([unknown.status, unknown.body.returnCode], [404, '78']);
  assert.deepEqual((await rede.call('GET', '?reference=none')).body.returnCode, '78');
  const codes = await Promise.all(
    [
      { reference: 'a'.repeat(51) },
      { reference: '' },
      { cardNumber: '12' },
      { amount: 'x' },
      { kind: 'other' },
    ].map(async (wrong) => (await rede.call('POST', '', redeSale('p1', wrong))).body.returnCode),
  );
  assert.deepEqual(codes, ['39', '41', '37', '71', '76']);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const unnamed = await rede.call('POST', '', redeSale('p1'), form);
  assert.deepEqual([unnamed.status, unnamed.body.returnCode], [415, '169']);
  const closed = await rede.ask('GET', '/v2/transactions?reference=p1');
  assert.equal(closed.status, 401);
});

test('a reference has up to 50 characters, and the order of the shop comes back with it', async (t) => {
  const rede = await startRede(t);
  const reference = 'pedido'.padEnd(50, '7');
  const sold = await rede.call('POST', '', redeSale(reference, { orderId: 'cesta-1' }));
  assert.deepEqual([sold.body.returnCode, sold.body.orderId], ['00', 'cesta-1']);
  const { body } = await rede.call('GET', `?reference=${reference}`);
  assert.deepEqual([body.authorization.orderId, body.brand], ['cesta-1', sold.body.brand]);
  const none = await rede.call('GET', `/${sold.body.tid}/refunds`);
  assert.deepEqual([none.status, none.body.returnCode], [404, '369']);
});

test("Mastercard wants to know why its card is stored, a check the card's security code", async (t) => {
  const rede = await startRede(t);
  const codes = [];
  for (const changed of [
    { storageCard: '1' },
    { storageCard: '1', transactionCredentials: { credentialId: '13' } },
    { storageCard: '1', transactionCredentials: { credentialId: '01' } },
    { storageCard: '1', cardNumber: '4235647728025682', reference: 'p2' },
    { amount: 0, reference: 'p3', securityCode: null },
    { transactionLinkId: 'too-short', reference: 'p4' },
    { transactionLinkId: 'aB3dE5fG7hI9jK1lM3nO5p', reference: 'p4' },
  ])
    codes.push((await rede.call('POST', '', redeSale('p1', changed))).body.returnCode);
  assert.deepEqual(codes, ['3068', '3069', '00', '00', '172', '56', '00']);
});

test('who is to be authenticated by Rede is sent there first, and nothing is booked', async (t) => {
  const rede = await startRede(t);
  const threeDSecure = { embedded: true, onFailure: 'decline', userAgent: 'a browser' };
  const urls = [{ kind: 'threeDSecureSuccess', url: 'https://shop.example/ok' }];
  const asked = await rede.call('POST', '', redeSale('p1', { threeDSecure, urls }));
  assert.deepEqual([asked.status, asked.body.returnCode], [200, '220']);
  assert.match(asked.body.threeDSecure.url, /^http/);
  assert.equal((await rede.call('POST', '', redeSale('p1', { threeDSecure }))).body.returnCode, '259');
  assert.equal((await rede.call('GET', '?reference=p1')).body.returnCode, '78');
});

test('a token ends, and a new one is given; a wrong key gets none', async (t) => {
  const rede = await startRede(t);
  await rede.call('POST', '', redeSale('p1'));
  await rede.ask('POST', '/simulator/tokens/expire', { json: { merchantId: AFFILIATION } });
  assert.equal((await rede.call('GET', '?reference=p1')).status, 401);
  await rede.token();
  assert.equal((await rede.call('GET', '?reference=p1')).status, 200);
  await rede.wait(1_440_000);
  assert.equal((await rede.call('GET', '?reference=p1')).status, 401);
  await rede.ask('POST', '/simulator/merchants', { json: { merchantId: AFFILIATION, key: 'another' } });
  const refused = await rede.token();
  assert.deepEqual([refused.status, refused.body.error], [401, 'invalid_client']);
});

test('a script spoils requests before or after they are booked', async (t) => {
  const rede = await startRede(t);
  await rede.token();
  await rede.script(AFFILIATION, [
    { on: 'authorize', fault: 'unavailable' },
    { on: 'authorize', fault: 'booksButUnavailable' },
    { on: 'authorize', fault: 'unauthorized' },
    { on: 'authorize', fault: 'booksButClosed' },
    { on: 'authorize', returnCode: '150', books: true },
    { on: 'authorize', returnCode: '150' },
    { on: 'find', fault: 'notFound' },
  ]);
  const statuses = [];
  for (const reference of ['a', 'b', 'c'])
    statuses.push((await rede.call('POST', '', redeSale(reference))).status);
  assert.deepEqual(statuses, [503, 500, 401]);
  await assert.rejects(rede.call('POST', '', redeSale('d')));
  assert.equal((await rede.call('POST', '', redeSale('e'))).body.returnCode, '150');
  assert.equal((await rede.call('POST', '', redeSale('f'))).body.returnCode, '150');
  assert.deepEqual(
    (await rede.ledger('live=true')).map(({ reference }) => reference),
    ['b', 'd', 'e'],
  );
  assert.equal((await rede.call('GET', '?reference=b')).body.returnCode, '78');
  assert.equal((await rede.call('GET', '?reference=b')).status, 200);
});

test('amounts spoil answers as with the simulated acquirer', async (t) => {
  const rede = await startRede(t, { options: ['--late-milliseconds', '1'] });
  await rede.token();
  const silent = new AbortController();
  const unheard = assert.rejects(
    fetch(`${rede.url}/v1/transactions`, {
      ...{ method: 'POST', body: JSON.stringify(redeSale('p1', { amount: 1_002 })), signal: silent.signal },
      headers: {
        authorization: `Basic ${Buffer.from(`${AFFILIATION}:k`).toString('base64')}`,
        'content-type': 'application/json',
      },
    }),
  );
  while ((await rede.ledger('reference=p1')).length === 0);
  silent.abort();
  await unheard;
  assert.equal((await rede.call('POST', '', redeSale('p2', { amount: 1_003 }))).body.returnCode, '00');
  await assert.rejects(rede.call('POST', '', redeSale('p3', { amount: 1_004 })), SyntaxError);
  assert.equal((await rede.ledger('live=true')).length, 3);
});

test('a trigger card declines as often as it does with the simulated acquirer', async (t) => {
  const rede = await startRede(t);
  const codes = [];
  for (const reference of ['a', 'b', 'c']) {
    const { body } = await rede.call('POST', '', redeSale(reference, { cardNumber: '4000050000000122' }));
    codes.push(body.brand.returnCode);
  }
  assert.deepEqual(codes, ['51', '51', '00']);
});

test('Elo is not held, and takes no reference for having been asked', async (t) => {
  const rede = await startRede(t);
  const cardNumber = '6362970000457013';
  const held = await rede.call('POST', '', redeSale('p1', { cardNumber, capture: false }));
  assert.deepEqual([held.status, held.body.returnCode], [400, '69']);
  assert.equal((await rede.call('POST', '', redeSale('p1', { cardNumber }))).body.returnCode, '00');
});

test('version 1 takes the credentials themselves', async (t) => {
  const rede = await startRede(t);
  const headers = { authorization: `Basic ${Buffer.from(`${AFFILIATION}:k`).toString('base64')}` };
  const sold = await rede.ask('POST', '/erede/v1/transactions', { json: redeSale('p1'), headers });
  assert.deepEqual([sold.status, sold.body.returnCode], [200, '00']);
  assert.equal((await rede.ask('GET', '/v2/transactions?reference=p1', { headers })).status, 401);
  // So spells it the client in C#.
  const refunds = `/erede/v1/transactions/${sold.body.tid}/Refunds`;
  assert.equal((await rede.ask('GET', refunds, { headers })).body.returnCode, '369');
});

test('killed, it has what it answered, and nobody is still logged in', async (t) => {
  const rede = await startRede(t);
  const { tid } = (await rede.call('POST', '', redeSale('p1'))).body;
  await rede.call('POST', `/${tid}/refunds`, { amount: 500, delayRefunds: true });
  const before = await rede.ledger('reference=p1');
  await rede.end('SIGKILL');
  const again = await startRede(t, { folder: rede.folder });
  assert.deepEqual(await again.ledger('reference=p1'), before);
  assert.equal((await again.call('POST', '', redeSale('p1'))).status, 412);
});
