import type { Channel } from '../../platform/channels/open-channel.ts';
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
    check: async (...asked) => (await checkAcquirer(...asked)).warning,
  },
};

/** Sends nothing while `whyNot` gives a reason. The intent is taken back if money would have moved. */
export function gatedAcquirer(acquirer: Acquirer, whyNot: () => string | null): Acquirer {
  function unlessHeld<Asked extends readonly unknown[], Answer, Held>(
    ask: (...asked: Asked) => Promise<Answer>,
    held: (reason: string) => Held,
  ) {
    return async (...asked: Asked): Promise<Answer | Held> => {
      const reason = whyNot();
      return reason === null ? ask(...asked) : held(reason);
    };
  }
  return {
    ...acquirer,
    authorize: unlessHeld(acquirer.authorize, notConnected),
    verify: unlessHeld(acquirer.verify, notConnected),
    cancel: unlessHeld(acquirer.cancel, notConnected),
    capture: unlessHeld(acquirer.capture, notConnected),
    findCapture: unlessHeld(acquirer.findCapture, unknown),
    voidCharge: unlessHeld(acquirer.voidCharge, unknown),
    find: unlessHeld(acquirer.find, unknown),
    changesSince: unlessHeld(acquirer.changesSince, unknown),
    listCharges: unlessHeld(acquirer.listCharges, unknown),
  };
}

const notConnected = (reason: string): NotConnected => ({ kind: 'notConnected', reason });
const unknown = (reason: string): Unknown => ({ kind: 'unknown', reason: `not sent: ${reason}` });

/** Stands for a provider that is not open in this process. */
export function absentAcquirer(reason: string): Acquirer {
  const neverSent = async () => notConnected(reason);
  const neverAsked = async () => unknown(reason);
  return {
    name: 'absent',
    authorize: neverSent,
    verify: neverSent,
    cancel: neverSent,
    capture: neverSent,
    findCapture: neverAsked,
    voidCharge: neverAsked,
    find: neverAsked,
    changesSince: neverAsked,
    listCharges: neverAsked,
    capabilities: () => UNREAD_CAPABILITIES,
    readCapabilities: neverAsked,
    close: async () => {},
  };
}

/** Limits every call to `most` milliseconds; null for no further limit. */
export function timedAcquirer(acquirer: Acquirer, most: number | null): Acquirer {
  if (most === null) return acquirer;
  const within = (timeout: number) => Math.min(timeout, most);
  return {
    ...acquirer,
    authorize: (request, timeout) => acquirer.authorize(request, within(timeout)),
    verify: (request, timeout) => acquirer.verify(request, within(timeout)),
    cancel: (request, timeout) => acquirer.cancel(request, within(timeout)),
    capture: (request, timeout) => acquirer.capture(request, within(timeout)),
    findCapture: (request, timeout) => acquirer.findCapture(request, within(timeout)),
    voidCharge: (merchantId, reference, timeout) =>
      acquirer.voidCharge(merchantId, reference, within(timeout)),
    find: (merchantId, reference, timeout) => acquirer.find(merchantId, reference, within(timeout)),
    changesSince: (request, timeout) => acquirer.changesSince(request, within(timeout)),
    listCharges: (request, timeout) => acquirer.listCharges(request, within(timeout)),
  };
}
