import type { Channel } from '../platform/channels/open-channel.ts';
import type { Gate } from '../platform/gate.ts';
import type { Acquirer, NotConnected, Unknown } from './acquirer.ts';
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

/**
 * The last step before the acquirer: while the gate is shut nothing is sent. What would move money
 * was never sent, and is taken back; queries about money stay unknown, and are repeated when the
 * gate opens.
 */
export function gatedAcquirer(acquirer: Acquirer, gate: Gate): Acquirer {
  function unlessHeld<Asked extends readonly unknown[], Answer, Held>(
    ask: (...asked: Asked) => Promise<Answer>,
    held: (reason: string) => Held,
  ) {
    return async (...asked: Asked): Promise<Answer | Held> => {
      const reason = gate.reason();
      return reason === null ? ask(...asked) : held(`all work is held (${reason})`);
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
