import type { Channel } from '../../platform/channels/open-channel.ts';
import { guardedPort } from '../guarded-port.ts';
import type { AdapterSetting, CheckAccess, ProviderAccess } from '../provider.ts';
import type { Acquirer, AcquirerTraits, NotConnected, Unknown } from './acquirer.ts';
import { type About, UNREAD_CAPABILITIES } from './adapters/bridge/about.ts';
import { bridgeAcquirer } from './adapters/bridge/bridge.ts';
import { checkAcquirer } from './adapters/bridge/check-acquirer.ts';
import { CIELO_ADAPTER } from './adapters/cielo/open-cielo.ts';
import { REDE_ADAPTER } from './adapters/rede/open-rede.ts';
import type { CallObserver } from './open-observed-acquirer.ts';

/** Assumed of an acquirer that is not open in this process. */
const STRICTEST_TRAITS: AcquirerTraits = {
  lateBooking: { horizon: 600_000, apart: 180_000, silence: 600_000, booksTwice: true },
  knowsCancels: false,
  networkId: 'first',
  link: 'beside',
  heldBrands: [],
};

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
  observe: CallObserver = () => {},
): Acquirer {
  return bridgeAcquirer(url, channel, about, observe);
}

type AcquirerAdapter = {
  /** Sends nothing. The caller closes the acquirer and the channel. */
  readonly open: (access: ProviderAccess, channel: Channel, observe: CallObserver) => CheckedAcquirer;
  readonly check: CheckAccess;
  readonly settings: Readonly<Record<string, AdapterSetting>>;
};

type CheckedAcquirer = Acquirer & {
  /** Whether it has said that it is no simulator. */
  readonly isReal: () => boolean;
};

/** Adapters of acquirers that were added as providers. */
export const ACQUIRER_ADAPTERS: Readonly<Record<string, AcquirerAdapter>> = {
  bridge: {
    open: ({ url }, channel, observe) => bridgeAcquirer(url, channel, null, observe),
    check: async ({ url }, ...asked) => (await checkAcquirer(url, ...asked)).warning,
    settings: {},
  },
  rede: REDE_ADAPTER,
  cielo: CIELO_ADAPTER,
};

const notConnected = (reason: string): NotConnected => ({ kind: 'notConnected', reason });
const unknown = (reason: string): Unknown => ({ kind: 'unknown', reason: `not sent: ${reason}` });

const ABSENT = 'this acquirer is not open here';

/** An intent is taken back if money would have moved. */
export const ACQUIRER_PORT = guardedPort<
  Acquirer,
  'name' | 'traits' | 'capabilities' | 'readCapabilities' | 'close'
>(
  {
    authorize: notConnected,
    verify: notConnected,
    cancel: notConnected,
    capture: notConnected,
    findCapture: unknown,
    voidCharge: unknown,
    voidTwins: unknown,
    find: unknown,
    changesSince: unknown,
    listCharges: unknown,
  },
  {
    reason: ABSENT,
    rest: {
      name: 'absent',
      traits: STRICTEST_TRAITS,
      capabilities: () => UNREAD_CAPABILITIES,
      readCapabilities: async () => unknown(ABSENT),
      close: async () => {},
    },
  },
);
