import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readListQuery } from '../../src/payments/list/contract.ts';
import { searchPayments } from '../../src/payments/list/payment-searches.sql.ts';
import { openDatabase, type Reader } from '../../src/platform/postgres/database.ts';
import { call, cpfOf, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';

let service: TestService;
let token: string;

const COMPANY = '11222333000181';
const LETTERED = '12ABC34501DE35';
const PERSON = '52998224725';

before(async () => {
  service = await openTestService({ PARCELA_FEES: 'visa:1=9.99, mastercard:2-6=3.10, any:1-99=2.5' });
  token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
});
after(() => service.close());

type Entry = { documentNumberBeneficiary?: unknown; percent?: unknown; type?: unknown };
type Reported = {
  documentNumberBeneficiary: string;
  percent: number;
  type: string;
  amount: number;
  canceledAmount: number;
  installments: { installmentNumber: number; amount: number; canceledAmount: number }[];
};

async function payDivided(amount: number, installments: number, configSplit: readonly Entry[]) {
  const productType = installments === 1 ? 'avista' : 'lojista';
  const payment = { transactionType: 'credit', amount, productType, installments };
  return (await pay(service.gatewayUrl, token, amount, { payment, configSplit })).reply;
}

async function read(paymentId: string) {
  return (await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token })).body;
}

function readPage(paymentId: string, page: number | string) {
  return call(service.gatewayUrl, `/v1/payments/${paymentId}?splitPage=${page}`, { token });
}

const entry = (documentNumberBeneficiary: string, percent: number, type?: string): Entry => ({
  documentNumberBeneficiary,
  percent,
  ...(type === undefined ? {} : { type }),
});

test('every beneficiary gets the share of the amount, to the cent, in every installment', async () => {
  const reply = await payDivided(10_000, 3, [entry(COMPANY, 10.5), entry(PERSON, 33.33)]);
  assert.equal(reply.status, 200, reply.text);
  const { split, paymentId } = reply.body.paymentAuthorization;
  assert.deepEqual(split, [
    {
      documentNumberBeneficiary: COMPANY,
      percent: 10.5,
      type: 'bruto',
      amount: 1_050,
      canceledAmount: 0,
      installments: [
        { installmentNumber: 1, amount: 350, canceledAmount: 0 },
        { installmentNumber: 2, amount: 350, canceledAmount: 0 },
        { installmentNumber: 3, amount: 350, canceledAmount: 0 },
      ],
    },
    {
      documentNumberBeneficiary: PERSON,
      percent: 33.33,
      type: 'bruto',
      amount: 3_333,
      canceledAmount: 0,
      installments: [
        { installmentNumber: 1, amount: 1_111, canceledAmount: 0 },
        { installmentNumber: 2, amount: 1_111, canceledAmount: 0 },
        { installmentNumber: 3, amount: 1_111, canceledAmount: 0 },
      ],
    },
  ]);
  assert.deepEqual((await read(paymentId)).split, split);
  const [row] = await service.auditor.query('select split from transactions where transaction_id = $1', [
    paymentId,
  ]);
  assert.deepEqual(row?.split, {
    kind: 'gross',
    feePortion: 310,
    entries: [
      { beneficiary: COMPANY, portion: 1_050 },
      { beneficiary: PERSON, portion: 3_333 },
    ],
  });
});

test("a share of type liquido is of the amount less the operator's fee for that brand and number of installments", async () => {
  const inTwo = await payDivided(10_000, 2, [entry(LETTERED, 50, 'liquido')]);
  assert.equal(inTwo.body.paymentAuthorization.split[0].amount, 4_845, 'half of 10,000 less 3.10 %');
  const atOnce = await payDivided(10_000, 1, [entry(LETTERED, 50, 'liquido')]);
  assert.equal(atOnce.body.paymentAuthorization.split[0].amount, 4_875, 'half of 10,000 less 2.5 %');
  assert.equal(atOnce.body.paymentAuthorization.split[0].type, 'liquido');
});

