import { loadHomologation } from '../app/homologation.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { openChannel } from '../platform/channels/open-channel.ts';
import { type Closing, closeAll } from '../platform/closings.ts';
import { ALWAYS_OPEN } from '../platform/gate.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Acquirer } from '../providers/acquirers/acquirer.ts';
import { ACQUIRER_CONNECT_MILLISECONDS, openAcquirer } from '../providers/acquirers/open-acquirer.ts';
import { type Acquirers, openAcquirers } from '../providers/open-acquirers.ts';
import { openProviderTable } from '../providers/open-provider-table.ts';
import type { AcquirerPlace, CommandTools } from './command.ts';

export const NO_ACQUIRER =
  'PARCELA_ACQUIRER_URL is not set, and the data folder (PARCELA_DATA_DIR) has no ledger of a simulator';

type AcquirerTools = Pick<CommandTools, 'environment' | 'report'> & {
  readonly acquirer: AcquirerPlace;
  readonly database: Database;
  readonly keyring: Keyring;
};

/** Works with the acquirers of this installation, including its simulator; there may be none. */
export async function withAcquirers<T>(
  tools: AcquirerTools,
  work: (acquirers: Acquirers) => Promise<T>,
): Promise<T> {
  const { database, keyring, environment, report } = tools;
  const closings: Closing[] = [];
  const log = { error: (_fields: object, message: string) => report(message) };
  try {
    const byDefault = await openNamed(tools, closings);
    const table = await openProviderTable({ database, keyring, log, closings });
    const observe = () => () => {};
    const acquirers = await openAcquirers(table, { environment, gate: ALWAYS_OPEN, byDefault, observe });
    // Capabilities, and whether an acquirer is real, are read before anything else is asked.
    await Promise.all(
      acquirers.all().map((name) => acquirers.of(name).readCapabilities(tools.acquirer.timeoutMilliseconds)),
    );
    return await work(acquirers);
  } finally {
    await closeAll(closings, report);
  }
}

/** The acquirer of the settings, or the simulator in the data folder; null: neither. */
async function openNamed(
  { acquirer: place, environment }: AcquirerTools,
  closings: Closing[],
): Promise<Acquirer | null> {
  if (place.url !== null) return openBridge(place.url, place, closings);
  if (place.simulatorFolder === null) return null;
  const { findSimulator } = await loadHomologation(environment);
  const simulator = await findSimulator('acquirer', place.simulatorFolder, () => {});
  if (simulator === null) return null;
  closings.push({ name: 'simulator', close: () => simulator.stop() });
  return openBridge(simulator.url, place, closings);
}

async function openBridge(
  url: string,
  { channel: files }: AcquirerPlace,
  closings: Closing[],
): Promise<Acquirer> {
  const channel = await openChannel(files, {
    connectTimeoutMilliseconds: ACQUIRER_CONNECT_MILLISECONDS,
    onFault: () => {},
  });
  const acquirer = openAcquirer(url, channel);
  closings.push({
    name: 'acquirer',
    async close() {
      await acquirer.close();
      channel.close();
    },
  });
  return acquirer;
}
