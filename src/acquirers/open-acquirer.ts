import type { Acquirer } from './acquirer.ts';
import { type BridgeObserver, bridgeAcquirer } from './adapters/bridge/bridge.ts';

/** Asks the acquirer at an address who it is; refuses one that the environment may not charge through. */
export { checkAcquirer } from './adapters/bridge/check-acquirer.ts';

/** The one place that knows the adapters: all acquirers are reached over bridges today. Its caller closes it. */
export function openAcquirer(url: string, observe: BridgeObserver = () => {}): Acquirer {
  return bridgeAcquirer(url, observe);
}
