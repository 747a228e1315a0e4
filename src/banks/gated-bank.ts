import type { Gate } from '../platform/gate.ts';
import type { Bank, BankNotConnected, BankUnknown } from './bank.ts';

/**
 * The last step before the bank: while the gate is shut nothing is sent. What would register or
 * cancel was not asked for; queries stay unknown, and are repeated when the gate opens.
 */
export function gatedBank(bank: Bank, gate: Gate): Bank {
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
    name: bank.name,
    get bankCode() {
      return bank.bankCode;
    },
    learnCode: unlessHeld(bank.learnCode, () => bank.bankCode),
    issue: unlessHeld(bank.issue, notConnected),
    cancel: unlessHeld(bank.cancel, notConnected),
    find: unlessHeld(bank.find, unknown),
    changesSince: unlessHeld(bank.changesSince, unknown),
    close: () => bank.close(),
  };
}

const notConnected = (reason: string): BankNotConnected => ({
  kind: 'notConnected',
  cause: 'notAsked',
  reason,
});
const unknown = (reason: string): BankUnknown => ({
  kind: 'unknown',
  cause: 'notAsked',
  reason: `not sent: ${reason}`,
});
