import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { type BarCode, digitableLine, parseBarCode } from '../../src/values/bar-code.ts';
import { call } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  type BoletoShop,
  boletoRequest,
  cancel,
  changeDay,
  exceptionsOf,
  force,
  inDays,
  issue,
  list,
  movementsOf,
  openBoletoShop,
  read,
  today,
  untilStatus,
} from './boleto-service.ts';

let shop: BoletoShop;

before(async () => {
  shop = await openBoletoShop();
});
after(() => shop?.service.close());

test('a boleto is issued, read, listed, and its movement is Emitido', async () => {
  const reply = await issue(shop);
  assert.equal(reply.status, 200, reply.text);
  const { id, barCode, ourNumber } = reply.body;
  const parts = parseBarCode(barCode, today());
  assert.ok(parts.kind === 'barCode', JSON.stringify(parts));
  assert.deepEqual([parts.amount, parts.dueOn], [14_990, inDays(10)]);
  assert.equal(reply.body.digitableLine, digitableLine(barCode as BarCode));
  assert.match(ourNumber, /^\d{11}$/);
  assert.deepEqual([reply.body.statusBill, reply.body.issueDate], [1, today()]);
  assert.match(reply.body.url, /\/boletos\/[0-9a-f]{32}$/);
  assert.deepEqual((await read(shop, id)).body, reply.body);
  const listed = await list(shop, `startDate=${inDays(10)}&endDate=${inDays(10)}&statusBill=1`);
  assert.ok(Array.isArray(listed.body));
  assert.deepEqual(
    listed.body.find((one: { id: string }) => one.id === id),
    reply.body,
  );
  assert.deepEqual(await movementsOf(shop, id), ['>Emitido']);
});

test('repeated with its key it is the same boleto; another body with it is refused', async () => {
  const headers = { 'idempotency-key': 'boleto-1' };
  const first = await issue(shop, {}, { headers });
  const again = await issue(shop, {}, { headers });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(again.body, first.body);
  assert.equal((await issue(shop, { value: 150 }, { headers })).status, 422);
});

test('all faults of a request come at once, each with its field', async () => {
  const reply = await issue(shop, {
    value: 10.001,
    dueDate: inDays(-1),
    payer: { name: ' ', documentNumber: '1', address: { state: 'XX', zipCode: '123' } },
    instructions: ['cartão 4111 1111 1111 1111'],
    discount: { value: 10, until: inDays(-2) },
    urlCallBack: 'https://10.0.0.1/x',
  });
  assert.equal(reply.status, 400);
  const tags = (reply.body as { tag: string }[]).map(({ tag }) => tag).sort();
  assert.deepEqual(tags, [
    'discount.until',
    'dueDate',
    'instructions[0]',
    'payer.address.city',
    'payer.address.district',
    'payer.address.number',
    'payer.address.state',
    'payer.address.street',
    'payer.address.zipCode',
    'payer.documentNumber',
    'payer.name',
    'urlCallBack',
    'value',
  ]);
});

test('terms that do not fit each other are refused, and make nothing', async () => {
  const [before] = await shop.service.auditor.query('select count(*)::int as n from boletos');
  const reply = await issue(shop, { value: 10, discount: { value: 10, until: inDays(11) } });
  assert.equal(reply.status, 400);
  assert.deepEqual(
    (reply.body as { tag: string }[]).map(({ tag }) => tag),
    ['discount.value', 'discount.until'],
  );
  assert.equal((await issue(shop, { dueDate: inDays(-1) })).status, 400);
  assert.deepEqual(await shop.service.auditor.query('select count(*)::int as n from boletos'), [before]);
});

test("another merchant's account, and a boleto that nobody has, are not found", async () => {
  const path = '/api/billissuer/new?accountNumber=999';
  assert.equal((await call(shop.url, path, { token: shop.token, body: boletoRequest() })).status, 404);
  assert.equal((await read(shop, '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44')).status, 404);
  assert.equal((await cancel(shop, 'nothing')).status, 404);
});

test('a refusal of the bank is 402 with its field, in both languages, and again with the key', async () => {
  const headers = { 'idempotency-key': 'refused-1', 'accept-language': 'en' };
  const reply = await issue(shop, { value: 120.11 }, { headers });
  assert.equal(reply.status, 402, reply.text);
  const [{ tag, description, boletoId }] = reply.body;
  assert.deepEqual([tag, description.includes('payer')], ['payer', true]);
  const again = await issue(shop, { value: 120.11 }, { headers: { 'idempotency-key': 'refused-1' } });
  assert.equal(again.status, 402);
  assert.match(again.body[0].description, /pagador/);
  assert.equal((await read(shop, boletoId)).status, 402);
  assert.deepEqual(await movementsOf(shop, boletoId), []);
});

