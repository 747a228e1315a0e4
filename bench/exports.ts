import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Demo } from '../homologation/create-demo-merchant.ts';
import { instant, saoPauloDay } from '../src/values/instant.ts';
import { logIn } from '../test/kit/merchant.ts';
import type { Service } from '../test/kit/service.ts';
import { type BenchService, openBenchService } from './bench-service.ts';
import { kindsNamed } from './load/payment-kinds.ts';
import { residentMegabytes } from './measures/processes.ts';
import { choicesWanted, countWanted } from './options.ts';
import { withBareTables } from './recurrence/bare-tables.ts';
import { STATEMENT_TIMEOUT_MILLISECONDS } from './recurrence/load-enrolments.ts';
import { type Cell, percentile, printMachine, printTable } from './table.ts';

const ROWS = 10_000_000;
const BATCH = 500_000;
const SAMPLES = 10;
const FOLLOWED = 200_000;
const LOOK_MILLISECONDS = 250;
const DAYS = 90;

const EXPORTS = ['export-by-operation-date', 'export-by-payment-date'] as const;
const FORMATS = ['csv-stream', 'ndjson'] as const;
const SEARCHES = 200;
/** Of so many installments the sale of one is there, too, by which it is found. */
const SEARCHED_EACH = 100;

/**
 * Whether the service's memory stays flat while a merchant reads millions of installments by both exports,
 * how long it takes to find a sale among them by its codes, and how fast the follower makes what merchants
 * ask for. `--export` and `--format` name one of each.
 */
export async function benchExports(): Promise<void> {
  const bench = await openBenchService();
  const client = new pg.Client({
    ...bench.server.connection,
    statement_timeout: STATEMENT_TIMEOUT_MILLISECONDS,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const rows = countWanted('rows', ROWS);
    const [{ merchantId, accountNumber }] = (
      await client.query(
        'select merchant_id as "merchantId", account_number as "accountNumber" from accounts limit 1',
      )
    ).rows as [Owner];
    const followed = await measureFollowing(bench, client, { merchantId, accountNumber });
    await bench.stopServices();
    await loadReceivables(client, { merchantId, accountNumber }, rows);
    const [kind] = kindsNamed(['merchant']);
    if (kind === undefined) throw new Error('there is no such kind of payment');
    const service = await bench.serviceFor(kind);
    const table: Cell[][] = [];
    const caller = await callerOf(bench.folder, service);
    for (const name of choicesWanted('export', EXPORTS)) {
      for (const format of choicesWanted('format', FORMATS)) {
        table.push(...(await readAll(caller, service, { accountNumber, name, format, rows })));
        console.error(table.at(-1));
      }
    }
    const searched = await searchByCode(caller, { accountNumber, rows });
    printMachine(bench.postgresVersion, `${rows} installments of one merchant; followed ${followed}`);
    printTable(['export', 'format', 'rows read', 'rows/s', 'resident MB'], table);
    console.log(`\nsearch-by-code among them: ${searched}`);
  } finally {
    await client.end();
    await bench.close();
  }
}

type Owner = { readonly merchantId: string; readonly accountNumber: string };

/** Spread over ninety days. */
async function loadReceivables(client: pg.Client, { merchantId, accountNumber }: Owner, rows: number) {
  await withBareTables(client, ['receivables'], async () => {
    for (let first = 1; first <= rows; first += BATCH) {
      const last = Math.min(first + BATCH - 1, rows);
      await client.query(
        `insert into receivables (merchant_id, transaction_id, installment_number, installment_count, account_number,
           reference_transaction, nsu, authorization_code, brand, card_first_six, card_last_four, sold_at, sold_on,
           sale_amount, gross, canceled, installment_state, fee_portion, expected_fee, expected_net, expected_on)
         select $1, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, 1, $2, 'PEDIDO-' || n,
           (1000000000 + n)::text, upper(substr(md5(n::text), 1, 6)), 'visa', '411111', '1111',
           now() - interval '${DAYS} days' * (1 - n / $5::float8), (now() - interval '${DAYS} days' * (1 - n / $5::float8))::date,
           10000, 10000, 0, 'authorized', 249, 249, 9751, current_date
         from generate_series($3::bigint, $4::bigint) n`,
        [merchantId, accountNumber, first, last, rows],
      );
      console.error(`${last} receivables`);
    }
  });
  await client.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count, card_brand,
       card_first_six, card_last_four, card_fingerprint, created_by, sold_at, decided_at, approved_at, authorization_code, nsu)
     select $1, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $2, 'payment', 'approved', 10000, 1, 'visa',
       '411111', '1111', decode(md5(n::text), 'hex'), 'bench', now(), now(), now(), upper(substr(md5(n::text), 1, 6)),
       (1000000000 + n)::text
     from generate_series($3::bigint, $4::bigint, $3) n`,
    [merchantId, accountNumber, SEARCHED_EACH, rows],
  );
  await client.query('vacuum (analyze) receivables, transactions');
}

type ExportCaller = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

async function callerOf(folder: string, { integrationUrl }: Service): Promise<ExportCaller> {
  const { integration } = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')) as Demo;
  const token = await logIn(integrationUrl, integration, '/api/authentication/login');
  return {
    url: `${integrationUrl}/api/transaction/concil`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  };
}

/** One after the other, each of another sale. */
async function searchByCode(
  { url, headers }: ExportCaller,
  { accountNumber, rows }: { readonly accountNumber: string; readonly rows: number },
): Promise<string> {
  const times: number[] = [];
  for (let search = 1; search <= SEARCHES; search += 1) {
    const number = Math.floor((rows * search) / SEARCHES / SEARCHED_EACH) * SEARCHED_EACH;
    const nsu = String(1_000_000_000 + number);
    const startedAt = performance.now();
    const reply = await fetch(`${url}/search-by-code?accountNumber=${accountNumber}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ nsu, codAuth: codeOf(number) }),
    });
    const text = await reply.text();
    times.push(performance.now() - startedAt);
    if (reply.status !== 200 || !text.includes(nsu)) throw new Error(`${reply.status} ${text}`);
  }
  times.sort((one, other) => one - other);
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(times, share).toFixed(1));
  return `p50 ${p50} ms, p99 ${p99} ms`;
}

