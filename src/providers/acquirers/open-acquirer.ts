import type { Channel } from '../../platform/channels/open-channel.ts';
import { guardedPort } from '../guarded-port.ts';
import type { CheckProvider } from '../provider.ts';
import { type Acquirer, type NotConnected, UNREAD_CAPABILITIES, type Unknown } from './acquirer.ts';
import type { About } from './adapters/bridge/about.ts';
import { type BridgeObserver, bridgeAcquirer } from './adapters/bridge/bridge.ts';
import { checkAcquirer } from './adapters/bridge/check-acquirer.ts';

export { ACQUIRER_CONNECT_MILLISECONDS } from './adapters/bridge/bridge.ts';
export { checkAcquirer } from './adapters/bridge/check-acquirer.ts';

/**
 * The acquirer of the settings is a bridge. The caller closes the acquirer and the channel. `about`: what the
 * bridge reported; null if it was not asked or did not answer.
 */
export function openAcquirer(
  url: string,
  channel: Channel,
  about: About | null = null,
  observe: BridgeObserver = () => {},
): Acquirer {
  return bridgeAcquirer(url, channel, about, observe);
}

type AcquirerAdapter = {
  /** Sends nothing. The caller closes the acquirer and the channel. */
  readonly open: (url: string, channel: Channel, observe: BridgeObserver) => CheckedAcquirer;
  readonly check: CheckProvider;
};

type CheckedAcquirer = Acquirer & {
  /** Whether it has said that it is no simulator. */
  readonly isReal: () => boolean;
};

/** Of providers that were added. */
export const ACQUIRER_ADAPTERS: Readonly<Record<string, AcquirerAdapter>> = {
  bridge: {
    open: (url, channel, observe) => bridgeAcquirer(url, channel, null, observe),
    check: async (url, environment, channel, terms) =>
      (await checkAcquirer(url, environment, channel, terms)).warning,
  },
};

const notConnected = (reason: string): NotConnected => ({ kind: 'notConnected', reason });
const unknown = (reason: string): Unknown => ({ kind: 'unknown', reason: `not sent: ${reason}` });

const ABSENT = 'this acquirer is not open here';

/** An intent is taken back if money would have moved. */
export const ACQUIRER_PORT = guardedPort<Acquirer, 'name' | 'capabilities' | 'readCapabilities' | 'close'>(
  {
    authorize: notConnected,
    verify: notConnected,
    cancel: notConnected,
    capture: notConnected,
    findCapture: unknown,
    voidCharge: unknown,
    find: unknown,
    changesSince: unknown,
    listCharges: unknown,
  },
  {
    reason: ABSENT,
    rest: {
      name: 'absent',
      capabilities: () => UNREAD_CAPABILITIES,
      readCapabilities: async () => unknown(ABSENT),
      close: async () => {},
    },
  },
);