test('a payment is shown with its value and day, and cannot be canceled any more', async () => {
  const { id } = (await issue(shop)).body;
  const forced = await force(shop, id, { type: 'paid', amount: 10_000 });
  assert.deepEqual([forced.status, forced.body.statusBill], [200, 2], forced.text);
  const { body } = await read(shop, id);
  assert.deepEqual(
    [body.statusBill, body.effectivePaymentValue, body.effectivePaymentDate],
    [2, 100, today()],
  );
  assert.deepEqual(body.payments, [
    {
      amount: 10_000,
      paidOn: today(),
      kind: 'otherAmount',
      state: 'open',
      exceptionId: body.payments[0].exceptionId,
    },
  ]);
  assert.deepEqual(await movementsOf(shop, id), ['>Emitido', 'Emitido>Pago', 'Pago>Pagamento inesperado']);
  const refused = await cancel(shop, id);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [409, null], 'it stands');
});

test('a payment by hand lies neither before the issue nor after today', async () => {
  const { id } = (await issue(shop)).body;
  for (const paidOn of [inDays(-1), inDays(1)]) {
    const reply = await force(shop, id, { type: 'paid', paidOn });
    assert.deepEqual([reply.status, reply.body[0].tag], [400, 'paidOn'], reply.text);
  }
  assert.equal((await read(shop, id)).body.statusBill, 1);
});

const gaugeOfUnhandled = async () => {
  const metrics = await (await fetch(shop.service.metricsUrl)).text();
  return Number(/parcela_reconciliation_exceptions\{class="unexpectedPayment"\} (\d+)/.exec(metrics)?.[1]);
};