test('all of a sale can be the beneficiaries’, and nothing is lost between uneven cents', async () => {
  const reply = await payDivided(10_001, 7, [
    entry(COMPANY, 33.34),
    entry(PERSON, 33.33),
    entry(LETTERED, 33.33),
  ]);
  const { split, paymentId } = reply.body.paymentAuthorization;
  assert.equal(
    split.reduce((sum: number, { amount }: Reported) => sum + amount, 0),
    10_001,
  );
  const { installments } = await read(paymentId);
  for (const { installmentNumber, amount } of installments) {
    const parts = split.map(
      (reported: Reported) => reported.installments[installmentNumber - 1]?.amount ?? 0,
    );
    assert.equal(
      parts.reduce((sum: number, part: number) => sum + part, 0),
      amount,
    );
  }
});

test('a hundred beneficiaries over ninety-nine installments are recorded whole', async () => {
  const entries = Array.from({ length: 100 }, (_, index) => entry(cpfOf(index), 1));
  const reply = await payDivided(123_457, 99, entries);
  assert.equal(reply.status, 200, reply.text);
  const { splitPages, paymentId } = reply.body.paymentAuthorization;
  const split: Reported[] = [];
  for (let page = 1; page <= splitPages; page += 1)
    split.push(...(await readPage(paymentId, page)).body.split);
  assert.equal(
    split.reduce((sum: number, { amount }: Reported) => sum + amount, 0),
    123_457,
  );
  const [row] = await service.auditor.query(
    'select count(*)::int as count, sum(amount)::int as sum from shares where transaction_id = $1',
    [paymentId],
  );
  assert.deepEqual(row, { count: 9_900, sum: 123_457 });
  const canceled = await call(service.gatewayUrl, `/v1/payments/${paymentId}/cancel`, { token, body: {} });
  assert.equal(canceled.status, 200, canceled.text);
  assert.ok(
    (await read(paymentId)).split.every((reported: Reported) => reported.canceledAmount === reported.amount),
  );
});

test('beneficiaries give back in proportion when a part is canceled, and all when all is', async () => {
  const reply = await payDivided(10_000, 2, [entry(COMPANY, 50), entry(PERSON, 30)]);
  const { paymentId } = reply.body.paymentAuthorization;
  const cancel = (body: object) =>
    call(service.gatewayUrl, `/v1/payments/${paymentId}/cancel`, { token, body });
  assert.equal((await cancel({ amount: 1_000 })).status, 200);
  const { split } = await read(paymentId);
  assert.deepEqual(
    split.map((reported: Reported) => [reported.amount, reported.canceledAmount]),
    [
      [5_000, 500],
      [3_000, 300],
    ],
  );
  assert.deepEqual(split[0].installments, [
    { installmentNumber: 1, amount: 2_500, canceledAmount: 0 },
    { installmentNumber: 2, amount: 2_500, canceledAmount: 500 },
  ]);
  assert.equal((await cancel({})).body.amount, 9_000);
  const after = await read(paymentId);
  assert.deepEqual(
    after.split.map((reported: Reported) => reported.canceledAmount),
    [5_000, 3_000],
  );
});

test('many small cancels take the same part of a beneficiary as one large', async () => {
  const reply = await payDivided(100, 1, [entry(COMPANY, 85)]);
  const { paymentId } = reply.body.paymentAuthorization;
  const cancel = (amount: number) =>
    call(service.gatewayUrl, `/v1/payments/${paymentId}/cancel`, { token, body: { amount } });
  const canceled = async () => (await read(paymentId)).split[0].canceledAmount;
  for (let tries = 0; tries < 20; tries += 1) assert.equal((await cancel(1)).status, 200);
  assert.equal(await canceled(), 17);
  assert.equal((await cancel(40)).status, 200);
  assert.equal(await canceled(), 51);
  assert.equal((await cancel(40)).status, 200);
  assert.equal(await canceled(), 85);
});

const MOST_BENEFICIARIES = 100;
const MOST_INSTALLMENTS = 99;
/** Of the most shares in one answer, a thousand. */
const BENEFICIARIES_OF_PAGE = 10;

