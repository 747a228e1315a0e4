import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { call, logIn, type Reply } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { momentText, type NotifiedService, openNotifiedService } from './notified-service.ts';

let service: NotifiedService;

before(async () => {
  service = await openNotifiedService({ PARCELA_FEES: 'mastercard:2-6=10, any:1-99=1' });
});
after(() => service.close());

function ask(query: Record<string, string>, token = service.integrationToken): Promise<Reply> {
  return call(service.integrationUrl, `/api/movements?${new URLSearchParams(query)}`, { token });
}

async function page(after: number, limit = 100) {
  const reply = await ask({ accountNumber: service.accountNumber, after: `${after}`, limit: `${limit}` });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as { items: Record<string, unknown>[]; next: number };
}

/** Where the account stands now. */
async function end(): Promise<number> {
  for (let after = 0; ; ) {
    const { items, next } = await page(after);
    if (items.length === 0) return after;
    after = next;
  }
}

const idsIn = ({ items }: { items: Record<string, unknown>[] }) => items.map(({ movementId }) => movementId);

test('a merchant catches up on every movement, with its installment and its shares', async () => {
  const before = await end();
  const configSplit = [
    { documentNumberBeneficiary: '11222333000181', percent: 50, type: 'liquido' },
    { documentNumberBeneficiary: '52998224725', percent: 10, type: 'liquido' },
  ];
  const { reply, paymentId, reference } = await service.sell(10_001, 2, { configSplit });
  const { nsu, authorizationCode } = reply.body.paymentAuthorization;
  const movements = await service.movements(paymentId);
  const { items, next } = await page(before);
  const shared = {
    nsu,
    codAuth: authorizationCode,
    moment: momentText(movements[0]?.moment),
    type: 'Autorizacao',
    oldValue: '',
    newValue: 'Autorizada',
    accountNumber: service.accountNumber,
    paymentId,
    referenceTransaction: reference,
  };
  const shares = (first: number, second: number) => [
    { documentNumberBeneficiary: '11222333000181', amount: first, canceledAmount: 0 },
    { documentNumberBeneficiary: '52998224725', amount: second, canceledAmount: 0 },
  ];
  // A fee of 10 %, 1,000 cents: 9,001 are left, half of them and a tenth are 4,501 and 900 in whole cents.
  assert.deepEqual(
    items.map(({ movementId: _, shares: __, ...reported }) => reported),
    [
      { ...shared, installmentNumber: 1, amount: 5_001, netAmount: 4_501 },
      { ...shared, installmentNumber: 2, amount: 5_000, netAmount: 4_500 },
    ],
  );
  const totals = shares(0, 0).map(({ documentNumberBeneficiary }, index) => {
    const parts = items.map((item) => (item.shares as ReturnType<typeof shares>)[index]);
    for (const part of parts) assert.equal(part?.documentNumberBeneficiary, documentNumberBeneficiary);
    return parts.reduce((sum, part) => sum + (part?.amount ?? 0), 0);
  });
  assert.deepEqual(totals, [4_501, 900]);
  assert.deepEqual(
    idsIn({ items }),
    movements.map(({ id }) => id),
  );
  assert.equal(next, movements.at(-1)?.id);
  await service.cancel(paymentId);
  const canceled = await page(next);
  assert.deepEqual(
    canceled.items.map(({ type, oldValue, newValue }) => [type, oldValue, newValue]),
    Array(2).fill(['Cancelamento', 'Autorizada', 'Cancelada']),
  );
  for (const item of canceled.items) {
    for (const { amount, canceledAmount } of item.shares as ReturnType<typeof shares>)
      assert.equal(canceledAmount, amount);
  }
});

test('page by page everything comes once, in order, and then nothing', async () => {
  const before = await end();
  const { paymentId } = await service.sell(10_000, 7);
  const seen: unknown[] = [];
  let after = before;
  for (let pages = 0; pages < 4; pages += 1) {
    const { items, next } = await page(after, 2);
    seen.push(...idsIn({ items }));
    after = next;
  }
  const movements = await service.movements(paymentId);
  assert.deepEqual(
    seen,
    movements.map(({ id }) => id),
  );
  assert.deepEqual(await page(after, 2), { items: [], next: after });
  assert.deepEqual(await page(999_999_999_999_999, 1), { items: [], next: 999_999_999_999_999 });
});

