import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call } from '../kit/merchant.ts';
import { openVaultService, type VaultService } from '../vault/vault-service.ts';

/** More than two pages of a stream, and many of the same moment. */
const MANY = 2_503;
const DAY = { dateRangeStartDate: '2026-03-15', dateRangeEndDate: '2026-03-15' };
const STREAM = { format: 'csv-stream' };

let service: VaultService;

before(async () => {
  service = await openVaultService();
  // Moments finer than a millisecond, as other programs may have written them.
  await service.auditor.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at,
       decided_at, authorization_code, nsu, response_code, installments_state)
     select $1, ('00000000-0000-7000-8000-' || lpad((n * 7919 % 10007)::text, 12, '0'))::uuid, '1', 'payment',
       case when n % 5 = 0 then 'declined' else 'approved' end, n, 1, case when n % 2 = 0 then 'MUITOS' else '=1+1' end,
       'visa', '411111', case when n % 4 = 0 then '4444' else '1111' end, '\\x00', 'loja',
       timestamptz '2026-03-15T12:00:00Z' + (n / 40) * interval '10.7 microseconds', now(), 'A', n::text,
       case when n % 5 = 0 then '51' end, case when n % 3 = 0 and n % 5 <> 0 then 'canceled' else 'authorized' end
     from generate_series(1, $2::int) n`,
    [service.merchantId, MANY],
  );
});
after(() => service.close());

type Query = Readonly<Record<string, string>>;

const ask = (query: Query, token = service.token(), headers = {}) =>
  call(service.gatewayUrl, `/v1/payments?${new URLSearchParams(query)}`, { token, headers });

async function streamed(query: Query, token = service.token()): Promise<string[]> {
  const { status, text, headers } = await ask({ ...query, ...STREAM }, token);
  assert.equal(status, 200, text);
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  assert.match(text, /^paymentId;referenceTransaction;.*\r\n$/s);
  return text.slice(0, -2).split('\r\n');
}

test('a stream of JSON has the same payments, an object a line', async () => {
  const { status, text, headers } = await ask({ ...DAY, format: 'ndjson' });
  assert.equal(status, 200, text);
  assert.equal(headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  const ids = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).paymentId);
  assert.deepEqual(
    ids,
    (await streamed(DAY)).slice(1).map((line) => line.split(';')[0]),
  );
});

type Row = { readonly n: number; readonly moment: number; readonly id: number };
const ROWS: readonly Row[] = Array.from({ length: MANY }, (_, index) => {
  const n = index + 1;
  return { n, moment: Math.floor(n / 40), id: (n * 7_919) % 10_007 };
});
const byDay = (one: Row, other: Row) => one.moment - other.moment || one.id - other.id;
const isDeclined = (n: number) => n % 5 === 0;
const isCanceled = (n: number) => !isDeclined(n) && n % 3 === 0;
const isMany = (n: number) => n % 2 === 0;
const isOnes = (n: number) => n % 4 !== 0;

test('a stream has all that is found, in the order of its pages, whatever narrows it', async () => {
  const newest = (one: Row, other: Row) => byDay(other, one);
  const ones = { ...DAY, lastFour: '1111' };
  const cases: readonly (readonly [Query, (n: number) => boolean, (one: Row, other: Row) => number])[] = [
    [DAY, () => true, newest],
    [{ ...DAY, orderBy: 'transactionDate' }, () => true, byDay],
    [{ ...DAY, status: 'Negada' }, isDeclined, newest],
    [ones, isOnes, newest],
    [
      { ...ones, status: 'Autorizada', orderBy: 'transactionDate asc' },
      (n) => isOnes(n) && !isDeclined(n) && !isCanceled(n),
      byDay,
    ],
    [{ ...DAY, status: 'Cancelada', orderBy: 'transactionDate desc' }, isCanceled, newest],
    [{ ...DAY, status: 'Cancelada', orderBy: 'transactionDate' }, isCanceled, byDay],
    [{ ...DAY, status: 'Bloqueada' }, () => false, newest],
    [{ referenceTransaction: 'MUITOS' }, isMany, newest],
    [{ referenceTransaction: 'MUITOS', orderBy: 'transactionDate' }, isMany, byDay],
    [{ ...ones, referenceTransaction: 'MUITOS' }, (n) => isMany(n) && isOnes(n), newest],
    [
      { referenceTransaction: 'MUITOS', status: 'Negada', orderBy: 'transactionDate asc' },
      (n) => isMany(n) && isDeclined(n),
      byDay,
    ],
    [{ dateRangeStartDate: '2026-03-14', dateRangeEndDate: '2026-03-14' }, () => false, newest],
  ];
  for (const [query, isFound, inOrder] of cases) {
    const [head = '', ...lines] = await streamed(query);
    const nsu = head.split(';').indexOf('nsu');
    const found = lines.map((line) => Number(line.split(';')[nsu]));
    const expected = ROWS.filter(({ n }) => isFound(n)).toSorted(inOrder);
    assert.deepEqual(
      found,
      expected.map(({ n }) => n),
      JSON.stringify(query),
    );
  }
});

test('a stream begins as the page does', async () => {
  const { text } = await ask({ ...DAY, limit: '100' }, service.token(), { accept: 'text/csv' });
  const all = await streamed(DAY);
  assert.deepEqual(text.slice(0, -2).split('\r\n'), all.slice(0, 101));
});

test('a stream has nothing of another merchant, and no formula', async () => {
  assert.equal((await streamed(DAY, service.foreignToken())).length, 1);
  const [, line] = await streamed({ referenceTransaction: '=1+1' });
  assert.match(line ?? '', /^[\da-f-]{36};"'=1\+1";/);
});

test('what a stream cannot have is refused by the name of the field', async () => {
  const refused = async (query: Query) => {
    const { status, body } = await ask({ ...STREAM, ...query });
    return [status, body.map(({ tag }: { tag: string }) => tag)];
  };
  assert.deepEqual(await refused({}), [400, ['dateRangeStartDate', 'dateRangeEndDate']]);
  assert.deepEqual(await refused({ ...DAY, page: '2', limit: '10' }), [400, ['page', 'limit']]);
  assert.equal((await ask({ ...STREAM, ...DAY, dateRangeEndDate: '2036-03-21' })).status, 200, 'ten years');
  assert.deepEqual(await refused({ ...DAY, dateRangeEndDate: '2036-03-22' }), [400, ['dateRangeEndDate']]);
  for (const query of [
    { ...DAY, format: 'xml' },
    { ...DAY, orderBy: 'value' },
    { nsu: '7' },
    { referenceTransaction: 'MUITOS', orderBy: 'paymentId' },
    { referenceTransaction: 'MUITOS', nsu: '7' },
  ])
    assert.deepEqual(await refused(query), [400, ['format']], JSON.stringify(query));
});
