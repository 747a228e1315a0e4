import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, pay } from '../kit/merchant.ts';
import { openVaultService, type VaultService } from '../vault/vault-service.ts';

const MANY = 303;
const CSV = { accept: 'text/csv' };
const DAY = { dateRangeStartDate: '2026-03-15', dateRangeEndDate: '2026-03-15' };

let service: VaultService;

before(async () => {
  service = await openVaultService();
  const { merchantId } = service;
  await service.auditor.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount,
       installment_count, reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint,
       created_by, sold_at, decided_at, authorization_code, nsu)
     select $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, '1', 'payment', 'approved', n, 1,
       'MUITOS', 'visa', '411111', '1111', '\\x00', 'loja',
       timestamptz '2026-03-15T12:00:00Z' + (n / 100) * interval '1 second', now(), 'A', n::text
     from generate_series(1, $2::int) n`,
    [merchantId, MANY],
  );
});
after(() => service.close());

async function csv(
  query: Record<string, string>,
  headers: Record<string, string> = CSV,
  token = service.token(),
) {
  const path = `/v1/payments?${new URLSearchParams(query)}`;
  const { status, text, headers: sent } = await call(service.gatewayUrl, path, { token, headers });
  assert.equal(status, 200, text);
  assert.equal(sent.get('content-type'), 'text/csv; charset=utf-8; header=present');
  const [head = '', ...lines] = text.split('\r\n');
  assert.equal(lines.pop(), '', 'the last line has its end');
  const names = head.split(';');
  return lines.map((line) => {
    const cells = line.split(';');
    assert.equal(cells.length, names.length);
    return Object.fromEntries(names.map((name, index) => [name, cells[index]])) as Record<string, string>;
  });
}

const valuesOf = (lines: readonly Record<string, string>[]) => lines.map(({ value }) => Number(value));
test('a CSV has the page that JSON has, in its order, and says how many there are on all pages', async () => {
  const queries: Record<string, string>[] = [
    DAY,
    { ...DAY, limit: '100', page: '3' },
    { ...DAY, orderBy: 'value', limit: '7' },
    { referenceTransaction: 'MUITOS', limit: '50' },
    { referenceTransaction: 'MUITOS', nsu: '7' },
    { ...DAY, lastFour: '9999' },
    { ...DAY, limit: '100', page: '1000' },
  ];
  for (const query of queries) {
    const path = `/v1/payments?${new URLSearchParams(query)}`;
    const { body, headers } = await call(service.gatewayUrl, path, { token: service.token() });
    assert.equal(headers.get('x-total-count'), `${body.total}`);
    const shown = body.items.map(({ value }: { value: number }) => value);
    assert.deepEqual(valuesOf(await csv(query)), shown, path);
  }
  assert.equal((await csv(DAY)).length, 20);
  assert.deepEqual(valuesOf(await csv({ ...DAY, limit: '2', page: '2' })), [MANY - 2, MANY - 3]);
  assert.deepEqual(await csv(DAY, CSV, service.foreignToken()), []);
});

test('a line says what the list says, and no text of others is a formula', async () => {
  const referenceTransaction = '=HYPERLINK("http://x")';
  const { reply } = await pay(service.gatewayUrl, service.token(), 1_051, { referenceTransaction });
  assert.equal(reply.status, 402);
  const path = `/v1/payments?${new URLSearchParams({ referenceTransaction })}`;
  const { body } = await call(service.gatewayUrl, path, { token: service.token() });
  const [item] = body.items;
  const [line] = await csv({ referenceTransaction });
  assert.deepEqual(line, {
    paymentId: item.paymentId,
    referenceTransaction: '"\'=HYPERLINK(""http://x"")"',
    billingId: '',
    statusDescription: 'Negada',
    returnCode: '51',
    description: 'Saldo ou limite insuficiente',
    retryable: 'true',
    transactionDate: item.transactionDate,
    authorizationCode: '',
    nsu: '',
    acquirer: 'default',
    brand: 'mastercard',
    firstSix: '515590',
    lastFour: '0001',
    value: '1051',
    canceledAmount: '0',
    cancelingAmount: '0',
    installments: '0',
    antifraud: item.antifraud,
    antifraudReasons: '',
    method: 'card',
    bank: '',
    txid: '',
    endToEndId: '',
    dueDate: '',
    paidAmount: '',
    fee: '',
    netAmount: '',
  });
});

test('JSON is answered unless CSV is preferred, and what is wrong is said in JSON', async () => {
  const ask = (query: string, headers: Record<string, string>, method = 'GET') =>
    call(service.gatewayUrl, `/v1/payments${query}`, { token: service.token(), headers, method });
  const day = `?${new URLSearchParams(DAY)}`;
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json, text/csv;q=0.9' }])
    assert.equal((await ask(day, headers)).body.total, MANY);
  const refused = await ask('', CSV);
  assert.equal(refused.status, 400);
  assert.equal(refused.body[0].tag, 'dateRangeStartDate');
  const head = await ask(day, CSV, 'HEAD');
  assert.deepEqual([head.status, head.text], [200, '']);
});
