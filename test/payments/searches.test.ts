import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, pay } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { openVaultService, type VaultService } from '../vault/vault-service.ts';

const HELD = 'PEDIDO-PRESO';
const CALLERS_EACH = 20;
/** Of the four connections of searches: one is left for a merchant that has none. */
const CONNECTIONS_OF_TWO = 3;
const MANY = 100_001;

let service: VaultService;

before(async () => {
  service = await openVaultService();
});
after(() => service.close());

const payFor = (token: string, referenceTransaction: string) =>
  pay(service.gatewayUrl, token, 1_000, { referenceTransaction });
const list = (token: string, query: Record<string, string>) =>
  call(service.gatewayUrl, `/v1/payments?${new URLSearchParams(query)}`, { token });

/** From now on whatever reads a payment of that reference waits, until it is let go. */
async function holdReads(): Promise<() => Promise<unknown>> {
  for (const text of [
    'create table let_go (at timestamptz)',
    `create function wait_until_let_go() returns boolean language plpgsql security definer as $$
     begin
       while not exists (select from let_go) loop perform pg_sleep(0.02); end loop;
       return true;
     end $$`,
    `create policy held on transactions
     using (reference_transaction is distinct from '${HELD}' or wait_until_let_go()) with check (true)`,
    'alter table transactions enable row level security',
  ])
    await service.auditor.query(text);
  return () => service.auditor.query('insert into let_go values (now())');
}

/** Of callers: what follows movements into receivables reads beside them. */
async function heldReads(): Promise<number> {
  const [row] = await service.auditor.query(
    `select count(*)::int as held from pg_stat_activity
     where wait_event = 'PgSleep' and datname = current_database() and query !~ 'receivable'`,
  );
  return row?.held as number;
}

test('while lists of two merchants hold all that they may take, both pay', async () => {
  const tokens = [service.token(), service.foreignToken()];
  for (const token of tokens) assert.equal((await payFor(token, HELD)).reply.status, 200);
  const letGo = await holdReads();
  let isLetGo = false;
  const askOn = async (token: string) => {
    const statuses: number[] = [];
    do statuses.push((await list(token, { referenceTransaction: HELD })).status);
    while (!isLetGo);
    return statuses;
  };
  const callers = tokens.flatMap((token) => Array.from({ length: CALLERS_EACH }, () => askOn(token)));
  try {
    await until('lists of both are held', async () => (await heldReads()) >= tokens.length);
    for (const token of [...tokens, ...tokens, ...tokens]) {
      assert.equal((await payFor(token, 'PEDIDO-LIVRE')).reply.status, 200);
      assert.ok((await heldReads()) <= CONNECTIONS_OF_TWO);
    }
  } finally {
    await letGo();
    isLetGo = true;
  }
  const statuses = new Set((await Promise.all(callers)).flat());
  assert.ok(
    [...statuses].every((status) => status === 200 || status === 503),
    [...statuses].join(),
  );
  for (const token of tokens)
    assert.equal((await list(token, { referenceTransaction: HELD })).body.items[0].value, 1_000);
});

test('an order that no index has is refused for a reference of very many payments, and no other', async () => {
  const reference = 'LOJA';
  const { merchantId } = await service.demo();
  await service.auditor.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount,
       installment_count, reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint,
       created_by, sold_at, decided_at, authorization_code, nsu)
     select $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, '1', 'payment', 'approved', n, 1,
       $2, 'visa', '411111', '1111', '\\x00', 'loja', now(), now(), 'A', n::text
     from generate_series(1, $3::int) n`,
    [merchantId, reference, MANY],
  );
  const valuesBy = async (query: Record<string, string>) => {
    const { status, body } = await list(service.token(), {
      referenceTransaction: reference,
      limit: '2',
      ...query,
    });
    assert.deepEqual([status, body.total], [200, MANY]);
    return body.items.map(({ value }: { value: number }) => value);
  };
  assert.deepEqual(await valuesBy({}), [MANY, MANY - 1]);
  assert.deepEqual(await valuesBy({ orderBy: 'transactionDate', page: '3' }), [5, 6]);
  for (const orderBy of ['value', 'nsu desc', 'paymentId', 'authorizationCode', 'antifraud']) {
    const { status, body } = await list(service.token(), { referenceTransaction: reference, orderBy });
    assert.deepEqual([status, body[0]?.tag], [400, 'orderBy']);
    assert.match(body[0].description, /mais de cem mil pagamentos/);
  }
  await service.auditor.query('delete from transactions where transaction_id = $1', [
    '00000000-0000-7000-8000-000000000007',
  ]);
  const { status, body } = await list(service.token(), {
    referenceTransaction: reference,
    orderBy: 'value',
    limit: '3',
    page: '3',
  });
  assert.deepEqual([status, body.total], [200, MANY - 1]);
  assert.deepEqual(
    body.items.map(({ value }: { value: number }) => value),
    [8, 9, 10],
  );
});
