import { counter } from '../../platform/metrics.ts';
import type { ModuleContext } from '../../platform/module.ts';
import { batchReads } from '../../platform/postgres/batched-reads.ts';
import type { LimitTools } from './check-network-limits.ts';
import { declinesRead, storedDeclinesRead } from './declines.sql.ts';
import type { LimitMode } from './network-limits.ts';

const TRIES_BEYOND_LIMITS = counter(
  'parcela_tries_beyond_limits_total',
  'Tries of cards that their network would fine or forbid: refused before they were sent, or only observed.',
  ['outcome', 'brand', 'cause'],
);

type LimitsContext = Pick<ModuleContext, 'database' | 'log' | 'metrics'> & {
  readonly configuration: ModuleContext['configuration'] & { readonly networkLimits: LimitMode };
};

export function openNetworkLimits({ configuration, database, log, metrics }: LimitsContext): LimitTools {
  const tries = metrics.counter(TRIES_BEYOND_LIMITS);
  return {
    limitMode: configuration.networkLimits,
    limitsTrialCardsOnly: configuration.environment === 'homologation',
    findDeclines: batchReads(declinesRead(database)),
    findStoredDeclines: batchReads(storedDeclinesRead(database)),
    observeLimit: (merchantId, brand, cause, outcome) => {
      tries.inc({ outcome, brand, cause });
      log.info({ merchantId, brand, cause, outcome }, 'a card was tried beyond a limit of its network');
    },
  };
}
