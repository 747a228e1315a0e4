import { type Gate, whyHeld } from '../platform/gate.ts';
import type { ObserveCallsOf } from '../platform/process-reports/peer-calls.ts';
import type { ProviderSet, ProviderTable } from './open-provider-table.ts';
import { PIX_ADAPTERS, PIX_CONNECT_MILLISECONDS, PIX_PORT } from './pix/open-pix-bank.ts';
import type { PixBank } from './pix/pix-bank.ts';
import { adapterOf } from './provider.ts';

export type PixBanks = ProviderSet<PixBank>;

type PixBanksContext = {
  readonly gate: Gate;
  /** The bank of the settings, behind the gate; null if they name none. */
  readonly byDefault: PixBank | null;
  readonly observe: ObserveCallsOf;
};

export function openPixBanks(
  table: ProviderTable,
  { gate, byDefault, observe }: PixBanksContext,
): Promise<PixBanks> {
  return table.setOf('pix', {
    byDefault,
    absent: PIX_PORT.absent,
    connectTimeoutMilliseconds: PIX_CONNECT_MILLISECONDS,
    open(provider, channel) {
      const bank = adapterOf(PIX_ADAPTERS, provider).open(provider, channel, {
        observe: observe(provider.name),
      });
      const limited = PIX_PORT.timed(bank, provider.timeoutMilliseconds);
      return { port: PIX_PORT.gated(limited, () => whyHeld(gate)), close: () => bank.close() };
    },
  });
}
