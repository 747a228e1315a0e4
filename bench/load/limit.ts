import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RecordedSplit, recordedShares } from '../../src/transactions/split.ts';
import { cents, splitIntoInstallments } from '../../src/values/cents.ts';
import { percentile } from '../table.ts';
import {
  AMOUNT,
  ANTI_FRAUD_CODE,
  BUYER_MARK,
  CUSTOMER,
  type PaymentKind,
  type PaymentShape,
  recordedSplit,
} from './payment-kinds.ts';

export type LimitAddress = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

/** Payments per second, and the half of them that took longer than `p50` milliseconds. */
export type Limit = { readonly perSecond: number; readonly p50: number };

/**
 * pgbench writing the same rows as the payments of this kind, in the same two durable commits, with
 * nothing around them: no
 * HTTP, no look-up, no acquirer and no cryptography.
 */
export function measureLimit(
  address: LimitAddress,
  kind: PaymentKind,
  clients: number,
  seconds: number,
): Promise<Limit> {
  return runPgbench(
    address,
    kind.shapes.map((shape) => scriptOf(kind, shape)),
    clients,
    seconds,
  );
}

/**
 * pgbench running one of these scripts after the other, chosen at random; each client has
 * `variables` of its own, and keeps them.
 */
export async function runPgbench(
  address: LimitAddress,
  texts: readonly string[],
  clients: number,
  seconds: number,
  variables: Readonly<Record<string, number>> = {},
): Promise<Limit> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-limit-'));
  try {
    const scripts: string[] = [];
    for (const [index, text] of texts.entries()) {
      const script = join(folder, `script-${index}.sql`);
      await writeFile(script, text);
      scripts.push('-f', script);
    }
    const load = ['-c', String(clients), '-j', String(Math.min(2, clients)), '-T', String(seconds)];
    const words = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
    const log = [
      '--log',
      '--log-prefix',
      join(folder, 'times'),
      ...(clients > 1 ? ['--sampling-rate', '0.1'] : []),
    ];
    const ran = spawnSync(
      'pgbench',
      ['-n', '-M', 'prepared', ...load, ...words, ...log, ...scripts, address.database],
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
    const perSecond = /tps = ([\d.]+)/.exec(ran.stdout.toString())?.[1];
    if (perSecond === undefined || ran.status !== 0) throw new Error(`pgbench failed: ${ran.stderr}`);
    return { perSecond: Number(perSecond), p50: await medianTime(folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The third column of pgbench's log is the time of a payment in microseconds. */
async function medianTime(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('times'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const times = texts.flatMap((text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => Number(line.split(' ')[2])),
  );
  return (
    percentile(
      times.sort((one, other) => one - other),
      0.5,
    ) / 1_000
  );
}

/** Two statements, each a commit of its own. */
function scriptOf(kind: PaymentKind, shape: PaymentShape): string {
  const buyer = '\\set buyer random(10000000, 19999999)\n';
  return `${buyer}${oneLine(intentOf(kind, shape))} \\gset\n${oneLine(outcomeOf(shape))};\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}

const CLAIM = `claimed as (
  insert into card_source_locks (merchant_id, source_hash, transaction_id, expires_at)
  select 'limit', sha256(transaction_id::text::bytea), transaction_id, now() + interval '10 minutes' from input
)`;

const ATTEMPT = `counted as (
  insert into velocity_events (merchant_id, transaction_id, card_fingerprint, document_fingerprint)
  select 'limit', transaction_id, print, print from input
)`;

const KEY = `remembered as (
  insert into idempotency_keys (merchant_id, key_hash, body_fingerprint, body_fingerprint_key_id, resource_id)
  select 'limit', sha256(transaction_id::text::bytea), print, 1, transaction_id from input
)`;

function intentOf({ cardSource, isCounted, isKeyed }: PaymentKind, shape: PaymentShape): string {
  const isStored = cardSource === 'vaultId';
  const split = recordedSplit(shape);
  const customer = JSON.stringify(CUSTOMER).replaceAll(BUYER_MARK, "' || :buyer || '");
  return `with ${[INPUT, ...(isStored ? [] : [CLAIM]), ...(isCounted ? [ATTEMPT] : []), ...(isKeyed ? [KEY] : [])].join(', ')}
    insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
      reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, source_hash, anti_fraud_code,
      customer, created_by, sold_at, due_at, vault_id, initiator, anti_fraud_verdict,
      anti_fraud_reasons, split)
    select 'limit', transaction_id, '1000001', 'payment', 'charging', ${AMOUNT}, ${shape.installments},
      'PEDIDO-' || :buyer, 'mastercard', '555566', '0001', print,
      ${isStored ? 'null' : 'sha256(transaction_id::text::bytea)'}, '${ANTI_FRAUD_CODE}',
      ('${customer}')::jsonb, 'limit', now(), now() + interval '20 seconds',
      ${isStored ? 'gen_random_uuid()' : 'null'}, 'cardholder', 'accept', '', ${split === null ? 'null' : `'${split}'::jsonb`}
    from input returning transaction_id`;
}

/** Ids of our time order, like the service's: each of a new one would touch another page of the index. */
const INPUT = `input as (
  select uuidv7() as transaction_id, sha256((:buyer)::text::bytea) as print
)`;

function outcomeOf(shape: PaymentShape): string {
  const installments = splitIntoInstallments(cents(AMOUNT), shape.installments);
  const split = JSON.parse(recordedSplit(shape) ?? 'null') as RecordedSplit | null;
  const shares = recordedShares(cents(AMOUNT), split, installments);
  const parts = installments.map((amount, index) => `(${index + 1}, ${amount})`);
  const divided = shares.map(
    (share) => `(${share.installmentNumber}, ${share.position}, '${share.beneficiary}', ${share.amount})`,
  );
  const shared = `, divided as (
    insert into shares (merchant_id, transaction_id, installment_number, position, beneficiary, amount)
    select merchant_id, transaction_id, number, place, beneficiary, share
    from changed, (values ${divided.join(', ')}) as s (number, place, beneficiary, share)
  )`;
  return `with changed as (
    update transactions set state = 'approved', authorization_code = 'ABC123', nsu = '123456789',
      network_transaction_id = 'MCC1234567', decided_at = now(), due_at = null, approved_at = now()
    where merchant_id = 'limit' and transaction_id = :transaction_id::uuid and state = 'charging' and fence = 0
    returning merchant_id, transaction_id
  ), parts as (
    insert into installments (merchant_id, transaction_id, installment_number, amount, state)
    select merchant_id, transaction_id, number, part, 'authorized'
    from changed, (values ${parts.join(', ')}) as p (number, part)
  )${divided.length === 0 ? '' : shared}
  insert into movements (merchant_id, account_number, transaction_id, installment_number, type, new_state, nsu,
    authorization_code, moment)
  select merchant_id, '1000001', transaction_id, number, 'Autorizacao', 'authorized', '123456789', 'ABC123', now()
  from changed, generate_series(1, ${shape.installments}) as number`;
}