test('without a page size twenty come, from the beginning', async () => {
  await service.sell(10_000, 21);
  const { body } = await ask({ accountNumber: service.accountNumber });
  assert.equal(body.items.length, 20);
  const [first] = await service.auditor.query('select min(movement_id)::int as id from movements');
  assert.equal(body.items[0].movementId, first?.id);
});

test('what is out of range is refused, and so is an account that the merchant does not have', async () => {
  const { accountNumber } = service;
  for (const [query, tag] of [
    [{}, 'accountNumber'],
    [{ accountNumber, limit: '0' }, 'limit'],
    [{ accountNumber, limit: '101' }, 'limit'],
    [{ accountNumber, limit: 'x' }, 'limit'],
    [{ accountNumber, after: '-1' }, 'after'],
    [{ accountNumber, after: '1000000000000000' }, 'after'],
    [{ accountNumber, after: '1.5' }, 'after'],
  ] as const) {
    const reply = await ask(query as Record<string, string>);
    assert.equal(reply.status, 400, reply.text);
    assert.deepEqual(
      reply.body.map((fault: { tag: string }) => fault.tag),
      [tag],
    );
  }
  await service.auditor.query(
    `insert into merchants select (jsonb_populate_record(m, '{"merchant_id": "OUTRA"}')).*
     from merchants m where merchant_id = $1`,
    [service.merchantId],
  );
  await service.auditor.query(
    `insert into accounts (merchant_id, account_number, position) values ('OUTRA', '2000001', 1)`,
  );
  const [foreign, unknown] = [
    await ask({ accountNumber: '2000001' }),
    await ask({ accountNumber: '2000002' }),
  ];
  assert.deepEqual([foreign.status, foreign.text], [404, unknown.text]);
  assert.equal(unknown.status, 404);
  assert.equal((await ask({ accountNumber }, service.token)).status, 401);
});

/** Somebody who writes, on a connection of its own, and stands still wherever the test wants. */
async function openWriter() {
  const client = new pg.Client(service.database.address);
  await client.connect();
  await client.query('begin');
  return {
    run: (text: string, values: unknown[] = []) => client.query(text, values),
    /** Writes the same movement as the first of a payment once more. */
    write: async (paymentId: string) => {
      const { rows } = await client.query(
        `insert into movements (merchant_id, account_number, transaction_id, installment_number, type, old_state, new_state, nsu,
           authorization_code, moment)
         select merchant_id, account_number, transaction_id, installment_number, 'Pagamento', 'authorized', 'paid', nsu,
           authorization_code, now()
         from movements where transaction_id = $1 order by movement_id limit 1 returning movement_id::int as id`,
        [paymentId],
      );
      return rows[0].id as number;
    },
    async end(how: 'commit' | 'rollback') {
      await client.query(how);
      await client.end();
    },
  };
}

type Writer = Awaited<ReturnType<typeof openWriter>>;

/**
 * A writer that has taken a number, or is about to, stands still; a sale with higher numbers is committed
 * meanwhile. Nothing of it is shown before the writer has ended, and then both are, in order.
 */
async function assertHeldBack(stand: (writer: Writer, paymentId: string) => Promise<() => Promise<number>>) {
  const { paymentId } = await service.sell(1_000);
  const before = await end();
  const writer = await openWriter();
  try {
    const finish = await stand(writer, paymentId);
    const later = (await service.movements((await service.sell(1_000)).paymentId))[0]?.id as number;
    assert.deepEqual(await page(before), { items: [], next: before });
    const id = await finish();
    assert.ok(id < later, 'the writer has the lower number');
    assert.deepEqual(await page(before), { items: [], next: before });
    await writer.end('commit');
    assert.deepEqual(idsIn(await page(before)), [id, later]);
  } catch (error) {
    await writer.end('rollback').catch(() => {});
    throw error;
  }
}

test('a movement that is written and not yet committed holds back what comes after it', () =>
  assertHeldBack(async (writer, paymentId) => {
    const id = await writer.write(paymentId);
    return async () => id;
  }));