test('a split of very many shares is reported page by page, whole and without overlap', async () => {
  const entries = Array.from({ length: MOST_BENEFICIARIES }, (_, index) => entry(cpfOf(index), 1));
  const reply = await payDivided(990_000, MOST_INSTALLMENTS, entries);
  assert.equal(reply.status, 200, reply.text);
  const { split, splitPage, splitPages, paymentId } = reply.body.paymentAuthorization;
  const pages = MOST_BENEFICIARIES / BENEFICIARIES_OF_PAGE;
  assert.deepEqual([splitPage, splitPages], [1, pages]);
  const reported: Reported[] = [];
  for (let page = 1; page <= pages; page += 1) {
    const { status, body, text } = await readPage(paymentId, page);
    assert.equal(status, 200, text);
    assert.deepEqual([status, body.splitPage, body.splitPages], [200, page, pages]);
    assert.equal(body.installments.length, MOST_INSTALLMENTS);
    assert.equal(body.split.length, BENEFICIARIES_OF_PAGE);
    reported.push(...body.split);
  }
  assert.deepEqual(reported.slice(0, BENEFICIARIES_OF_PAGE), split, 'a payment answers with the first page');
  assert.deepEqual((await read(paymentId)).split, split, 'which is that of a payment that is read');
  assert.deepEqual(
    reported.map(({ documentNumberBeneficiary }) => documentNumberBeneficiary),
    entries.map(({ documentNumberBeneficiary }) => documentNumberBeneficiary),
  );
  for (const { amount, installments } of reported) {
    assert.deepEqual([amount, installments.length], [9_900, MOST_INSTALLMENTS]);
    assert.equal(
      installments.reduce((sum, part) => sum + part.amount, 0),
      amount,
    );
  }
  const behind = (await readPage(paymentId, pages + 1)).body;
  assert.deepEqual([behind.split, behind.splitPages], [[], pages]);
  for (const wrong of ['0', '101', 'x', '1.5']) assert.equal((await readPage(paymentId, wrong)).status, 400);
  await walkMovements(paymentId);
});

/** Movements tell the shares of their installment: a page ends where they are too many. */
async function walkMovements(paymentId: string): Promise<void> {
  const { integration, accountNumber } = await service.demo();
  const login = await logIn(service.integrationUrl, integration, '/api/authentication/login');
  const numbers: number[] = [];
  for (let after = 0; ; ) {
    const path = `/api/movements?accountNumber=${accountNumber}&after=${after}&limit=100`;
    const reply = await call(service.integrationUrl, path, { token: login });
    assert.equal(reply.status, 200, reply.text);
    const { items, next } = reply.body;
    if (items.length === 0) break;
    const shares = items.reduce((sum: number, item: { shares: unknown[] }) => sum + item.shares.length, 0);
    assert.ok(shares <= 1_000, `${shares} shares`);
    for (const item of items) {
      if (item.paymentId !== paymentId) continue;
      assert.equal(item.shares.length, MOST_BENEFICIARIES);
      numbers.push(item.installmentNumber);
    }
    after = next;
  }
  const all = Array.from({ length: MOST_INSTALLMENTS }, (_, index) => index + 1);
  assert.deepEqual(
    numbers.toSorted((one, other) => one - other),
    all,
  );
}

test('in a list each beneficiary is reported once, however many installments there are', async () => {
  const reference = 'PEDIDO-DIVIDED';
  const entries = Array.from({ length: 12 }, (_, index) => entry(cpfOf(index), index % 2 === 0 ? 8.5 : 0));
  const payment = { transactionType: 'credit', amount: 65_537, productType: 'lojista', installments: 9 };
  const { reply } = await pay(service.gatewayUrl, token, 65_537, {
    payment,
    configSplit: entries,
    referenceTransaction: reference,
  });
  const { paymentId } = reply.body.paymentAuthorization;
  const canceled = await call(service.gatewayUrl, `/v1/payments/${paymentId}/cancel`, {
    token,
    body: { amount: 20_000 },
  });
  assert.equal(canceled.status, 200, canceled.text);
  const path = `/v1/payments?referenceTransaction=${reference}`;
  const { items } = (await call(service.gatewayUrl, path, { token })).body;
  const alone = await read(paymentId);
  const withoutInstallments = alone.split.map(({ installments, ...reported }: Reported) => {
    assert.equal(installments.length, 9);
    return reported;
  });
  const { cancels, ...shown } = alone;
  assert.deepEqual(items, [{ ...shown, split: withoutInstallments }]);
  assert.equal(cancels.length, 1);
  assert.ok(items[0].split.some(({ canceledAmount }: Reported) => canceledAmount > 0));
});

