import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { paymentStatus } from '../../src/payments/payment.ts';
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

async function shownOf(number: number): Promise<string> {
  const { rows } = await client.query(
    'select installments_state from transactions where merchant_id = $1 and transaction_id = $2',
    [MERCHANT, idOf(number)],
  );
  return rows[0].installments_state;
}

const statusOf = (states: readonly InstallmentState[]) =>
  paymentStatus(
    'approved',
    states.map((state) => ({ state })),
  );

test('a payment shows its installments as one, whatever their mixture', async () => {
  await client.query('begin');
  for (const [number, states] of MIXTURES.entries()) await sell(number, states);
  await client.query('commit');
  for (const [number, states] of MIXTURES.entries())
    assert.equal(await shownOf(number), statusOf(states), states.join());
});

test('whoever writes an installment, its payment shows it', async () => {
  const settled: InstallmentState[] = ['authorized', 'authorized', 'authorized'];
  await sell(MANY, settled);
  assert.equal(await shownOf(MANY), 'authorized');
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
    assert.equal(await shownOf(MANY), statusOf(settled), `${part} is ${state}`);
  }
});
