import type { BenchService } from '../bench-service.ts';
import { kindsNamed, type PaymentKind } from '../load/payment-kinds.ts';
import { type Run, runWrk } from '../load/wrk-load.ts';
import { printParts, profileGateway } from '../measures/profile-gateway.ts';
import { KINDS, ROUNDS, SECONDS } from '../options.ts';
import { type Cell, median, printTable } from '../table.ts';
import { forgetDeliveries, untilDelivered } from './backlog.ts';
import { SPENDING_HEAD, type Spending, spendingCells, spendingOf, spendingSum } from './spending.ts';
import type { WebhookShop } from './webhook-shop.ts';

const CONNECTIONS = 32;
const CARRIERS_PER_SECOND = 16_000;
const WARM_UP_SECONDS = 3;

type Notified = 'notified' | 'unnotified';
type Measured = {
  readonly run: Run;
  /** Until all is delivered, also what was left when the load ended. */
  readonly spending: Spending;
  readonly movements: number;
  readonly arrivedMeanwhile: number;
};
type Rounds = Record<Notified, Measured[]>;

/** Payments of accounts that are notified beside those of one that is not, on the same process, in turns. */
export async function benchBesidePayments(bench: BenchService, shop: WebhookShop): Promise<void> {
  const kinds = kindsNamed(KINDS.length > 0 ? KINDS : ['token', 'merchant']);
  const all = new Map(kinds.map((kind): [PaymentKind, Rounds] => [kind, { notified: [], unnotified: [] }]));
  const profiles = new Map<string, ReadonlyMap<string, number>>();
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const [kind, rounds] of all) {
      if (round === 1) await payAndDeliver(shop, kind, 'notified', WARM_UP_SECONDS);
      // Each is first as often as the other.
      for (const notified of round % 2 === 1
        ? (['unnotified', 'notified'] as const)
        : (['notified', 'unnotified'] as const)) {
        rounds[notified].push(await measure(bench, shop, kind, notified));
        console.error(`round ${round}, ${kind.name}, ${notified}:`, rounds[notified].at(-1));
      }
    }
  }
  for (const kind of kinds) {
    const profiled = await profileGateway(shop.service, `notified-${kind.name}`, async () => {
      return (await payAndDeliver(shop, kind, 'notified', SECONDS)).run.paid;
    });
    profiles.set(kind.title, profiled);
  }
  reportThroughput(all);
  reportSpending(all);
  console.log(
    "\nMicroseconds of the gateway's main thread for each payment that is notified, while it is profiled:",
  );
  printParts(profiles);
}

async function measure(
  bench: BenchService,
  shop: WebhookShop,
  kind: PaymentKind,
  notified: Notified,
): Promise<Measured> {
  let paid: Omit<Measured, 'spending'> | undefined;
  const spending = await spendingOf(bench, shop, async () => {
    paid = await payAndDeliver(shop, kind, notified, SECONDS);
    return paid.run.paid;
  });
  return { ...(paid as Omit<Measured, 'spending'>), spending };
}

/** The tables are empty before: each run pays for its own. */
async function payAndDeliver(
  shop: WebhookShop,
  kind: PaymentKind,
  notified: Notified,
  seconds: number,
): Promise<Omit<Measured, 'spending'>> {
  await forgetDeliveries(shop);
  await shop.listener.take(false);
  const load = await shop.loadOf(kind, CARRIERS_PER_SECOND * seconds, notified);
  const run = await runWrk(load, CONNECTIONS, seconds);
  const { count: arrivedMeanwhile } = await shop.listener.count();
  await untilDelivered(shop, shop.accounts);
  return { run, movements: (await shop.listener.take()).count, arrivedMeanwhile };
}

function reportThroughput(all: ReadonlyMap<PaymentKind, Rounds>): void {
  const rows = [...all].map(([kind, { notified, unnotified }]): Cell[] => {
    const with_ = median(notified.map(({ run }) => run.perSecond));
    const without = median(unnotified.map(({ run }) => run.perSecond));
    const share = ({ movements, arrivedMeanwhile }: Measured) => arrivedMeanwhile / Math.max(1, movements);
    return [
      kind.title,
      CONNECTIONS,
      with_.toFixed(0),
      without.toFixed(0),
      (with_ / without).toFixed(2),
      median(notified.map(({ run }) => run.p99)).toFixed(1),
      median(unnotified.map(({ run }) => run.p99)).toFixed(1),
      median(notified.map(({ movements, run }) => movements / run.paid)).toFixed(2),
      median(notified.map(share)).toFixed(2),
      [...notified, ...unnotified].reduce((sum, { run }) => sum + run.failed, 0),
    ];
  });
  printTable(
    [
      'payments',
      'connections',
      'notified, payments/s',
      'unnotified, payments/s',
      'of the unnotified',
      'notified, p99 ms',
      'unnotified, p99 ms',
      'deliveries each',
      'arrived meanwhile',
      'failed',
    ],
    rows,
  );
}

function reportSpending(all: ReadonlyMap<PaymentKind, Rounds>): void {
  const rows = [...all].flatMap(([kind, rounds]) =>
    (['notified', 'unnotified'] as const).map((notified): Cell[] => {
      const sorted = [...rounds[notified]].sort(
        (one, other) => spendingSum(one.spending) - spendingSum(other.spending),
      );
      const { spending } = sorted[Math.floor(sorted.length / 2)] as Measured;
      return [kind.title, notified, ...spendingCells(spending), Math.round(spendingSum(spending))];
    }),
  );
  console.log('\nMicroseconds of processor time for each payment, by process, until all is delivered:');
  printTable(['payments', '', ...SPENDING_HEAD, 'sum'], rows);
}