test('a list reads as many rows and values as there are installments and beneficiaries, not their product', async () => {
  const referenceTransaction = 'PEDIDO-WIDE';
  const entries = Array.from({ length: 20 }, (_, index) => entry(cpfOf(index), 2));
  const payment = { transactionType: 'credit', amount: 90_000, productType: 'lojista', installments: 15 };
  for (let made = 0; made < 2; made += 1) {
    const { reply } = await pay(service.gatewayUrl, token, 90_000, {
      payment,
      configSplit: entries,
      referenceTransaction,
    });
    assert.equal(reply.status, 200, reply.text);
  }
  const read: Record<string, unknown>[] = [];
  const books = openDatabase(service.database.address, () => {});
  const query: Reader['query'] = async (statement, values) => {
    const rows = await books.query(statement, values);
    read.push(...rows);
    return rows;
  };
  const { merchantId } = await service.demo();
  const wanted = readListQuery({ referenceTransaction, limit: 100 });
  const found = await searchPayments({ query }, merchantId, wanted, 0);
  await books.close();
  assert.ok(found !== 'tooManyToOrder');
  assert.deepEqual(
    found.items.map((one) => one.method === 'card' && one.transaction.shareTotals.length),
    [20, 20],
  );
  assert.equal(read.length, 2, 'the two payments of the page');
  const lengths = read.flatMap((row) =>
    Object.values(row).map((value) => (Array.isArray(value) ? value.length : 1)),
  );
  assert.equal(Math.max(...lengths), 20);
});

test('everything that is wrong with a split is reported at once, at its place, and nothing is charged', async () => {
  const reply = await payDivided(1_000, 1, [
    { documentNumberBeneficiary: '52998224724', percent: 10 },
    { documentNumberBeneficiary: COMPANY, percent: 100.01 },
    { documentNumberBeneficiary: COMPANY, percent: 1.234, type: 'liquido' },
    { percent: '5', type: 'metade' },
    { documentNumberBeneficiary: PERSON, percent: -1 },
  ]);
  assert.equal(reply.status, 400);
  assert.deepEqual(reply.body.map(({ tag }: { tag: string }) => tag).sort(), [
    'configSplit',
    'configSplit[0].documentNumberBeneficiary',
    'configSplit[1].percent',
    'configSplit[2].documentNumberBeneficiary',
    'configSplit[2].percent',
    'configSplit[2].type',
    'configSplit[3].documentNumberBeneficiary',
    'configSplit[3].percent',
    'configSplit[3].type',
    'configSplit[4].percent',
  ]);
});

test('percents are compared exactly: 100 together is taken, a hundredth more is not', async () => {
  const whole = [entry(COMPANY, 33.1), entry(PERSON, 33.2), entry(LETTERED, 33.7)];
  assert.equal((await payDivided(1_000, 1, whole)).status, 200);
  const over = [entry(COMPANY, 33.1), entry(PERSON, 33.2), entry(LETTERED, 33.71)];
  const reply = await payDivided(1_000, 1, over);
  assert.equal(reply.status, 400);
  assert.deepEqual(
    reply.body.map(({ tag }: { tag: string }) => tag),
    ['configSplit'],
  );
});

test('a payment without a split says nothing of one', async () => {
  const reply = await payDivided(1_000, 1, []);
  assert.equal(reply.status, 200, reply.text);
  assert.ok(!('split' in reply.body.paymentAuthorization));
  assert.ok(!('split' in (await read(reply.body.paymentAuthorization.paymentId))));
});
