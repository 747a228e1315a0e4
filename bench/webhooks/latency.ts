import { deliveryNumberOf } from '../../src/webhooks/deliveries/delivery.ts';
import { PAYMENT_KINDS } from '../load/payment-kinds.ts';
import { runSteadily } from '../load/steady-load.ts';
import { countWanted, ROUNDS, SECONDS } from '../options.ts';
import { type Cell, median, percentile, printTable } from '../table.ts';
import { forgetDeliveries, readRealBody, untilDelivered, vacuumDeliveries, writeBacklog } from './backlog.ts';
import type { WebhookShop } from './webhook-shop.ts';

/** Two movements each on average. */
const PAYMENTS_PER_SECOND = 50;
const WAITING_AT_DEAD = 1_000_000;
/** Over which what waits for the dead target is due, half of it already. */
const HOURS = 24;
/** `runSteadily` warms up for so long. */
const WARM_UP_MILLISECONDS = 2_000;
/** A dead target is known as such by then: its breaker is open, as it has been for days. */
const BREAKER_SECONDS = 4;

type Run = {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  readonly paymentP50: number;
  readonly paymentP99: number;
  readonly failed: number;
};

/**
 * From the commit to the arrival, at a hundred movements a second: with ten well targets, and with
 * nine and a dead one.
 */
export async function benchLatency(shop: WebhookShop): Promise<void> {
  const waiting = countWanted('waiting', WAITING_AT_DEAD);
  const body = await readRealBody(shop);
  const rounds: { readonly well: Run; readonly dead: Run }[] = [];
  const dead = shop.accounts.at(-1) as string;
  for (let round = 1; round <= ROUNDS; round += 1) {
    await forgetDeliveries(shop);
    await shop.register(dead, shop.listener.urls.at(-1) as string);
    const well = await measure(shop, SECONDS);
    await shop.register(dead, shop.listener.silentUrl);
    await writeBacklog(shop, { accounts: [dead], count: waiting, body, hours: HOURS });
    await vacuumDeliveries(shop);
    await measure(shop, BREAKER_SECONDS);
    rounds.push({ well, dead: await measure(shop, SECONDS) });
    console.error(`round ${round}, latency:`, rounds.at(-1));
  }
  const title = `nine well, one dead with ${waiting} waiting`;
  printTable(
    ['targets', 'arrived', 'p50 ms', 'p99 ms', 'slowest ms', 'payment p50 ms', 'payment p99 ms', 'failed'],
    [
      row(
        'ten well',
        rounds.map((one) => one.well),
      ),
      row(
        title,
        rounds.map((one) => one.dead),
      ),
    ],
  );
  const ratio = (name: 'p50' | 'p99') =>
    (median(rounds.map((one) => one.dead[name])) / median(rounds.map((one) => one.well[name]))).toFixed(2);
  console.log(
    `\nBeside a dead endpoint p50 is ${ratio('p50')} and p99 ${ratio('p99')} times what it is without.`,
  );
}

function row(title: string, runs: readonly Run[]): Cell[] {
  const of = (name: keyof Run) => median(runs.map((run) => run[name]));
  return [
    title,
    of('count'),
    of('p50').toFixed(1),
    of('p99').toFixed(1),
    of('slowest').toFixed(0),
    of('paymentP50').toFixed(1),
    of('paymentP99').toFixed(1),
    runs.reduce((sum, { failed }) => sum + failed, 0),
  ];
}

const WRITTEN = `select delivery_number::float8 as number, (extract(epoch from created_at) * 1000)::float8 as at
  from deliveries where merchant_id = $1 and endpoint = any($2) and created_at >= to_timestamp($3::float8 / 1000)
  order by created_at`;

/**
 * Of the nine accounts whose targets are always well. The clocks of database and listener are the
 * machine's.
 */
async function measure(shop: WebhookShop, seconds: number): Promise<Run> {
  const { merchantId, database, listener } = shop;
  const watched = shop.accounts.slice(0, -1);
  await listener.take();
  const load = await shop.loadOf(PAYMENT_KINDS.merchant, 0, 'notified');
  const countedFrom = Date.now() + WARM_UP_MILLISECONDS;
  const paid = await runSteadily(load, PAYMENTS_PER_SECOND, seconds);
  await untilDelivered(shop, watched);
  const arrivals = await listener.take();
  const arrivedAt = new Map<number, number>();
  for (const [index, id] of arrivals.ids.entries()) {
    const number = deliveryNumberOf(id) ?? 0;
    if (!arrivedAt.has(number)) arrivedAt.set(number, arrivals.times[index] as number);
  }
  const endpoints = watched.map((account) => `account:${account}`);
  const written = await database.query(WRITTEN, [merchantId, endpoints, countedFrom]);
  const times = written.map(({ number, at }) => {
    const arrived = arrivedAt.get(number as number);
    if (arrived === undefined) throw new Error(`delivery ${number} did not arrive`);
    return arrived - (at as number);
  });
  times.sort((one, other) => one - other);
  return {
    count: times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    slowest: times.at(-1) ?? Number.NaN,
    paymentP50: paid.p50,
    paymentP99: paid.p99,
    failed: paid.failed,
  };
}
