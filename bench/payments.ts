import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cardTokenRecord } from '../src/cards/card.ts';
import { tokenHash } from '../src/cards/open-carrier.ts';
import { createDemoMerchant, type Demo } from '../src/homologation/create-demo-merchant.ts';
import { openKeyring } from '../src/keys/open-keyring.ts';
import { openKeyFile } from '../src/keys/stores/open-key-file.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/launcher.ts';
import { type Database, openDatabase, statement } from '../src/platform/postgres/database.ts';
import { logIn, TEST_CARD } from '../test/client.ts';
import { databaseUrl, startService, startTestSimulator } from '../test/running-house.ts';
import { auditedTools, keyFileIn, rememberKeyFile } from '../test/test-keys.ts';
import { type LimitAddress, measureLimit } from './limit.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 8);
const CONNECTIONS = (process.env.CONNECTIONS ?? '1,32,128').split(',').map(Number);
const LIMIT_CLIENTS = 32;
/** More than the fastest run can use. */
const TOKENS_PER_SECOND = 16_000;
const WRK_SCRIPT = fileURLToPath(new URL('payments.lua', import.meta.url));

type Run = {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
};

/**
 * Payments per second through HTTP, with two durable commits each, beside the limit: pgbench making the same two commits
 * on the same server with nothing around them. Interleaved, medians. Needs wrk.
 */
export async function benchPayments(): Promise<void> {
  if (spawnSync('wrk', ['--version']).error !== undefined)
    throw new Error('the load comes from wrk: install it first');
  const folder = await mkdtemp(join(tmpdir(), 'parcela-bench-'));
  const server = await startEmbeddedPostgres({ folder, say: console.error });
  const simulator = await startTestSimulator(join(folder, 'ledger'), ['--ledger-sync', 'off']);
  const service = await startService({
    folder,
    logFile: openSync(join(folder, 'service.log'), 'w'),
    settings: {
      DATABASE_URL: databaseUrl(server.connection),
      PARCELA_ACQUIRER_URL: simulator.url,
      PARCELA_REQUESTS_PER_SECOND_PER_CREDENTIAL: '1000000',
      PARCELA_REQUESTS_PER_SECOND_PER_MERCHANT: '1000000',
    },
  });
  const database = openDatabase(server.connection, () => {});
  try {
    rememberKeyFile(server.connection.database, keyFileIn(folder));
    await createDemoMerchant(await auditedTools(database), join(folder, 'demo.json'), {
      gatewayUrl: '',
      integrationUrl: '',
    });
    const demo = await service.demo();
    const token = await logIn(service.gatewayUrl, demo.gateway);
    const limits: number[] = [];
    const runs = new Map<number, Run[]>(CONNECTIONS.map((connections) => [connections, []]));
    for (let round = 1; round <= ROUNDS; round += 1) {
      limits.push(await measureLimit(server.connection as LimitAddress, LIMIT_CLIENTS, SECONDS));
      for (const connections of CONNECTIONS) {
        const tokens = join(folder, 'tokens');
        await createTokens(
          database,
          folder,
          demo,
          tokens,
          connections === 1 ? 4_000 * SECONDS : TOKENS_PER_SECOND * SECONDS,
        );
        const run = await measureService(service.gatewayUrl, token, tokens, connections);
        runs.get(connections)?.push(run);
        console.error(
          `round ${round}: limit ${limits.at(-1)?.toFixed(0)}/s, ${connections} connections`,
          run,
        );
      }
    }
    report(limits, runs);
    console.log(`memory of the service afterwards: ${residentMegabytes(service.process.pid)} MB`);
  } finally {
    await database.close();
    await service.stop();
    await simulator.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const INSERT_TOKENS = statement(
  'bench.insert_tokens',
  `insert into card_tokens (merchant_id, token_hash, sealed_number, data_key_id, expires_at, carrier_hash,
     carrier_expires_at)
   select $1, h, s, $4, now() + interval '1 hour', h, now() + interval '1 hour' from unnest($2::bytea[], $3::bytea[]) as i (h, s)`,
);
const BATCH = 2_000;

/** Card tokens as `POST /v1/cards/tokenization` makes them, written in bulk: a payment uses one up. */
async function createTokens(
  database: Database,
  folder: string,
  demo: Demo,
  file: string,
  count: number,
): Promise<void> {
  const store = await openKeyFile(join(folder, 'keys/key-encryption-key.json'), 'homologation');
  const keyring = await openKeyring(database, store, 'homologation', () => {});
  const names: string[] = [];
  for (let made = 0; made < count; made += BATCH) {
    const hashes: Buffer[] = [];
    const sealed: Buffer[] = [];
    let dataKeyId = 0;
    for (let index = 0; index < BATCH; index += 1) {
      const name = randomBytes(32).toString('base64url');
      const hash = tokenHash(name);
      const number = keyring.seal('card', cardTokenRecord(demo.merchantId, hash), Buffer.from(TEST_CARD));
      names.push(name);
      hashes.push(hash);
      sealed.push(number.bytes);
      dataKeyId = number.dataKeyId;
    }
    await database.query(INSERT_TOKENS, [demo.merchantId, hashes, sealed, dataKeyId]);
  }
  await writeFile(file, names.join('\n'));
}

async function measureService(url: string, token: string, tokens: string, connections: number): Promise<Run> {
  const options = ['-t', '1', '-c', String(connections), '-d', `${SECONDS}s`, '--latency', '-s', WRK_SCRIPT];
  const child = spawn('wrk', [...options, `${url}/v1/payments`, token, tokens], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => child.once('close', resolve));
  const text = Buffer.concat(chunks).toString();
  const result = /RESULT (\{.*\})/.exec(text)?.[1];
  if (result === undefined) throw new Error(`wrk gave no result:\n${text}`);
  return JSON.parse(result) as Run;
}

function report(limits: readonly number[], runs: ReadonlyMap<number, readonly Run[]>): void {
  const limit = median(limits);
  console.log(
    `\n${cpus()[0]?.model}, ${cpus().length} cores; median of ${ROUNDS} interleaved runs of ${SECONDS} s`,
  );
  console.log(`limit (pgbench, ${LIMIT_CLIENTS} clients, two commits a payment): ${limit.toFixed(0)}/s`);
  console.log('| connections | payments/s | of the limit | p50 ms | p99 ms | failed |');
  console.log('|---|---|---|---|---|---|');
  for (const [connections, measured] of runs) {
    const perSecond = median(measured.map((run) => run.perSecond));
    const cells = [
      connections,
      perSecond.toFixed(0),
      (perSecond / limit).toFixed(2),
      median(measured.map((run) => run.p50)).toFixed(2),
      median(measured.map((run) => run.p99)).toFixed(1),
      measured.reduce((sum, run) => sum + run.failed, 0),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] as number;
}

function residentMegabytes(processId: number | undefined): number {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(processId)]);
  return Math.round(Number(stdout.toString()) / 1_024);
}
