import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { paymentStatus } from '../../src/payments/payment.ts';
import { migrate } from '../../src/platform/migrations/migrations.ts';
import { INSTALLMENT_STATES, type InstallmentState } from '../../src/transactions/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { until } from '../kit/service.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
/** The last before payments were searched by status. */
const LAST_BEFORE = '0035';
const MERCHANT = 'loja';
/** More than are filled at a time. */
const MANY = 2_300;
/** Every mixture of states there is. */
const MIXTURES = Array.from({ length: 2 ** INSTALLMENT_STATES.length - 1 }, (_, index) =>
  INSTALLMENT_STATES.filter((_state, bit) => ((index + 1) & (2 ** bit)) !== 0),
);

let database: TestDatabase;
let client: pg.Client;
let folder: string;

before(async () => {
  database = await createTestDatabase({ migrated: false });
  client = new pg.Client(database.address);
  await client.connect();
  folder = await mkdtemp(join(tmpdir(), 'parcela-migrations-'));
  for (const name of await readdir(MIGRATIONS))
    if (name.slice(0, 4) <= LAST_BEFORE) await cp(join(MIGRATIONS, name), join(folder, name));
});
after(async () => {
  await client.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

async function sell(number: number, states: readonly InstallmentState[]): Promise<void> {
  await client.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at, decided_at,
       authorization_code, nsu)
     values ($1, $2, '1', 'payment', 'approved', 100, $3, 'visa', '411111', '1111', '\\x00', 'loja', now(), now(),
       'A', '1')`,
    [MERCHANT, idOf(number), Math.max(1, states.length)],
  );
  for (const [index, state] of states.entries())
    await client.query(
      `insert into installments (merchant_id, transaction_id, installment_number, amount, state, canceled_amount,
         state_before_block)
       values ($1, $2, $3, 10, $4, case when $4::text = 'canceled' then 10 else 0 end,
         case when $4::text = 'blocked' then 'paid' end)`,
      [MERCHANT, idOf(number), index + 1, state],
    );
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

test('what was sold before the upgrade shows its installments as one after it', async () => {
  await migrate(database.address, folder, () => {});
  await client.query(
    `insert into merchants (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone,
       production_addresses)
     values ($1, '11444777000161', 'Loja', 'Ana', 'ana@example.com', '+551140000000', '{}')`,
    [MERCHANT],
  );
  await client.query('begin');
  for (let number = 0; number < MANY; number += 1)
    await sell(number, MIXTURES[number % MIXTURES.length] as InstallmentState[]);
  await client.query('commit');
  await migrate(database.address, MIGRATIONS, () => {});
  const { rows } = await client.query<{ number: number; installments_state: string }>(
    `select right(transaction_id::text, 12)::int as number, installments_state from transactions order by number`,
  );
  assert.equal(rows.length, MANY);
  for (const { number, installments_state: shown } of rows)
    assert.equal(shown, statusOf(MIXTURES[number % MIXTURES.length] as InstallmentState[]), `${number}`);
});

test('whoever writes an installment, its payment shows it: also a version that knows nothing of that', async () => {
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
    await client.query(
      `update installments set state = $4::text, state_before_block = case when $4::text = 'blocked' then 'authorized' end,
         canceled_amount = case when $4::text = 'canceled' then amount else 0 end
       where merchant_id = $1 and transaction_id = $2 and installment_number = $3`,
      [MERCHANT, idOf(MANY), part, state],
    );
    settled[part - 1] = state;
    assert.equal(await shownOf(MANY), statusOf(settled), `${part} is ${state}`);
  }
});

test('what changes while old payments are filled is not written over', async () => {
  const other = new pg.Client(database.address);
  await other.connect();
  const name = (await readdir(MIGRATIONS)).find((file) => file.endsWith('search-of-payments.sql')) as string;
  const [block = ''] = /do \$\$.*?\$\$/s.exec(await readFile(join(MIGRATIONS, name), 'utf8')) ?? [];
  await sell(MANY + 1, ['authorized']);
  // As every writer does: the transaction is locked first.
  await other.query('begin');
  await other.query(
    'select from transactions where merchant_id = $1 and transaction_id = $2 for no key update',
    [MERCHANT, idOf(MANY + 1)],
  );
  const filled = client.query(block);
  const watcher = new pg.Client(database.address);
  await watcher.connect();
  await until('the filling waits for that lock', async () => {
    const { rows } = await watcher.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  await other.query(`update installments set state = 'paid' where merchant_id = $1 and transaction_id = $2`, [
    MERCHANT,
    idOf(MANY + 1),
  ]);
  await other.query('commit');
  await filled;
  assert.equal(await shownOf(MANY + 1), 'paid');
  await watcher.end();
  await other.end();
});
