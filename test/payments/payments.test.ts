import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { call, encryptCard, logIn, pay, paymentRequest, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

let service: TestService;
let token: string;
let merchantId: string;

before(async () => {
  service = await openTestService({
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '2000',
    PARCELA_SIMULATOR_LATE_MILLISECONDS: '2500',
  });
  const demo = await service.demo();
  merchantId = demo.merchantId;
  token = await logIn(service.gatewayUrl, demo.gateway);
});
after(() => service.close());

type LedgerLine = {
  status: string;
  amount: number;
  nsu: string;
  paymentId: string;
  authorizationCode: string;
};

async function ledger(reference: string): Promise<LedgerLine[]> {
  const path = `/homologation/acquirer/charges?reference=${encodeURIComponent(reference)}`;
  return (await call(service.gatewayUrl, path, { token })).body.items as LedgerLine[];
}

async function statusOf(paymentId: string): Promise<string> {
  return (await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token })).body
    .statusDescription as string;
}

test('a payment by card token is approved, and the acquirer has booked exactly that', async () => {
  const { request, reply } = await pay(service.gatewayUrl, token, 1000);
  assert.equal(reply.status, 200, reply.text);
  const authorization = reply.body.paymentAuthorization;
  assert.equal(authorization.returnCode, '0');
  assert.equal(authorization.description, 'Sucesso');
  assert.equal(authorization.amount, 1000);
  assert.equal(authorization.installments, 1);
  assert.equal(authorization.referenceTransaction, request.referenceTransaction);
  const [charge, ...others] = await ledger(request.referenceTransaction);
  assert.equal(others.length, 0);
  assert.equal(charge?.status, 'approved');
  assert.equal(charge?.amount, 1000);
  assert.equal(charge?.nsu, authorization.nsu);
  assert.equal(charge?.paymentId, authorization.paymentId);
  assert.equal(charge?.authorizationCode, authorization.authorizationCode);
});

test('a payment in installments can be read, and its cents sum to the amount', async () => {
  const payment = { transactionType: 'credit', amount: 10_000, productType: 'lojista', installments: 3 };
  const { reply } = await pay(service.gatewayUrl, token, 0, { payment });
  const { paymentId, nsu } = reply.body.paymentAuthorization;
  const read = await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token });
  assert.equal(read.body.statusDescription, 'Autorizada');
  assert.equal(read.body.value, 10_000);
  assert.equal(read.body.nsu, nsu);
  assert.deepEqual(read.body.installments, [
    { installmentNumber: 1, amount: 3_334, canceledAmount: 0, status: 'Autorizada' },
    { installmentNumber: 2, amount: 3_333, canceledAmount: 0, status: 'Autorizada' },
    { installmentNumber: 3, amount: 3_333, canceledAmount: 0, status: 'Autorizada' },
  ]);
  assert.match(read.body.transactionDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
  assert.equal(read.body.transactionMoment, `${read.body.transactionDate}-03:00`);
});

/** An approval that tells nobody is written by a statement of its own. */
const TOLD = [{}, { urlCallBack: 'http://127.0.0.1:65500/callback' }] as const;

test('each authorized installment has one movement', async () => {
  const payment = { transactionType: 'credit', amount: 600, productType: 'lojista', installments: 6 };
  for (const told of TOLD) {
    const { reply } = await pay(service.gatewayUrl, token, 0, { payment, ...told });
    assert.equal(reply.status, 200, reply.text);
    const { paymentId } = reply.body.paymentAuthorization;
    const rows = await service.auditor.query(
      'select installment_number, type, old_state, new_state from movements where transaction_id = $1 order by movement_id',
      [paymentId],
    );
    assert.equal(rows.length, 6);
    for (const row of rows)
      assert.deepEqual([row.type, row.old_state, row.new_state], ['Autorizacao', null, 'authorized']);
  }
});

