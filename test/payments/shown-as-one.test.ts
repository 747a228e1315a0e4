import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { paymentStatus } from '../../src/payments/payment.ts';
import { MIGRATIONS, readMigrations } from '../../src/platform/migrations/migration-files.ts';
import { INSTALLMENT_STATES, type InstallmentState } from '../../src/transactions/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';

const MERCHANT = 'loja';
/** Behind those of the mixtures. */
const MANY = 100;
/** Every mixture of states there is. */
const MIXTURES = Array.from({ length: 2 ** INSTALLMENT_STATES.length - 1 }, (_, index) =>
  INSTALLMENT_STATES.filter((_state, bit) => ((index + 1) & (2 ** bit)) !== 0),
);

let database: TestDatabase;
let client: pg.Client;

before(async () => {
  database = await createTestDatabase({ migrated: true });
  client = new pg.Client(database.address);
  await client.connect();
  await client.query(
    `insert into merchants (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone,
       production_addresses)
     values ($1, '11444777000161', 'Loja', 'Ana', 'ana@example.com', '+551140000000', '{}')`,
    [MERCHANT],
  );
});
after(async () => {
  await client.end();
  await database.drop();
});

const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

async function put(number: number, part: number, state: InstallmentState): Promise<void> {
  await client.query(
    `update installments set state = $4::text, state_before_block = case when $4::text = 'blocked' then 'authorized' end,
       canceled_amount = case when $4::text = 'canceled' then amount else 0 end
     where merchant_id = $1 and transaction_id = $2 and installment_number = $3`,
    [MERCHANT, idOf(number), part, state],
  );
}

async function sell(number: number, states: readonly InstallmentState[]): Promise<void> {
  await client.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at, decided_at,
       authorization_code, nsu)
     values ($1, $2, '1', 'payment', 'approved', 100, $3, 'visa', '411111', '1111', '\\x00', 'loja', now(), now(),
       'A', '1')`,
    [MERCHANT, idOf(number), Math.max(1, states.length)],
  );
  for (const index of states.keys())
    await client.query(
      `insert into installments (merchant_id, transaction_id, installment_number, amount, state, canceled_amount,
         state_before_block)
       values ($1, $2, $3, 10, 'authorized', 0, null)`,
      [MERCHANT, idOf(number), index + 1],
    );
  for (const [index, state] of states.entries())
    if (state !== 'authorized') await put(number, index + 1, state);
}

async function shownOf(number: number): Promise<unknown[]> {
  const { rows } = await client.query(
    'select installments_state, is_partly_returned from transactions where merchant_id = $1 and transaction_id = $2',
    [MERCHANT, idOf(number)],
  );
  return [rows[0].installments_state, rows[0].is_partly_returned];
}

/** Its status, and whether a part of it went back. */
function statusOf(states: readonly InstallmentState[]): unknown[] {
  const status = paymentStatus(
    'approved',
    states.map((state) => ({ state })),
  );
  const isPartlyReturned = states.includes('canceled') && states.some((state) => state !== 'canceled');
  return [status, isPartlyReturned ? true : null];
}

test('a payment shows its installments as one, whatever their mixture', async () => {
  await client.query('begin');
  for (const [number, states] of MIXTURES.entries()) await sell(number, states);
  await client.query('commit');
  for (const [number, states] of MIXTURES.entries())
    assert.deepEqual(await shownOf(number), statusOf(states), states.join());
});

test('whoever writes an installment, its payment shows it', async () => {
  const settled: InstallmentState[] = ['authorized', 'authorized', 'authorized'];
  await sell(MANY, settled);
  assert.deepEqual(await shownOf(MANY), ['authorized', null]);
  const changes: (readonly [number, InstallmentState])[] = [
    [1, 'paid'],
    [2, 'blocked'],
    [2, 'paid'],
    [3, 'canceled'],
    [1, 'canceled'],
    [2, 'canceled'],
  ];
  for (const [part, state] of changes) {
    await put(MANY, part, state);
    settled[part - 1] = state;
    assert.deepEqual(await shownOf(MANY), statusOf(settled), `${part} is ${state}`);
  }
});

test('the migration marks what had gone back in part before it, also what a cancel holds the rest of', async () => {
  const [part, rest, whole] = [MANY + 1, MANY + 2, MANY + 3];
  await sell(part, ['canceled', 'authorized']);
  await sell(rest, ['canceled', 'authorized']);
  await sell(whole, ['canceled', 'canceled']);
  const book = (number: number, canceled: string) =>
    client.query(
      `update transactions set is_partly_returned = null, canceled_amount = ${canceled} where transaction_id = $1`,
      [idOf(number)],
    );
  await book(part, '10');
  await book(rest, 'amount');
  await book(whole, 'amount');
  await client.query(
    `insert into cancels (merchant_id, transaction_id, cancel_id, state, amount, created_by, requested_at, due_at)
     values ($1, $2, $2, 'canceling', 10, 'loja', now(), now())`,
    [MERCHANT, idOf(rest)],
  );
  const migration = (await readMigrations(MIGRATIONS)).find(({ name }) =>
    name.endsWith('partly-returned.sql'),
  );
  for (const command of migration?.commands ?? []) await client.query(command);
  assert.deepEqual(await shownOf(part), ['authorized', true]);
  assert.deepEqual(await shownOf(rest), ['authorized', true]);
  assert.deepEqual(await shownOf(whole), ['canceled', null]);
});
