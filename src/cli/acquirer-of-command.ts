import type { Acquirer } from '../acquirers/acquirer.ts';
import { ACQUIRER_CONNECT_MILLISECONDS, openAcquirer } from '../acquirers/open-acquirer.ts';
import { openChannel } from '../platform/channels/open-channel.ts';
import type { AcquirerPlace } from './command.ts';

/** Works with the acquirer of this installation; null: its simulator belongs to a running service. */
export async function withAcquirer<T>(
  { url, channel: files }: AcquirerPlace,
  work: (acquirer: Acquirer | null) => Promise<T>,
): Promise<T> {
  if (url === null) return work(null);
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