test('a payment by a card that the page encrypted is approved', async () => {
  const { body } = await call(service.gatewayUrl, '/v1/cards/public-key', { token });
  const encryptedCard = await encryptCard(body.key, {
    cardNumber: TEST_CARD,
    merchantId,
    createdAt: new Date().toISOString(),
    securityCode: '321',
    expirationMonth: '11',
    expirationYear: '38',
    cardholderName: 'ANA SOUZA',
  });
  // Brand, name and expiry come with it.
  const request = paymentRequest('', 2_500, { cardInfo: { encryptedCard } });
  const reply = await call(service.gatewayUrl, '/v1/payments', { token, body: request });
  assert.equal(reply.status, 200, reply.text);
  const again = await call(service.gatewayUrl, '/v1/payments', { token, body: request });
  assert.equal(again.status, 400, 'one encrypted card pays once');
  assert.equal(again.body[0].tag, 'cardInfo.encryptedCard');
  assert.equal((await ledger(request.referenceTransaction)).length, 1);
});

test('a card encrypted with OpenSSL is opened too', async () => {
  const { body } = await call(service.gatewayUrl, '/v1/cards/public-key', { token });
  const keyFile = join(service.folder, 'public-key.pem');
  const lines = body.key.match(/.{1,64}/g).join('\n');
  await writeFile(keyFile, `-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----\n`);
  const input = JSON.stringify({ cardNumber: TEST_CARD, merchantId, createdAt: new Date().toISOString() });
  const padding = ['rsa_padding_mode:oaep', 'rsa_oaep_md:sha256', 'rsa_mgf1_md:sha256'].flatMap((option) => [
    '-pkeyopt',
    option,
  ]);
  const made = spawnSync('openssl', ['pkeyutl', '-encrypt', '-pubin', '-inkey', keyFile, ...padding], {
    input,
  });
  assert.equal(made.status, 0, made.stderr.toString());
  const encryptedCard = made.stdout.toString('base64');
  const cardInfo = {
    encryptedCard,
    cardholderName: 'ANA SOUZA',
    expirationMonth: '12',
    expirationYear: '39',
    securityCode: '123',
  };
  const reply = await call(service.gatewayUrl, '/v1/payments', {
    token,
    body: paymentRequest('', 2_600, { cardInfo }),
  });
  assert.equal(reply.status, 200, reply.text);
});

test('homologation says why an encrypted card does not open', async () => {
  const { body } = await call(service.gatewayUrl, '/v1/cards/public-key', { token });
  const whole = { cardNumber: TEST_CARD, merchantId: body.merchantId, createdAt: body.createdAt };
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
  const good = await encryptCard(body.key, whole);
  const blobs: [string, ...RegExp[]][] = [
    ['AAAA', /384/],
    ['not base64 !', /base64/],
    [good.replace(/.{64}/, '$&\n'), /base64/],
    [Buffer.alloc(384, 7).toString('base64'), /SHA-256/],
    [await encryptCard(body.key, { ...whole, merchantId: 'another' }), /merchantId/],
    [await encryptCard(body.key, { ...whole, createdAt: hours(-25) }), /createdAt/],
    [await encryptCard(body.key, { ...whole, createdAt: hours(25) }), /createdAt/],
    [await encryptCard(body.key, { ...whole, cardNumber: '1234567890123456' }), /cardNumber/],
    [
      await encryptCard(body.key, { ...whole, expirationMonth: '1', expirationYear: '2039' }),
      /expirationMonth/,
      /expirationYear/,
    ],
    [await encryptCard(body.key, { nothing: 'at all' }), /cardNumber/, /merchantId/, /createdAt/],
  ];
  for (const [encryptedCard, ...causes] of blobs) {
    const cardInfo = {
      encryptedCard,
      cardholderName: 'ANA SOUZA',
      expirationMonth: '12',
      expirationYear: '39',
    };
    const sent = { token, body: paymentRequest('', 500, { cardInfo }) };
    const reply = await call(service.gatewayUrl, '/v1/payments', sent);
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.body.length, causes.length, reply.text);
    for (const [index, cause] of causes.entries()) {
      assert.equal(reply.body[index].tag, 'cardInfo.encryptedCard');
      assert.match(reply.body[index].description, cause);
    }
    const made = await call(service.gatewayUrl, '/v1/cards/tokenization', { token, body: { encryptedCard } });
    assert.deepEqual([made.status, made.body.length], [400, causes.length], made.text);
  }
});

