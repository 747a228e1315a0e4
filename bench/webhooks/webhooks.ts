import { type BenchService, openBenchService } from '../bench-service.ts';
import { requireTools } from '../load/wrk-load.ts';
import { printMachine, runsText } from '../table.ts';
import { benchBesidePayments } from './beside-payments.ts';
import { benchDeadTuples } from './dead-tuples.ts';
import { benchDrain } from './drain.ts';
import { benchLatency } from './latency.ts';
import { openWebhookShop, type WebhookShop } from './webhook-shop.ts';

const PARTS: Record<string, (bench: BenchService, shop: WebhookShop) => Promise<void>> = {
  backlog: benchDrain,
  latency: (_bench, shop) => benchLatency(shop),
  payments: benchBesidePayments,
  'dead-rows': (_bench, shop) => benchDeadTuples(shop),
};

/**
 * What notifying merchants costs and how soon they are. `npm run bench -- webhooks latency`: one
 * part; without a name all of them.
 */
export async function benchWebhooks(): Promise<void> {
  requireTools();
  const [, , , name] = process.argv;
  const names = name === undefined || name.startsWith('--') ? Object.keys(PARTS) : [name];
  const parts = names.map((one) => PARTS[one]);
  if (parts.includes(undefined))
    throw new Error(`usage: npm run bench -- webhooks ${Object.keys(PARTS).join(' | ')}`);
  const bench = await openBenchService();
  try {
    const shop = await openWebhookShop(bench);
    for (const part of parts) {
      printMachine(bench.postgresVersion, runsText());
      await part?.(bench, shop);
    }
    await shop.close();
  } finally {
    await bench.close();
  }
}
