import { instant, saoPauloDay } from '../src/values/instant.ts';
import { openAuditor } from '../test/kit/service.ts';
import { type BenchService, openBenchService } from './bench-service.ts';
import { measureSearches, printSearches, type SearchOwner } from './measures/searches.ts';
import { countWanted } from './options.ts';
import { type LoadSummary, loadEnrolments } from './recurrence/load-enrolments.ts';
import { searchesOf } from './recurrence/searches.ts';

const BILLINGS = 5_000_000;
const BILLINGS_A_SUBSCRIPTION = 5;
const MERCHANTS = 200;
const SEED = 1;
const AIMS = { ordinary: { filtered: 50, whole: 50 }, giant: { filtered: 250, whole: 800 } } as const;

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
    const owners = ownersOf(summary).map(async ({ owner, shop, aims }): Promise<SearchOwner> => {
      const billings = Object.values(shop.billings).reduce((sum, count) => sum + count, 0);
      const kinds = await searchesOf(auditor, shop, saoPauloDay(instant(now)), aims);
      return {
        title: `${owner}, ${billings} billings`,
        merchantId: shop.merchantId,
        scope: 'recurrence',
        kinds,
      };
    });
    printSearches(bench, summary.seconds, await measureSearches(bench, auditor, await Promise.all(owners)));
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