test("a page may put in the key's own createdAt, or that of a buyer whose clock is hours off, and leave the rest empty", async () => {
  const { body } = await call(service.gatewayUrl, '/v1/cards/public-key', { token });
  assert.equal(body.merchantId, merchantId);
  assert.ok(Math.abs(Date.parse(body.createdAt) - Date.now()) < 3_600_000, body.createdAt);
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
  for (const createdAt of [body.createdAt, hours(1), hours(23), hours(-23)]) {
    const empty = { securityCode: '', cardholderName: ' ', expirationMonth: '', expirationYear: '' };
    const inside = { cardNumber: TEST_CARD, merchantId, createdAt, ...empty };
    const cardInfo = {
      encryptedCard: await encryptCard(body.key, inside),
      cardholderName: 'ANA SOUZA',
      expirationMonth: '12',
      expirationYear: '39',
      ...{ numberToken: '', vaultId: ' ', brand: '', securityCode: '' },
    };
    const empties = { urlCallBack: '', referenceTransaction: ' ', customer: [], configSplit: [] };
    const sent = { token, body: paymentRequest('', 2_700, { cardInfo, ...empties }) };
    const reply = await call(service.gatewayUrl, '/v1/payments', sent);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.paymentAuthorization.referenceTransaction, null);
  }
});

