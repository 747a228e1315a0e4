import type { Gate } from '../platform/gate.ts';
import type { Acquirer, NotConnected, Unknown } from './acquirer.ts';

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
