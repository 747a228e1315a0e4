import { instant, saoPauloDay } from '../src/values/instant.ts';
import { logIn } from '../test/kit/merchant.ts';
import { openAuditor } from '../test/kit/service.ts';
import { type BenchService, openBenchService } from './bench-service.ts';
import { PAYMENT_KINDS } from './load/payment-kinds.ts';
import { countWanted, ROUNDS } from './options.ts';
import {
  createLogin,
  type LoadedShop,
  type LoadSummary,
  loadEnrolments,
} from './recurrence/load-enrolments.ts';
import { openAsker, type SearchKind, type SearchTimes, searchesOf } from './recurrence/searches.ts';
import { type Cell, median, printMachine, printTable } from './table.ts';

const BILLINGS = 5_000_000;
const BILLINGS_A_SUBSCRIPTION = 5;
const MERCHANTS = 200;
const SEED = 1;
const REQUESTS = 300;
const CONNECTIONS = [1, 8];
/** The just-in-time compiler and the database's memory are warm in a service that runs for days. */
const WARM_UP_REQUESTS = 50;
const AIMS = { ordinary: { filtered: 50, whole: 50 }, giant: { filtered: 250, whole: 800 } } as const;

type Measured = {
  readonly owner: string;
  readonly billings: number;
  readonly kind: SearchKind;
  readonly connections: number;
  readonly rounds: SearchTimes[];
};

/**
 * Lists of recurrence over HTTP, of an ordinary merchant and of one that owns half of everything;
 * totals are compared with SQL's.
 */
export async function benchSearch(): Promise<void> {
  const bench = await openBenchService();
  const auditor = openAuditor(bench.server.connection);
  try {
    const now = Date.now();
    const summary = await loadAll(bench, now);
    const all: Measured[] = [];
    for (const { owner, shop, aims } of ownersOf(summary)) {
      const kinds = await searchesOf(auditor, shop, saoPauloDay(instant(now)), aims);
      const billings = Object.values(shop.billings).reduce((sum, count) => sum + count, 0);
      for (const connections of CONNECTIONS) {
        all.push(...kinds.map((kind): Measured => ({ owner, billings, kind, connections, rounds: [] })));
      }
      await measureOwner(
        bench,
        shop,
        all.filter((one) => one.owner === owner),
        async (asker) => {
          for (const kind of kinds) await asker.check(auditor, kind);
        },
      );
    }
    report(bench, summary, all);
  } finally {
    await auditor.close();
    await bench.close();
  }
}

async function loadAll(bench: BenchService, now: number): Promise<LoadSummary> {
  const billings = countWanted('billings', BILLINGS);
  const subscriptions = countWanted('subscriptions', Math.ceil(billings / BILLINGS_A_SUBSCRIPTION));
  const merchants = countWanted('merchants', MERCHANTS);
  const seed = countWanted('seed', SEED);
  const tools = { ...bench.tools, address: bench.server.connection, say: console.error };
  return loadEnrolments(tools, { subscriptions, billings, merchants, hasGiant: true, seed, now });
}

function ownersOf({ giant, ordinary }: LoadSummary) {
  const [first] = ordinary;
  if (giant === null || first === undefined) throw new Error('a giant and an ordinary merchant are loaded');
  return [
    { owner: 'ordinary', shop: first, aims: AIMS.ordinary },
    { owner: 'giant', shop: giant, aims: AIMS.giant },
  ];
}

async function measureOwner(
  bench: BenchService,
  shop: LoadedShop,
  all: readonly Measured[],
  check: (asker: ReturnType<typeof openAsker>) => Promise<void>,
): Promise<void> {
  const { gatewayUrl } = await bench.serviceFor(PAYMENT_KINDS.token);
  const login = await createLogin(bench.tools, shop);
  for (let round = 1; round <= ROUNDS; round += 1) {
    // A token lives for an hour, which all rounds together may outlast.
    const asker = openAsker(gatewayUrl, await logIn(gatewayUrl, login), Math.max(...CONNECTIONS));
    try {
      if (round === 1) await check(asker);
      for (const { owner, kind, connections, rounds } of all) {
        if (round === 1) await asker.time(kind, connections, WARM_UP_REQUESTS);
        rounds.push(await asker.time(kind, connections, REQUESTS));
        console.error(`round ${round}, ${owner}, ${connections} connections, ${kind.title}:`, rounds.at(-1));
      }
    } finally {
      await asker.close();
    }
  }
}

function report(bench: BenchService, summary: LoadSummary, all: readonly Measured[]): void {
  printMachine(
    bench.postgresVersion,
    `medians of ${ROUNDS} rounds of ${REQUESTS} requests; loaded in ${summary.seconds.toFixed(0)} s`,
  );
  const rows = all.map(({ owner, billings, kind, connections, rounds }): Cell[] => [
    `${owner}, ${billings} billings`,
    kind.title,
    connections,
    median(rounds.map(({ p50 }) => p50)).toFixed(1),
    median(rounds.map(({ p99 }) => p99)).toFixed(1),
    kind.aim ?? '',
  ]);
  printTable(['merchant', 'list', 'connections', 'p50 ms', 'p99 ms', 'p99 aimed at, ms'], rows);
}
