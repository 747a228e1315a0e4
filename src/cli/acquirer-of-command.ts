import type { Acquirer } from '../acquirers/acquirer.ts';
import { ACQUIRER_CONNECT_MILLISECONDS, openAcquirer } from '../acquirers/open-acquirer.ts';
import { openChannel } from '../platform/channels/open-channel.ts';
import type { AcquirerPlace } from './command.ts';

export const NO_ACQUIRER =
  'PARCELA_ACQUIRER_URL is not set, and the data folder (PARCELA_DATA_DIR) has no ledger of a simulator';

/** Null if there is neither an acquirer nor a simulator. */
export async function withAcquirer<T>(
  place: AcquirerPlace,
  work: (acquirer: Acquirer | null) => Promise<T>,
): Promise<T> {
  if (place.url !== null) return withBridge(place.url, place, work);
  if (place.simulatorFolder === null) return work(null);
  const { findSimulator } = await import('../homologation/start-simulator.ts');
  const simulator = await findSimulator(place.simulatorFolder, () => {});
  if (simulator === null) return work(null);
  try {
    return await withBridge(simulator.url, place, work);
  } finally {
    await simulator.stop();
  }
}

async function withBridge<T>(
  url: string,
  { channel: files }: AcquirerPlace,
  work: (acquirer: Acquirer) => Promise<T>,
): Promise<T> {
  const channel = await openChannel(files, {
    connectTimeoutMilliseconds: ACQUIRER_CONNECT_MILLISECONDS,
    onFault: () => {},
  });
  const acquirer = openAcquirer(url, channel);
  try {
    return await work(acquirer);
  } finally {
    await acquirer.close();
    channel.close();
  }
}