test('so does a number that is taken before the movement is written', () =>
  assertHeldBack(async (writer, paymentId) => {
    await writer.run('lock table movements in row exclusive mode');
    const { rows } = await writer.run(`select nextval('movement_ids')::int as id`);
    return async () => {
      await writer.run(
        `insert into movements (movement_id, merchant_id, account_number, transaction_id, installment_number, type, old_state,
           new_state, nsu, authorization_code, moment)
         select $1, merchant_id, account_number, transaction_id, installment_number, 'Pagamento', 'authorized', 'paid', nsu,
           authorization_code, now() from movements where transaction_id = $2 limit 1`,
        [rows[0].id, paymentId],
      );
      return rows[0].id;
    };
  }));

test('of two writers the later one may have the lower number: neither is shown before both have ended', async () => {
  const { paymentId } = await service.sell(1_000);
  const before = await end();
  const [early, late] = [await openWriter(), await openWriter()];
  try {
    // The one that begins first, by its transaction's number, takes its movement's number last.
    await early.run('select pg_current_xact_id()');
    const lower = await late.write(paymentId);
    const higher = await early.write(paymentId);
    assert.ok(lower < higher);
    await early.end('commit');
    assert.deepEqual(await page(before), { items: [], next: before });
    await late.end('commit');
    assert.deepEqual(idsIn(await page(before)), [lower, higher]);
  } catch (error) {
    await Promise.all([early.end('rollback').catch(() => {}), late.end('rollback').catch(() => {})]);
    throw error;
  }
});

test('a writer that fails leaves a hole and holds nobody back any more', async () => {
  const { paymentId } = await service.sell(1_000);
  const before = await end();
  const writer = await openWriter();
  await writer.write(paymentId);
  const later = (await service.movements((await service.sell(1_000)).paymentId))[0]?.id;
  assert.deepEqual(await page(before), { items: [], next: before });
  await writer.end('rollback');
  assert.deepEqual(idsIn(await page(before)), [later]);
});

test('what was shown before stays readable while a writer stands still', async () => {
  const { paymentId } = await service.sell(1_000, 3);
  const before = await end();
  const writer = await openWriter();
  try {
    await writer.write(paymentId);
    assert.equal(await end(), before);
  } finally {
    await writer.end('rollback');
  }
});

test('long transactions of others that write something else, or only read, hold nobody back', async () => {
  const before = await end();
  const [backup, stranger] = [await openWriter(), await openWriter()];
  try {
    await backup.run('set transaction isolation level repeatable read, read only');
    await backup.run('select count(*) from movements');
    await stranger.run('create table elsewhere (id int)');
    const { paymentId } = await service.sell(1_000);
    const movements = await service.movements(paymentId);
    assert.deepEqual(
      idsIn(await page(before)),
      movements.map(({ id }) => id),
    );
  } finally {
    await Promise.all([backup.end('rollback'), stranger.end('rollback')]);
  }
});

test('while sales go on, whoever follows the account is given each of their movements once', async () => {
  const before = await end();
  const { integration } = await service.demo();
  const token = await logIn(service.integrationUrl, integration, '/api/authentication/login');
  const sales = Array.from({ length: 24 }, (_, index) => service.sell(10_000, 1 + (index % 5)));
  const sold = Promise.all(sales);
  let isSold = false;
  void sold.then(() => {
    isSold = true;
  });
  const followed: unknown[] = [];
  let after = before;
  await until('all sales are made and followed', async () => {
    const isLast = isSold;
    const query = { accountNumber: service.accountNumber, after: `${after}`, limit: '10' };
    const { body } = await ask(query, token);
    followed.push(...idsIn(body));
    after = body.next;
    return isLast && body.items.length === 0;
  });
  const ids = (await sold).map(({ paymentId }) => paymentId);
  const rows = await service.auditor.query(
    'select movement_id::int as id from movements where transaction_id = any ($1) order by movement_id',
    [ids],
  );
  assert.equal(rows.length, 24 * 3 - 2);
  assert.deepEqual(
    followed,
    rows.map(({ id }) => id),
  );
});