test('a card token is a UUID, read in capitals too', async () => {
  const numberToken = await tokenize(service.gatewayUrl, token);
  assert.match(numberToken, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const body = paymentRequest(numberToken.toUpperCase(), 2_800);
  const reply = await call(service.gatewayUrl, '/v1/payments', { token, body });
  assert.equal(reply.status, 200, reply.text);
});

test('a sale by fields of another gateway is refused by their names, and charges nothing', async () => {
  const numberToken = await tokenize(service.gatewayUrl, token);
  const sale = paymentRequest(numberToken, 2_900);
  const body = {
    ...sale,
    payment: { ...sale.payment, currencyCode: 'usd', eci: '05', xid: 'y' },
    sellerInfo: { ...sale.sellerInfo, code3DS: '1', captureType: 'pa' },
    sellers: [{ id: 1, amount: 100 }],
  };
  const reply = await call(service.gatewayUrl, '/v1/payments', { token, body });
  assert.equal(reply.status, 400, reply.text);
  assert.deepEqual(reply.body.map(({ tag }: { tag: string }) => tag).sort(), [
    ...['payment.currencyCode', 'payment.eci', 'payment.xid', 'sellerInfo.captureType', 'sellerInfo.code3DS'],
    'sellers',
  ]);
  assert.equal((await ledger(sale.referenceTransaction)).length, 0);
  const harmless = {
    ...sale,
    payment: { ...sale.payment, currencyCode: 'BRL' },
    sellers: [],
    orderNumber: '7',
  };
  const paid = await call(service.gatewayUrl, '/v1/payments', { token, body: harmless });
  assert.equal(paid.status, 200, paid.text);
});

test('a decline carries the code of the issuer and leaves no charge; its token may try again', async () => {
  const numberToken = await tokenize(service.gatewayUrl, token);
  const request = paymentRequest(numberToken, 1051);
  const reply = await call(service.gatewayUrl, '/v1/payments', { token, body: request });
  assert.equal(reply.status, 402);
  assert.equal(reply.body[0].tag, '51');
  assert.equal(reply.body[0].returnCode, '51');
  assert.equal(reply.body[0].brand, 'mastercard');
  assert.equal(reply.body[0].retryable, true);
  assert.deepEqual(
    (await ledger(request.referenceTransaction)).map((charge) => charge.status),
    ['declined'],
  );
  const second = paymentRequest(numberToken, 1000);
  assert.equal((await call(service.gatewayUrl, '/v1/payments', { token, body: second })).status, 200);
  const third = await call(service.gatewayUrl, '/v1/payments', {
    token,
    body: paymentRequest(numberToken, 1000),
  });
  assert.equal(third.status, 400, 'a token pays once');
  assert.equal(third.body[0].tag, 'cardInfo.numberToken');
});

test('all tokens of one encrypted card, and the card itself, are good for one approval', async () => {
  const { body } = await call(service.gatewayUrl, '/v1/cards/public-key', { token });
  for (const told of TOLD) {
    const card = { cardNumber: TEST_CARD, merchantId, createdAt: new Date().toISOString() };
    const encryptedCard = await encryptCard(body.key, card);
    const numberTokens: string[] = [];
    for (let made = 0; made < 2; made += 1) {
      const reply = await call(service.gatewayUrl, '/v1/cards/tokenization', {
        token,
        body: { encryptedCard },
      });
      numberTokens.push(reply.body[0].numberToken);
    }
    const [first = '', second = ''] = numberTokens;
    const payBy = async (cardSource: Record<string, string>) => {
      const cardInfo = { cardholderName: 'ANA', expirationMonth: '12', expirationYear: '39', ...cardSource };
      const asked = paymentRequest('', 1000, { cardInfo, ...told });
      return (await call(service.gatewayUrl, '/v1/payments', { token, body: asked })).status;
    };
    assert.deepEqual([await payBy({ numberToken: first }), await payBy({ numberToken: second })], [200, 400]);
    assert.equal(await payBy({ encryptedCard }), 400);
  }
});

test('an encrypted card spelled with other bytes of the same number does not open', async () => {
  const { body } = await call(service.gatewayUrl, '/v1/cards/public-key', { token });
  const card = { cardNumber: TEST_CARD, merchantId, createdAt: new Date().toISOString() };
  const whole = Buffer.from(await encryptCard(body.key, card), 'base64');
  for (const bytes of [Buffer.concat([Buffer.from([0]), whole]), whole.subarray(1)]) {
    const body = { encryptedCard: bytes.toString('base64') };
    assert.equal((await call(service.gatewayUrl, '/v1/cards/tokenization', { token, body })).status, 400);
  }
});

test('everything that is wrong with a card is reported at once', async () => {
  const numberToken = await tokenize(service.gatewayUrl, token);
  const cardInfo = {
    numberToken,
    cardholderName: 'ANA',
    securityCode: '1234',
    expirationMonth: '01',
    expirationYear: '20',
  };
  const reply = await call(service.gatewayUrl, '/v1/payments', {
    token,
    body: paymentRequest('', 1000, { cardInfo }),
  });
  assert.deepEqual(
    reply.body.map((error: { tag: string }) => error.tag),
    ['cardInfo.securityCode', 'cardInfo.expirationYear'],
  );
});

test("insufficient funds comes in the brand's own code", async () => {
  const numberToken = await tokenize(service.gatewayUrl, token, '376449047333005');
  const cardInfo = {
    numberToken,
    cardholderName: 'ANA',
    brand: 'amex',
    expirationMonth: '12',
    expirationYear: '39',
    securityCode: '1234',
  };
  const reply = await call(service.gatewayUrl, '/v1/payments', {
    token,
    body: paymentRequest('', 1051, { cardInfo }),
  });
  assert.equal(reply.status, 402);
  assert.equal(reply.body[0].tag, '116');
});

const unresolved = {
  1001: 'is silent',
  1002: 'books and is silent',
  1003: 'answers too late',
  1004: 'answers garbage',
};
for (const [amount, behaviour] of Object.entries(unresolved)) {
  test(`when the acquirer ${behaviour}, the caller gets an error and the charge is voided`, async () => {
    const { request, reply } = await pay(service.gatewayUrl, token, Number(amount));
    assert.equal(reply.status, 500);
    assert.equal(reply.body[0].tag, '');
    assert.match(reply.body[0].description, /erro desconhecido/);
    const [row] = await until('the charge is settled', async () => {
      const rows = await service.auditor.query(
        'select transaction_id, state from transactions where reference_transaction = $1 and decided_at is not null',
        [request.referenceTransaction],
      );
      return rows.length === 1 && rows;
    });
    assert.equal(row?.state, 'voided');
    const live = (await ledger(request.referenceTransaction)).filter((charge) => charge.status !== 'undone');
    assert.deepEqual(live, []);
    assert.equal(await statusOf(row?.transaction_id as string), 'Desfeita');
    const movements = await service.auditor.query('select 1 from movements where transaction_id = $1', [
      row?.transaction_id,
    ]);
    assert.equal(movements.length, 0, 'what never was authorized makes no movement');
  });
}

test('fifty payments with one token at once make one charge', async () => {
  const numberToken = await tokenize(service.gatewayUrl, token);
  const request = paymentRequest(numberToken, 4_200);
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => call(service.gatewayUrl, '/v1/payments', { token, body: request })),
  );
  assert.equal(replies.filter((reply) => reply.status === 200).length, 1);
  assert.equal(replies.filter((reply) => reply.status === 400).length, 49);
  assert.equal((await ledger(request.referenceTransaction)).length, 1);
});