type WantedExport = {
  readonly accountNumber: string;
  readonly name: (typeof EXPORTS)[number];
  readonly format: (typeof FORMATS)[number];
  readonly rows: number;
};

const codeOf = (number: number): string =>
  createHash('md5').update(String(number)).digest('hex').slice(0, 6).toUpperCase();

/** Memory at so many points of a stream that is read as fast as it comes. */
async function readAll(
  caller: ExportCaller,
  service: Service,
  { accountNumber, name, format, rows }: WantedExport,
): Promise<Cell[][]> {
  const [startDate, endDate] = [DAYS + 1, -1].map((back) =>
    saoPauloDay(instant(Date.now() - back * 86_400_000)),
  );
  const query = new URLSearchParams({
    accountNumber,
    startDate: startDate as string,
    endDate: endDate as string,
    format,
  });
  const reply = await fetch(`${caller.url}/${name}?${query}`, { headers: caller.headers });
  if (reply.status !== 200 || reply.body === null) throw new Error(`${reply.status} ${await reply.text()}`);
  const samples: Cell[][] = [];
  const startedAt = performance.now();
  let [read, next] = [0, 0];
  for await (const piece of reply.body) {
    for (const byte of piece) if (byte === 10) read += 1;
    if (read < next) continue;
    samples.push([name, format, ...sampleOf(service, read, startedAt)]);
    next = read + rows / SAMPLES;
  }
  samples.push([name, format, ...sampleOf(service, read, startedAt)]);
  const expected = format === 'ndjson' ? rows : rows + 1;
  if (read !== expected) throw new Error(`${read} lines of ${expected}`);
  return samples;
}

function sampleOf({ process: child }: Service, read: number, startedAt: number): Cell[] {
  const perSecond = (read * 1_000) / (performance.now() - startedAt);
  return [read, Math.round(perSecond), Math.round(residentMegabytes(child.pid as number))];
}

/** Sales of a merchant from before: how fast what it is owed for them is there. */
async function measureFollowing({ stopServices, serviceFor }: BenchService, client: pg.Client, owner: Owner) {
  await stopServices();
  const wanted = countWanted('followed', FOLLOWED);
  await loadSales(client, owner, wanted);
  const [kind] = kindsNamed(['merchant']);
  if (kind === undefined) throw new Error('there is no such kind of payment');
  await serviceFor(kind);
  const count = async () =>
    ((await client.query('select count(*)::int as made from receivables')).rows[0]?.made ?? 0) as number;
  const startedAt = performance.now();
  const before = await count();
  let made = before;
  while (made < wanted) {
    await pause(LOOK_MILLISECONDS);
    made = await count();
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  await client.query('truncate receivables, receivable_cursors');
  await client.query('truncate movements, installments, transactions cascade');
  return `${wanted} sales from before in ${seconds.toFixed(1)} s, ${Math.round((wanted - before) / seconds)}/s, resting two thirds of the time`;
}

async function loadSales(client: pg.Client, { merchantId, accountNumber }: Owner, sales: number) {
  const numbered = `select n, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as transaction_id
    from generate_series(1, $1::bigint) n`;
  await client.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at, decided_at, approved_at,
       authorization_code, nsu, installments_state)
     select $2, transaction_id, $3, 'payment', 'approved', 10000, 1, 'visa', '411111', '1111', decode(md5(n::text), 'hex'),
       'bench', now(), now(), now(), 'A1B2C3', n::text, 'authorized' from (${numbered}) s`,
    [sales, merchantId, accountNumber],
  );
  await client.query(
    `insert into installments (merchant_id, transaction_id, installment_number, amount, state)
     select $2, transaction_id, 1, 10000, 'authorized' from (${numbered}) s`,
    [sales, merchantId],
  );
  await client.query(
    `insert into movements (merchant_id, account_number, transaction_id, installment_number, type, new_state, nsu,
       authorization_code, moment)
     select $2, $3, transaction_id, 1, 'Autorizacao', 'authorized', n::text, 'A1B2C3', now() from (${numbered}) s`,
    [sales, merchantId, accountNumber],
  );
  await client.query('vacuum (analyze) transactions, installments, movements');
}