test('what was not expected is an exception of the account, until a person says what became of it', async () => {
  const { id } = (await issue(shop)).body;
  await force(shop, id, { type: 'paid' });
  assert.deepEqual(await exceptionsOf(shop, id), []);
  await force(shop, id, { type: 'paid' });
  const [found, ...more] = await exceptionsOf(shop, id);
  assert.equal(more.length, 0);
  const { class: name, state, transactionId, installmentNumber, amount, expected, day } = found ?? {};
  assert.deepEqual(
    [name, state, transactionId, installmentNumber, amount, expected, found?.found, day],
    ['unexpectedPayment', 'open', null, null, -14_990, null, '14990', today()],
  );
  assert.match(String(found?.exceptionId), /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  const kinds = async () => {
    const { payments } = (await read(shop, id)).body;
    return payments.map((one: Record<string, unknown>) => [one.kind, one.state]);
  };
  assert.deepEqual(await kinds(), [
    ['expected', 'resolved'],
    ['second', 'open'],
  ]);
  const [listed] = (await list(shop, `startDate=${today()}&endDate=${inDays(30)}`)).body.filter(
    (one: Record<string, unknown>) => one.id === id,
  );
  assert.equal(listed.payments.length, 2);
  await until('it is counted', async () => (await gaugeOfUnhandled()) > 0);
  const resolve = (exceptionId: unknown, body: object) =>
    call(shop.url, `/api/reconciliation/exceptions/${exceptionId}/resolve`, { token: shop.token, body });
  assert.equal((await resolve(found?.exceptionId, { reason: ' ' })).status, 400);
  assert.equal((await resolve(id, { reason: 'devolvido' })).status, 404);
  for (const reason of ['devolvido ao pagador', 'outra coisa']) {
    const reply = await resolve(found?.exceptionId, { reason });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual([reply.body.state, reply.body.reason], ['resolved', 'devolvido ao pagador']);
  }
  const entries = await shop.service.auditor.query(
    "select detail from audit_entries where action = 'reconciliation.resolve' and resource like '%' || $1",
    [found?.exceptionId],
  );
  assert.equal(entries.length, 1);
  assert.deepEqual(await kinds(), [
    ['expected', 'resolved'],
    ['second', 'resolved'],
  ]);
});

test('a second payment changes nothing and is recorded as one that nobody expected', async () => {
  const { id } = (await issue(shop)).body;
  await force(shop, id, { type: 'paid' });
  await force(shop, id, { type: 'paid', amount: 5_000 });
  const rows = await shop.service.auditor.query(
    'select amount::int, expected_amount::int, surprise from boleto_payments where boleto_id = $1 order by created_at',
    [id],
  );
  assert.deepEqual(rows, [
    { amount: 14_990, expected_amount: 14_990, surprise: null },
    { amount: 5_000, expected_amount: 14_990, surprise: 'paidAgain' },
  ]);
  assert.equal((await read(shop, id)).body.effectivePaymentValue, 149.9);
  const metrics = await (await fetch(shop.service.metricsUrl)).text();
  assert.match(metrics, /parcela_bank_changes_total\{outcome="paidAgain"\} [1-9]/);
});

test('a cancel takes the boleto out of the bank, and may be repeated; a later payment is recorded', async () => {
  const { id } = (await issue(shop)).body;
  const canceled = await cancel(shop, id);
  assert.deepEqual([canceled.status, canceled.body.statusBill], [200, 4], canceled.text);
  assert.equal((await cancel(shop, id)).status, 200);
  await force(shop, id, { type: 'paid' });
  assert.equal((await read(shop, id)).body.statusBill, 4);
  const rows = await shop.service.auditor.query('select surprise from boleto_payments where boleto_id = $1', [
    id,
  ]);
  assert.deepEqual(rows, [{ surprise: 'paidAfterCancel' }]);
  assert.deepEqual(await movementsOf(shop, id), [
    '>Emitido',
    'Emitido>Cancelado',
    'Cancelado>Pagamento inesperado',
  ]);
  const [late] = (await read(shop, id)).body.payments;
  assert.deepEqual([late.amount, late.kind, late.state], [14_990, 'afterEnd', 'open']);
  assert.equal((await exceptionsOf(shop, id)).length, 1);
});

test('a cancel that waited for a payment that was being recorded shows it', async () => {
  const { id } = (await issue(shop)).body;
  assert.equal((await cancel(shop, id)).status, 200);
  const recorder = new pg.Client(shop.service.database.address);
  await recorder.connect();
  try {
    await recorder.query('begin');
    await recorder.query('select from boletos where boleto_id = $1 for update', [id]);
    await recorder.query(
      `insert into boleto_payments (merchant_id, boleto_id, change_id, amount, paid_on, expected_amount, surprise, happened_at, kind)
       select merchant_id, boleto_id, 'late', 14990, due_on, amount, 'paidAfterCancel', now(), 'afterEnd'
       from boletos where boleto_id = $1`,
      [id],
    );
    const again = cancel(shop, id);
    await until('the cancel waits', async () => {
      const waiting = await shop.service.auditor.query(
        `select from pg_locks l join pg_stat_activity a using (pid)
         where not l.granted and l.locktype = 'transactionid' and a.datname = current_database()`,
      );
      return waiting.length === 1;
    });
    await recorder.query('commit');
    const { status, body, text } = await again;
    assert.deepEqual([status, body.payments.length], [200, 1], text);
  } finally {
    await recorder.end();
  }
});

test('a due day is changed at the bank: bar code and last day follow, and repeating it is harmless', async () => {
  const { id, barCode, ourNumber } = (await issue(shop, { daysToExpire: 20 })).body;
  const reply = await changeDay(shop, id, inDays(15));
  assert.equal(reply.status, 200, reply.text);
  const parts = parseBarCode(reply.body.barCode, today());
  assert.ok(parts.kind === 'barCode' && barCode !== reply.body.barCode);
  assert.deepEqual([parts.dueOn, parts.amount, reply.body.ourNumber], [inDays(15), 14_990, ourNumber]);
  assert.ok(reply.body.payableUntil >= inDays(35) && reply.body.payableUntil <= inDays(45));
  assert.deepEqual((await changeDay(shop, id, inDays(15))).body, reply.body);
  const listed = await list(shop, `startDate=${inDays(15)}&endDate=${inDays(15)}`);
  assert.ok(listed.body.some((one: { id: string }) => one.id === id));
  assert.deepEqual(await movementsOf(shop, id), ['>Emitido', 'Emitido>Vencimento alterado']);
  assert.equal((await changeDay(shop, id, inDays(3))).body.dueDate, inDays(3), 'an earlier day is one too');
  assert.equal((await cancel(shop, id)).body.statusBill, 4);
  assert.equal((await changeDay(shop, id, inDays(30))).status, 409);
});

test('a due day that is past, far off or before the end of a discount is none', async () => {
  const { id } = (await issue(shop, { discount: { value: 5, until: inDays(8) } })).body;
  const tags = async (dueDate: string) => {
    const { status, body } = await changeDay(shop, id, dueDate);
    return [status, body[0]?.tag];
  };
  assert.deepEqual(await tags(inDays(-1)), [400, 'dueDate']);
  assert.deepEqual(await tags(inDays(4_000)), [400, 'dueDate']);
  assert.deepEqual(await tags(inDays(7)), [400, 'discount.until']);
  assert.deepEqual(await tags('2026-02-30'), [400, 'dueDate']);
  assert.equal((await read(shop, id)).body.dueDate, inDays(10));
  assert.equal((await changeDay(shop, '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44', inDays(9))).status, 404);
});

test('what the bank does not answer is 202, asked again under the same number, and issued once', async () => {
  for (const value of [120.02, 120.04, 120.05, 120.06, 120.07, 120.08]) {
    const reply = await issue(shop, { value }, { headers: { 'idempotency-key': `unknown-${value}` } });
    assert.ok([200, 202].includes(reply.status), `${value}: ${reply.text}`);
    const { id, ourNumber, statusBill } = reply.body;
    if (reply.status === 202) assert.deepEqual([statusBill, reply.body.barCode], [0, null]);
    const again = await issue(shop, { value }, { headers: { 'idempotency-key': `unknown-${value}` } });
    assert.equal(again.body.id, id);
    const found = await untilStatus(shop, id, 1);
    assert.deepEqual([found.body.ourNumber, found.body.barCode.length], [ourNumber, 44]);
    assert.deepEqual(await movementsOf(shop, id), ['>Emitido']);
  }
});

test('a list is an array without page and a page with it, and needs sound days', async () => {
  const days = `startDate=${today()}&endDate=${inDays(30)}`;
  const page = await list(shop, `${days}&page=1&limit=2`);
  assert.equal(page.status, 200);
  assert.deepEqual([page.body.items.length, page.body.page, page.body.limit], [2, 1, 2]);
  const all = await list(shop, days);
  assert.equal(all.body.length, page.body.total);
  const faults = async (query: string) =>
    ((await list(shop, query)).body as { tag: string }[]).map(({ tag }) => tag);
  assert.deepEqual(await faults(`startDate=${inDays(2)}&endDate=${today()}`), ['endDate']);
  assert.deepEqual(await faults(`startDate=${today()}&endDate=${inDays(93)}`), ['endDate']);
  assert.deepEqual(await faults(`${days}&limit=5`), ['limit']);
  assert.deepEqual(await faults('statusBill=9'), ['startDate', 'endDate', 'statusBill']);
});

test('a boleto is issued by flat names too, answered by both, and read by its other path', async () => {
  const { payer: _, ...terms } = boletoRequest();
  const flat = {
    payerName: 'Ana Souza',
    payerDocument: '529.982.247-25',
    PayerEmail: 'ana@cliente.example',
    payerStreetAndNumber: 'Avenida Nove de Julho, nº 1500-B',
    payerNeighborhood: 'Centro',
    payerCity: 'São Paulo',
    payerCityState: 'sp',
    payerZipCode: '01001-000',
  };
  const query = `accountNumber=${shop.accountNumber}`;
  const send = (body: object) =>
    call(shop.url, `/api/billissuer/new?${query}`, { token: shop.token, body: { ...terms, ...body } });
  const made = await send(flat);
  assert.equal(made.status, 200, made.text);
  assert.deepEqual(made.body.payer.address, {
    street: 'Avenida Nove de Julho',
    number: '1500-B',
    complement: null,
    district: 'Centro',
    city: 'São Paulo',
    state: 'SP',
    zipCode: '01001000',
  });
  const { payerName, payerStreetAndNumber, payerDistrict } = made.body;
  assert.deepEqual(
    [payerName, payerStreetAndNumber, payerDistrict],
    ['Ana Souza', 'Avenida Nove de Julho, 1500-B', 'Centro'],
  );
  const found = await call(shop.url, `/api/billissuer/information?${query}&id_bill=${made.body.id}`, {
    token: shop.token,
  });
  assert.deepEqual(found.body, made.body);
  const faulty = await send({ ...flat, payerCity: null, payerCityState: 'XX' });
  assert.deepEqual(
    faulty.body.map(({ tag }: { tag: string }) => tag),
    ['payerCity', 'payerCityState'],
  );
  const unnamed = await call(shop.url, `/api/billissuer/information?${query}`, { token: shop.token });
  assert.equal(unnamed.status, 404);
});
