import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchService, openBenchService } from './bench-service.ts';
import { PAYMENT_KINDS } from './load/payment-kinds.ts';
import { runSteadily, STEADY_WARM_UP_SECONDS } from './load/steady-load.ts';
import { familyTime, residentMegabytes, threadTimes } from './measures/processes.ts';
import { countWanted, SECONDS } from './options.ts';
import { printMachine, printTable } from './table.ts';
import { untilDelivered } from './webhooks/backlog.ts';
import { openWebhookShop, type WebhookShop } from './webhooks/webhook-shop.ts';

const DEFAULT_RATE = 50;

/** What grows and is spent with each payment, in seconds and bytes since the beginning. */
type Reading = {
  readonly gateway: number;
  readonly postgres: number;
  readonly database: number;
  readonly wal: number;
  readonly log: number;
};
const COLUMNS = [
  ['gateway', 'gateway, ms', 1e3],
  ['postgres', 'PostgreSQL, ms', 1e3],
  ['database', 'tables and indexes, kB', 1e-3],
  ['wal', 'log of PostgreSQL, kB', 1e-3],
  ['log', 'log of the service, kB', 1e-3],
] as const satisfies readonly (readonly [keyof Reading, string, number])[];

/** For docs/sizing.md: what a payment costs at a steady rate, far below the limit of the machine. */
export async function benchSizing(): Promise<void> {
  const perSecond = countWanted('rate', DEFAULT_RATE);
  const bench = await openBenchService();
  try {
    const shop = await openWebhookShop(bench);
    const rows = [
      await measure(bench, shop, 'unnotified', perSecond),
      await measure(bench, shop, 'notified', perSecond),
    ];
    printMachine(bench.postgresVersion, `${perSecond} payments a second for ${SECONDS} s`);
    printTable(
      ["a merchant's payment", ...COLUMNS.map(([, title]) => title), 'resident, MB', 'p99, ms', 'failed'],
      rows,
    );
    await shop.close();
  } finally {
    await bench.close();
  }
}

async function measure(
  bench: BenchService,
  shop: WebhookShop,
  reported: 'notified' | 'unnotified',
  perSecond: number,
): Promise<(string | number)[]> {
  const payments = perSecond * (SECONDS + STEADY_WARM_UP_SECONDS);
  const load = await shop.loadOf(PAYMENT_KINDS.merchant, payments, reported);
  const before = await readingOf(bench, shop);
  const run = await runSteadily(load, perSecond, SECONDS);
  await untilDelivered(shop, shop.accounts);
  const after = await readingOf(bench, shop);
  return [
    reported,
    ...COLUMNS.map(([name, , factor]) => (((after[name] - before[name]) / payments) * factor).toFixed(2)),
    residentMegabytes(shop.service.process.pid),
    run.p99.toFixed(0),
    run.failed,
  ];
}

async function readingOf(bench: BenchService, shop: WebhookShop): Promise<Reading> {
  const [row] = await shop.database.query(
    `select pg_database_size(current_database())::float8 as size, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal`,
  );
  const { main, others } = threadTimes(shop.service.process.pid ?? 0);
  return {
    gateway: main + others,
    postgres: familyTime(bench.server.processId),
    database: row?.size as number,
    wal: row?.wal as number,
    log: statSync(join(bench.folder, 'plain.log')).size,
  };
}
