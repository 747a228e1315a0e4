import type { Gate } from '../platform/gate.ts';
import type { Acquirer, Unknown } from './acquirer.ts';

/**
 * The last place before the acquirer: while the gate is shut nothing is asked, whoever wants it. What began on a database that
 * was right a moment ago stays unknown, and is settled when the gate opens.
 */
export function gatedAcquirer(acquirer: Acquirer, gate: Gate): Acquirer {
  function unlessHeld<Asked extends readonly unknown[], Answer>(ask: (...asked: Asked) => Promise<Answer>) {
    return async (...asked: Asked): Promise<Answer | Unknown> => {
      const reason = gate.reason();
      if (reason === null) return ask(...asked);
      return { kind: 'unknown', reason: `not sent: all work is held (${reason})` };
    };
  }
  return {
    ...acquirer,
    authorize: unlessHeld(acquirer.authorize),
    verify: unlessHeld(acquirer.verify),
    undo: unlessHeld(acquirer.undo),
    cancel: unlessHeld(acquirer.cancel),
    find: unlessHeld(acquirer.find),
    changesSince: unlessHeld(acquirer.changesSince),
  };
}
