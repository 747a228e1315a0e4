import { type Gate, whyHeld } from '../platform/gate.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { ObserveCallsOf } from '../platform/process-reports/peer-calls.ts';
import type { Bank } from './banks/bank.ts';
import { BANK_ADAPTERS, BANK_CONNECT_MILLISECONDS, BANK_PORT } from './banks/open-bank.ts';
import type { ProviderSet, ProviderTable } from './open-provider-table.ts';
import { adapterOf } from './provider.ts';

export type Banks = ProviderSet<Bank>;

type BanksContext = {
  readonly environment: 'homologation' | 'production';
  readonly gate: Gate;
  /** The bank of the settings, behind the gate; null if they name none. */
  readonly byDefault: Bank | null;
  readonly database: Database;
  readonly observe: ObserveCallsOf;
};

export function openBanks(
  table: ProviderTable,
  { environment, gate, byDefault, database, observe }: BanksContext,
): Promise<Banks> {
  return table.setOf('bank', {
    byDefault,
    absent: BANK_PORT.absent,
    connectTimeoutMilliseconds: BANK_CONNECT_MILLISECONDS,
    open(provider, channel) {
      const options = { isRealOnly: environment === 'production', observe: observe(provider.name) };
      const bank = adapterOf(BANK_ADAPTERS, provider).open(provider, channel, options, database);
      const limited = BANK_PORT.timed(bank, provider.timeoutMilliseconds);
      const port = BANK_PORT.gated(limited, () => whyHeld(gate));
      return { port, close: () => bank.close() };
    },
  });
}
