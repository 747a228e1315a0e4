import { setTimeout as pause } from 'node:timers/promises';
import { countWanted } from '../options.ts';
import { type Cell, printTable } from '../table.ts';
import { forgetDeliveries, readRealBody, untilArrived, writeBacklog } from './backlog.ts';
import type { WebhookShop } from './webhook-shop.ts';

const DELIVERIES = 500_000;
const ROWS = 20;
/** What waits at any time: more than a process has on its way, much less than the whole. */
const WRITTEN_AT_ONCE = 5_000;
const LOOK_MILLISECONDS = 100;
const LONGEST_MILLISECONDS = 7_200_000;
const MEGABYTE = 1024 * 1024;

const SIZES = `select s.n_dead_tup::int as dead, s.autovacuum_count::int as vacuums,
    pg_table_size(s.relid)::float8 as table_size, pg_indexes_size(s.relid)::float8 as index_size
  from pg_stat_user_tables s where s.relname = any($1) order by s.relname`;

/** Whether the tables stay as small as what is in them while very many deliveries flow through. */
export async function benchDeadTuples(shop: WebhookShop): Promise<void> {
  const wanted = countWanted('deliveries', DELIVERIES);
  const body = await readRealBody(shop);
  await forgetDeliveries(shop);
  await shop.listener.take(false);
  const rows: Cell[][] = [];
  const startedAt = performance.now();
  let written = 0;
  const sample = async (arrived: number) => {
    const perSecond = (arrived * 1_000) / (performance.now() - startedAt);
    rows.push([arrived, perSecond.toFixed(0), ...(await sizesOf(shop, arrived))]);
    console.error(...(rows.at(-1) as Cell[]));
  };
  for (;;) {
    const { count: arrived } = await shop.listener.count();
    if (arrived >= ((rows.length + 1) * wanted) / ROWS) await sample(arrived);
    if (arrived >= wanted) break;
    if (written < wanted && written - arrived < WRITTEN_AT_ONCE) {
      const count = Math.min(WRITTEN_AT_ONCE, wanted - written);
      await writeBacklog(shop, shop, { count, body });
      written += count;
    }
    if (performance.now() - startedAt > LONGEST_MILLISECONDS) throw new Error(`only ${arrived} arrived`);
    await pause(LOOK_MILLISECONDS);
  }
  await untilArrived(shop, shop.accounts, wanted);
  printTable(
    [
      'delivered',
      'each second',
      'deliveries: dead rows',
      'MB',
      'indexes MB',
      'bytes each',
      'vacuumed',
      'tries: dead rows',
      'MB',
      'indexes MB',
      'bytes each',
      'vacuumed',
    ],
    rows,
  );
}

async function sizesOf({ database }: WebhookShop, delivered: number): Promise<Cell[]> {
  const tables = await database.query(SIZES, [['deliveries', 'delivery_tries']]);
  return tables.flatMap(({ dead, vacuums, table_size, index_size }) => [
    dead as number,
    Math.round((table_size as number) / MEGABYTE),
    Math.round((index_size as number) / MEGABYTE),
    Math.round(((table_size as number) + (index_size as number)) / delivered),
    vacuums as number,
  ]);
}
