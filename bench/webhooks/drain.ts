import type { BenchService } from '../bench-service.ts';
import { printParts, profileGateway } from '../measures/profile-gateway.ts';
import { countWanted, ROUNDS, SECONDS } from '../options.ts';
import { type Cell, median, printTable } from '../table.ts';
import { forgetDeliveries, readRealBody, untilArrived, vacuumDeliveries, writeBacklog } from './backlog.ts';
import { type BareRun, runBarePosts } from './bare-posts.ts';
import { SPENDING_HEAD, type Spending, spendingCells, spendingOf, spendingSum } from './spending.ts';
import type { WebhookShop } from './webhook-shop.ts';

const BACKLOG = 50_000;
/** As many as the gateway gives to what waited (`SLOTS_FOR_WAITING`). */
const AT_ONCE = 32;
const WARM_UP_SECONDS = 2;
const WARM_UP_DELIVERIES = 5_000;

type Round = { readonly perSecond: number; readonly spending: Spending; readonly bare: BareRun };

/**
 * How fast one process works off what waits for ten well targets, beside a bare loop of its own client.
 * Begins with the first arrival, since a process looks for what others wrote once a second; ends when the
 * last one is recorded.
 */
export async function benchDrain(bench: BenchService, shop: WebhookShop): Promise<void> {
  const backlog = countWanted('backlog', BACKLOG);
  const body = await readRealBody(shop);
  const urls = shop.listener.urls.slice(0, shop.accounts.length);
  const order = { urls, body, atOnce: AT_ONCE, warmUpSeconds: WARM_UP_SECONDS };
  await drain(shop, WARM_UP_DELIVERIES, body);
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const bare = await runBarePosts({ ...order, seconds: SECONDS });
    let perSecond = 0;
    const spending = await spendingOf(bench, shop, async () => {
      perSecond = await drain(shop, backlog, body);
      return backlog;
    });
    rounds.push({ perSecond, spending, bare });
    console.error(`round ${round}, backlog:`, rounds.at(-1));
  }
  report(rounds, backlog);
  const profiled = await profileGateway(shop.service, 'drain', async () => {
    await drain(shop, backlog, body);
    return backlog;
  });
  console.log("\nMicroseconds of the gateway's main thread for each delivery, while it is profiled:");
  printParts(new Map([['a backlog', profiled]]));
}

const LAST_END = `select (extract(epoch from max(ended_at)) * 1000)::float8 as at, count(*)::int as count
  from deliveries where state = 'delivered'`;

/** Deliveries a second. */
async function drain(shop: WebhookShop, count: number, body: string): Promise<number> {
  await forgetDeliveries(shop);
  await shop.listener.take(false);
  await writeBacklog(shop, shop, { count, body });
  await untilArrived(shop, shop.accounts, count);
  const arrivals = await shop.listener.take();
  const [last] = await shop.database.query(LAST_END);
  if (last?.count !== count) throw new Error(`${last?.count} of ${count} were delivered`);
  await vacuumDeliveries(shop);
  return (count * 1_000) / (Math.max(last.at as number, arrivals.lastAt) - arrivals.firstAt);
}

function report(rounds: readonly Round[], backlog: number): void {
  const perSecond = median(rounds.map((round) => round.perSecond));
  const bare = median(rounds.map((round) => round.bare.perSecond));
  const cells: Cell[] = [
    backlog,
    (backlog / perSecond).toFixed(1),
    perSecond.toFixed(0),
    bare.toFixed(0),
    (perSecond / bare).toFixed(2),
  ];
  printTable(['backlog', 'seconds', 'deliveries/s', 'bare loop/s', 'of the bare loop'], [cells]);
  const dearest = [...rounds].sort((one, other) => spendingSum(one.spending) - spendingSum(other.spending));
  const middle = dearest[Math.floor(dearest.length / 2)] as Round;
  console.log('\nMicroseconds of processor time for each delivery, by process:');
  printTable(
    ['', ...SPENDING_HEAD, 'sum'],
    [
      ['a backlog', ...spendingCells(middle.spending), Math.round(spendingSum(middle.spending))],
      [
        'bare loop',
        Math.round(median(rounds.map((round) => round.bare.microsecondsEach))),
        '',
        '',
        '',
        '',
        '',
        '',
      ],
    ],
  );
}
