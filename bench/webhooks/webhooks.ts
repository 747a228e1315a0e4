import { type BenchHouse, openBenchHouse } from '../bench-service.ts';
import { requireTools } from '../load/wrk-load.ts';
import { printMachine, runsText } from '../table.ts';
import { benchBesidePayments } from './beside-payments.ts';
import { benchDeadTuples } from './dead-tuples.ts';
import { benchDrain } from './drain.ts';
import { benchLatency } from './latency.ts';
import { openWebhookShop, type WebhookShop } from './webhook-shop.ts';

const PARTS: Record<string, (house: BenchHouse, shop: WebhookShop) => Promise<void>> = {
  backlog: benchDrain,
  latency: (_house, shop) => benchLatency(shop),
  payments: benchBesidePayments,
  'dead-rows': (_house, shop) => benchDeadTuples(shop),
};

/** What telling merchants costs and how soon they hear. `npm run bench -- webhooks latency`: one part; without a name all of them. */
export async function benchWebhooks(): Promise<void> {
  requireTools();
  const [, , , name] = process.argv;
  const names = name === undefined || name.startsWith('--') ? Object.keys(PARTS) : [name];
  const parts = names.map((one) => PARTS[one]);
  if (parts.includes(undefined))
    throw new Error(`usage: npm run bench -- webhooks ${Object.keys(PARTS).join(' | ')}`);
  const house = await openBenchHouse();
  try {
    const shop = await openWebhookShop(house);
    for (const part of parts) {
      printMachine(house.postgresVersion, runsText());
      await part?.(house, shop);
    }
    await shop.close();
  } finally {
    await house.close();
  }
}
