import type { Channel } from '../platform/channels/open-channel.ts';
import type { Gate } from '../platform/gate.ts';
import type { BankOptions } from './adapters/bridge/bank-connections.ts';
import { type BridgeBank, bridgeBank } from './adapters/bridge/bridge.ts';
import type { Bank, BankNotConnected, BankUnknown } from './bank.ts';

export { BANK_CONNECT_MILLISECONDS } from './adapters/bridge/bridge.ts';

const ABOUT_MILLISECONDS = 3_000;

/** The bank's bridge is not one that this environment may register boletos at. */
class BankUnfit extends Error {
  override readonly name = 'BankUnfit';
}

/**
 * The one place that knows the adapters: all banks are reached over bridges today. Its caller closes
 * it, and the channel. Throws `BankUnfit` for one that says itself that it must not be asked. One
 * that is away keeps nobody from selling by card: it says who it is when it is there, and registers
 * nothing before; then there is a warning for a person.
 */
export async function openBank(
  url: string,
  channel: Channel,
  options: BankOptions,
): Promise<{ readonly bank: Bank; readonly warning: string | null }> {
  const bank: BridgeBank = bridgeBank(url, channel, options);
  const identified = await bank.identify(ABOUT_MILLISECONDS);
  if (identified.kind === 'known') return { bank, warning: null };
  if (identified.kind === 'away') {
    const warning = `The bank at ${url} does not answer (${identified.reason}); boletos wait until it does.`;
    return { bank, warning };
  }
  await bank.close();
  throw new BankUnfit(`PARCELA_BANK_URL: ${url}: ${identified.reason}`);
}

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
