import { benchAdapters } from './adapters.ts';
import { benchRecurrence } from './charging/charging.ts';
import { benchConsole } from './console/console.ts';
import { benchCpu } from './cpu.ts';
import { benchEncrypted } from './encrypted.ts';
import { benchExports } from './exports.ts';
import { benchFollower } from './follower.ts';
import { benchForeignIds } from './foreign-ids.ts';
import { benchMemory } from './memory.ts';
import { benchPaymentSearch } from './payment-search.ts';
import { benchPayments } from './payments.ts';
import { benchSearch } from './search.ts';
import { benchSettlement } from './settlement/settled-month.ts';
import { benchSettlementFiles } from './settlement-files.ts';
import { benchSizing } from './sizing.ts';
import { benchSubscriptions } from './subscriptions.ts';
import { benchWebhooks } from './webhooks/webhooks.ts';

const BENCHES: Record<string, () => Promise<void>> = {
  payments: benchPayments,
  adapters: benchAdapters,
  memory: benchMemory,
  encrypted: benchEncrypted,
  cpu: benchCpu,
  'foreign-ids': benchForeignIds,
  webhooks: benchWebhooks,
  search: benchSearch,
  'payment-search': benchPaymentSearch,
  subscriptions: benchSubscriptions,
  recurrence: benchRecurrence,
  'settlement-files': benchSettlementFiles,
  exports: benchExports,
  follower: benchFollower,
  settlement: benchSettlement,
  console: benchConsole,
  sizing: benchSizing,
};

const [name = ''] = process.argv.slice(2);
const bench = BENCHES[name];
// Some load for an hour: a question is not taken for an order.
if (bench === undefined || process.argv.includes('--help')) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join(' | ')}`);
  process.exit(2);
}
await bench();
process.exit();
