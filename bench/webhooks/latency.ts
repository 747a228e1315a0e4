import { setTimeout as pause } from 'node:timers/promises';
import { deliveryNumberOf } from '../../src/webhooks/deliveries/delivery.ts';
import { PAYMENT_KINDS } from '../load/payment-kinds.ts';
import { runSteadily, STEADY_WARM_UP_SECONDS } from '../load/steady-load.ts';
import { countWanted, SECONDS } from '../options.ts';
import { type Cell, percentile, printTable } from '../table.ts';
import { forgetDeliveries, readRealBody, untilDelivered, vacuumDeliveries, writeBacklog } from './backlog.ts';
import type { WebhookShop } from './webhook-shop.ts';

/** Two movements each on average. */
const PAYMENTS_PER_SECOND = 50;
/** For the servers that hang, half of it due already. */
const WAITING = 100_000;
/** Over which what waits is due. */
const HOURS = 24;
/** Of deliveries to servers that are well all the time, in milliseconds. */
const LIMITS = { p50: 6, p99: 25 };

type Hanging = 'one' | 'neighbours';
type Phase = {
  readonly title: string;
  readonly begins?: Hanging;
  /** Whose deliveries are loaded before it, which is not measured. */
  readonly loads?: Hanging;
  readonly ends?: Hanging;
};

const PHASES: readonly Phase[] = [
  ...times(4, { title: 'all well' }),
  { title: 'one of ten begins to hang', begins: 'one' },
  { title: 'one of ten hangs, others wait for it', loads: 'one' },
  ...times(2, { title: 'one of ten hangs, others wait for it' }),
  { title: 'it comes back', ends: 'one' },
  ...times(2, { title: 'all well' }),
  { title: 'all 100 of another merchant begin to hang', begins: 'neighbours', loads: 'neighbours' },
  ...times(3, { title: 'all 100 of another merchant hang' }),
  { title: 'they come back', ends: 'neighbours' },
  ...times(4, { title: 'all well' }),
];
/** For what is loaded between them. */
const MOST_SECONDS_BESIDE = 120;

type Measured = { readonly from: Mark; readonly to: Mark };
type Mark = { readonly at: number; readonly leases: Leases };
/** Commits with deliveries so far: how many were sent at once, how many wait for their turn. */
type Leases = { readonly now: number; readonly later: number };

/**
 * From the commit to the arrival at the nine servers that are well all the time, at a hundred movements a second, in
 * phases of `SECONDS` one after the other under one load: what others do to them, and for how long after.
 */
export async function benchLatency(shop: WebhookShop): Promise<void> {
  const waiting = countWanted('waiting', WAITING);
  const body = await readRealBody(shop);
  await forgetDeliveries(shop);
  const one = { merchantId: shop.merchantId, accounts: shop.accounts.slice(-1) };
  const targets: Record<Hanging, number[]> = {
    one: [shop.accounts.length - 1],
    neighbours: shop.neighbour.accounts.map((_, index) => shop.accounts.length + index),
  };
  const hang = (who: Hanging, hangs: boolean) => shop.listener.hang(targets[who], hangs);
  const mark = async (): Promise<Mark> => ({ leases: await readLeases(shop), at: Date.now() });
  const measured: Measured[] = [];
  const load = await shop.loadOf(PAYMENT_KINDS.merchant, 0, 'notified');
  await shop.listener.take();
  const end = new AbortController();
  const seconds = PHASES.length * SECONDS + MOST_SECONDS_BESIDE;
  const paying = runSteadily(load, PAYMENTS_PER_SECOND, seconds, end.signal);
  await pause(STEADY_WARM_UP_SECONDS * 1_000);
  for (const { begins, loads, ends } of PHASES) {
    if (begins !== undefined) await hang(begins, true);
    if (loads !== undefined) {
      const whose = loads === 'one' ? one : shop.neighbour;
      await writeBacklog(shop, whose, { count: waiting, body, hours: HOURS });
      await vacuumDeliveries(shop);
    }
    if (ends !== undefined) await hang(ends, false);
    const from = await mark();
    await pause(SECONDS * 1_000);
    measured.push({ from, to: await mark() });
  }
  end.abort();
  const paid = await paying;
  await untilDelivered(shop, shop.accounts.slice(0, -1));
  report(await readWaits(shop, measured), measured);
  console.log(
    `\nPayments: p50 ${paid.p50.toFixed(1)} ms, p99 ${paid.p99.toFixed(1)} ms, ${paid.failed} failed.`,
  );
}

function times(count: number, phase: Phase): Phase[] {
  return Array.from({ length: count }, () => phase);
}

async function readLeases({ service }: WebhookShop): Promise<Leases> {
  const text = await (await fetch(service.metricsUrl)).text();
  const of = (outcome: string) =>
    Number(
      new RegExp(`^parcela_webhook_leases_total\\{outcome="${outcome}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0,
    );
  return { now: of('now'), later: of('later') };
}

const WRITTEN = `select delivery_number::float8 as number, (extract(epoch from created_at) * 1000)::float8 as at
  from deliveries where merchant_id = $1 and endpoint = any($2) and created_at >= to_timestamp($3::float8 / 1000)`;

/** Milliseconds, by phase. The clocks of database and listener are the machine's. */
async function readWaits(shop: WebhookShop, measured: readonly Measured[]): Promise<readonly number[][]> {
  const { merchantId, database, listener, accounts } = shop;
  const { ids, times: arrivedAt } = await listener.take();
  const arrived = new Map<number, number>();
  for (const [index, id] of ids.entries()) {
    const number = deliveryNumberOf(id) ?? 0;
    if (!arrived.has(number)) arrived.set(number, arrivedAt[index] as number);
  }
  const watched = accounts.slice(0, -1).map((account) => `account:${account}`);
  const waits: number[][] = PHASES.map(() => []);
  for (const row of await database.query(WRITTEN, [merchantId, watched, measured[0]?.from.at])) {
    const at = row.at as number;
    const phase = measured.findIndex(({ from, to }) => at >= from.at && at < to.at);
    const arrival = arrived.get(row.number as number);
    if (arrival === undefined) throw new Error(`delivery ${row.number} did not arrive`);
    waits[phase]?.push(arrival - at);
  }
  return waits.map((phase) => phase.sort((one, other) => one - other));
}

function report(waits: readonly (readonly number[])[], measured: readonly Measured[]): void {
  const rows = PHASES.map(({ title }, index): Cell[] => {
    const phase = waits[index] ?? [];
    const { from, to } = measured[index] as Measured;
    const now = to.leases.now - from.leases.now;
    const later = to.leases.later - from.leases.later;
    return [
      index + 1,
      title,
      phase.length,
      percentile(phase, 0.5).toFixed(1),
      percentile(phase, 0.99).toFixed(1),
      (phase.at(-1) ?? Number.NaN).toFixed(0),
      (now / Math.max(1, now + later)).toFixed(2),
    ];
  });
  printTable(['phase', 'servers', 'arrived', 'p50 ms', 'p99 ms', 'slowest ms', 'sent at once'], rows);
  const within = waits.filter(
    (phase) => percentile(phase, 0.5) <= LIMITS.p50 && percentile(phase, 0.99) <= LIMITS.p99,
  );
  console.log(
    `\n${within.length} of ${waits.length} phases within p50 ${LIMITS.p50} ms and p99 ${LIMITS.p99} ms.`,
  );
}