test('all faults of a payment come at once, each with the field as it was sent', async () => {
  const body = {
    Payment: { transactionType: 'debit', Amount: '100', productType: 'avista', installments: 2 },
    sellerInfo: { codeAntiFraud: 'not-a-guid' },
    cardInfo: { numberToken: 'x', encryptedCard: 'y', securityCode: '12', expirationMonth: '13' },
    referenceTransaction: 'x'.repeat(51),
  };
  const reply = await call(service.gatewayUrl, '/v1/payments', { token, body });
  assert.equal(reply.status, 400);
  const tags = reply.body.map((error: { tag: string }) => error.tag);
  for (const tag of [
    'Payment.transactionType',
    'Payment.Amount',
    'Payment.installments',
    'sellerInfo.codeAntiFraud',
    'cardInfo.cardholderName',
    'cardInfo.numberToken',
    'cardInfo.securityCode',
    'cardInfo.expirationMonth',
    'referenceTransaction',
  ]) {
    assert.ok(tags.includes(tag), `${tag} is missing in ${tags}`);
  }
});

test('faults are written in English when the caller prefers it', async () => {
  const headers = { 'accept-language': 'en-US,en;q=0.9,pt;q=0.5' };
  const reply = await call(service.gatewayUrl, '/v1/payments', { token, headers, body: {} });
  assert.equal(reply.body[0].description, 'This field is required.');
});

test('amounts of 1 cent and of 9999999999 cents are charged to the cent; outside of that they are refused', async () => {
  for (const amount of [1, 9_999_999_999]) {
    const { request, reply } = await pay(service.gatewayUrl, token, amount);
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await ledger(request.referenceTransaction))[0]?.amount, amount);
  }
  for (const amount of [0, -1, 10_000_000_000, 1.5, 1e21]) {
    const { reply } = await pay(service.gatewayUrl, token, amount);
    assert.equal(reply.status, 400, String(amount));
    assert.equal(reply.body[0].tag, 'payment.amount');
  }
});

test('an unknown payment and a malformed id are not found alike', async () => {
  const absent = await call(service.gatewayUrl, `/v1/payments/${randomUUID()}`, { token });
  const malformed = await call(service.gatewayUrl, '/v1/payments/%00', { token });
  assert.equal(absent.status, 404);
  assert.equal(malformed.status, 404);
  assert.equal(absent.text, malformed.text);
});

