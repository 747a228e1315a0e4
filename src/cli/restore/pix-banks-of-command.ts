import { loadHomologation } from '../../app/homologation.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { openChannel } from '../../platform/channels/open-channel.ts';
import { type Closing, closeAll } from '../../platform/closings.ts';
import { ALWAYS_OPEN } from '../../platform/gate.ts';
import { openPixBanks, type PixBanks } from '../../providers/open-pix-banks.ts';
import { openProviderTable } from '../../providers/open-provider-table.ts';
import {
  openPixBank,
  openSimulatedPixBank,
  PIX_CONNECT_MILLISECONDS,
} from '../../providers/pix/open-pix-bank.ts';
import type { PixBank } from '../../providers/pix/pix-bank.ts';
import type { CommandTools } from '../command.ts';

type PixTools = Pick<CommandTools, 'environment' | 'pix' | 'report' | 'database'> & {
  readonly keyring: Keyring;
};

/** Works with the banks of Pix of this installation, if any, including the simulated one. */
export async function withPixBanks<T>(tools: PixTools, work: (banks: PixBanks) => Promise<T>): Promise<T> {
  const { database, keyring, report } = tools;
  const closings: Closing[] = [];
  const log = { error: (_fields: object, message: string) => report(message) };
  try {
    const byDefault = await openNamed(tools, closings);
    const table = await openProviderTable({ database, keyring, log, closings });
    return await work(await openPixBanks(table, { gate: ALWAYS_OPEN, byDefault, observe: () => () => {} }));
  } finally {
    await closeAll(closings, report);
  }
}

async function openNamed(tools: PixTools, closings: Closing[]): Promise<PixBank | null> {
  const { url, channel: files, settings } = tools.pix;
  if (url === null) return openSimulated(tools, closings);
  const channel = await openChannel(files, {
    connectTimeoutMilliseconds: PIX_CONNECT_MILLISECONDS,
    onFault: () => {},
  });
  const bank = openPixBank({ url, settings }, channel, { observe: () => () => {} });
  closings.push({
    name: 'bank of Pix',
    async close() {
      await bank.close();
      channel.close();
    },
  });
  return bank;
}

async function openSimulated(
  { pix: { simulatorFolder, settings }, environment }: PixTools,
  closings: Closing[],
): Promise<PixBank | null> {
  if (simulatorFolder === null) return null;
  const { findSimulator } = await loadHomologation(environment);
  const simulator = await findSimulator('pix', simulatorFolder, () => {});
  if (simulator === null) return null;
  closings.push({ name: 'simulator of the pix', close: () => simulator.stop() });
  const bank = openSimulatedPixBank({ url: simulator.url, settings }, { observe: () => () => {} });
  closings.push({ name: 'bank of Pix', close: () => bank.close() });
  return bank;
}
