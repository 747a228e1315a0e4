import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export type LimitAddress = { host: string; port: number; user: string; password: string; database: string };

/** The same rows as one payment writes, in the same two durable commits, with nothing around them. */
const INTENT = `with claimed as (
    insert into card_claims (merchant_id, carrier_hash, transaction_id, expires_at)
    values ('limit', sha256(random()::text::bytea), gen_random_uuid(), now() + interval '10 minutes')
    returning carrier_hash, transaction_id
  )
  insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
    reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, carrier_hash, anti_fraud_code,
    customer, created_by, sold_at, due_at)
  select 'limit', transaction_id, '1000001', 'payment', 'charging', 12990, 1, 'PEDIDO-1', 'mastercard', '515590', '0001',
    carrier_hash, carrier_hash, '6f1c4f0e-3b55-4c9c-9a57-0a3a6f1b2c3d',
    '{"documentType":"cpf","documentNumber":"52998224725","firstName":"Ana","lastName":"Souza","email":"ana@example.com","city":"Sao Paulo","state":"SP","country":"BR"}'::jsonb,
    'limit', now(), now() + interval '20 seconds' from claimed
  returning transaction_id`;

const outcome = (id: string) => `with changed as (
    update transactions set state = 'approved', authorization_code = 'ABC123', nsu = '123456789',
      network_transaction_id = 'MCC1234567', decided_at = now(), due_at = null
    where merchant_id = 'limit' and transaction_id = ${id} and state = 'charging' and fence = 0
    returning merchant_id, transaction_id, amount
  ), parts as (
    insert into installments (merchant_id, transaction_id, installment_number, amount, state)
    select merchant_id, transaction_id, 1, amount, 'authorized' from changed
  )
  insert into movements (merchant_id, account_number, transaction_id, installment_number, type, new_state, nsu,
    authorization_code, moment)
  select merchant_id, '1000001', transaction_id, 1, 'Autorizacao', 'authorized', '123456789', 'ABC123', now() from changed`;

/** Payments per second by pgbench, or by a bare `pg` client where pgbench is missing. */
export async function measureLimit(address: LimitAddress, clients: number, seconds: number): Promise<number> {
  if (spawnSync('pgbench', ['--version']).error !== undefined)
    return measureBareClient(address, clients, seconds);
  const folder = await mkdtemp(join(tmpdir(), 'parcela-limit-'));
  const script = join(folder, 'payment.sql');
  await writeFile(script, `${INTENT.replaceAll('\n', ' ')} \\gset\n${outcome(':transaction_id::uuid')};\n`);
  const ran = spawnSync(
    'pgbench',
    [
      '-n',
      '-M',
      'prepared',
      '-c',
      String(clients),
      '-j',
      '2',
      '-T',
      String(seconds),
      '-f',
      script,
      address.database,
    ],
    {
      env: {
        ...process.env,
        PGHOST: address.host,
        PGPORT: String(address.port),
        PGUSER: address.user,
        PGPASSWORD: address.password,
      },
    },
  );
  await rm(folder, { recursive: true, force: true });
  const perSecond = /tps = ([\d.]+)/.exec(ran.stdout.toString())?.[1];
  if (perSecond === undefined || ran.status !== 0) throw new Error(`pgbench failed: ${ran.stderr}`);
  return Number(perSecond);
}

async function measureBareClient(address: LimitAddress, clients: number, seconds: number): Promise<number> {
  const pool = new pg.Pool({ ...address, max: clients });
  const endsAt = performance.now() + seconds * 1_000;
  let paid = 0;
  async function payUntilTheEnd(): Promise<void> {
    while (performance.now() < endsAt) {
      const { rows } = await pool.query({ name: 'intent', text: INTENT });
      await pool.query({ name: 'outcome', text: outcome('$1'), values: [rows[0].transaction_id] });
      paid += 1;
    }
  }
  await Promise.all(Array.from({ length: clients }, payUntilTheEnd));
  await pool.end();
  return paid / seconds;
}
