import type { Channel } from '../platform/channels/open-channel.ts';
import type { Acquirer } from './acquirer.ts';
import type { About } from './adapters/bridge/about.ts';
import { type BridgeObserver, bridgeAcquirer } from './adapters/bridge/bridge.ts';

export { ACQUIRER_CONNECT_MILLISECONDS } from './adapters/bridge/bridge.ts';
export { checkAcquirer } from './adapters/bridge/check-acquirer.ts';

/**
 * The one place that knows the adapters: all acquirers are reached over bridges today. Its caller
 * closes it, and the channel. `about`: what the bridge reported of itself; null: it was not asked,
 * or did not answer.
 */
export function openAcquirer(
  url: string,
  channel: Channel,
  about: About | null = null,
  observe: BridgeObserver = () => {},
): Acquirer {
  return bridgeAcquirer(url, channel, about, observe);
}