test('a card token pays for ten minutes, and not behind them', async () => {
  const [early, late] = [
    await tokenize(service.gatewayUrl, token),
    await tokenize(service.gatewayUrl, token),
  ];
  const [{ longest } = { longest: null }] = await service.auditor.query(
    'select extract(epoch from max(expires_at - created_at))::int as longest from card_tokens',
    [],
  );
  assert.equal(longest, 600);
  const leave = (seconds: number) =>
    service.auditor.query(`update card_tokens set expires_at = now() + $1 * interval '1 second'`, [seconds]);
  const payWith = (numberToken: string) =>
    call(service.gatewayUrl, '/v1/payments', { token, body: paymentRequest(numberToken, 1_000) });
  await leave(30);
  assert.equal((await payWith(early)).status, 200);
  await leave(-1);
  const refused = await payWith(late);
  assert.equal(refused.status, 400, refused.text);
  assert.equal(refused.body[0].tag, 'cardInfo.numberToken');
});

test('an expired card is refused before the acquirer is asked', async () => {
  const numberToken = await tokenize(service.gatewayUrl, token);
  const cardInfo = {
    numberToken,
    cardholderName: 'ANA',
    brand: 'mastercard',
    expirationMonth: '01',
    expirationYear: '20',
  };
  const request = paymentRequest('', 1000, { cardInfo });
  const reply = await call(service.gatewayUrl, '/v1/payments', { token, body: request });
  assert.equal(reply.status, 400);
  assert.equal(reply.body[0].tag, 'cardInfo.expirationYear');
  assert.equal((await ledger(request.referenceTransaction)).length, 0);
});

test('neither card number nor security code is in the database or the log', async () => {
  const numberToken = await tokenize(service.gatewayUrl, token, '4012001037141112');
  const cardInfo = {
    numberToken,
    cardholderName: 'ANA',
    brand: 'visa',
    expirationMonth: '12',
    expirationYear: '39',
    securityCode: '907',
  };
  await call(service.gatewayUrl, '/v1/payments', { token, body: paymentRequest('', 1000, { cardInfo }) });
  const tables = await service.auditor.query(
    `select table_name from information_schema.tables where table_schema = 'public'`,
    [],
  );
  for (const { table_name } of tables) {
    const rows = await service.auditor.query(`select t::text as text from ${table_name} t`, []);
    const texts = rows.map((row) => String(row.text)).join('\n');
    for (const needle of ['4012001037141112', Buffer.from('4012001037141112').toString('hex')]) {
      assert.ok(!texts.includes(needle), `the card number is in ${table_name}`);
    }
  }
  assert.ok(!service.log.join('\n').includes('4012001037141112'));
  assert.ok(!service.log.some((line) => line.includes('"907"')));
});

test('a payment that repeats the number of its own card is refused, whatever stands between the digits', async () => {
  const apart = (between: string) => TEST_CARD.replaceAll(/(\d{4})(?=\d)/g, `$1${between}`);
  const reported = async (change: Record<string, unknown>) => {
    const numberToken = await tokenize(service.gatewayUrl, token);
    const body = paymentRequest(numberToken, 1_000, change);
    const reply = await call(service.gatewayUrl, '/v1/payments', { token, body });
    return [reply.status, ...(reply.status === 400 ? reply.body.map(({ tag }: { tag: string }) => tag) : [])];
  };
  for (const between of ['', ' ', '\t', '\n', '/', '_', ' - ', '\u00a0', 'x']) {
    const customer = {
      documentType: 'cpf',
      address: `Rua ${apart(between)} casa`,
      lastName: `"${apart(between)}"`,
    };
    assert.deepEqual(
      await reported({ customer }),
      [400, 'customer.lastName', 'customer.address'],
      JSON.stringify(between),
    );
  }
  for (const between of ['', '/', '%20', '+']) {
    const urlCallBack = `https://loja.example/volta?c=${apart(between)}`;
    assert.deepEqual(await reported({ urlCallBack }), [400, 'urlCallBack'], between);
  }
  assert.deepEqual(await reported({ referenceTransaction: apart(',') }), [400, 'referenceTransaction']);
  assert.deepEqual(await reported({ customer: { address: 'Rua 5155, 9012, apto 22' } }), [200]);
});
