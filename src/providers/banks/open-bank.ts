import type { Channel } from '../../platform/channels/open-channel.ts';
import type { CheckProvider } from '../provider.ts';
import type { BankOptions } from './adapters/bridge/bank-connections.ts';
import { bridgeBank } from './adapters/bridge/bridge.ts';
import type { Bank, BankNotConnected, BankUnknown } from './bank.ts';

export { BANK_CONNECT_MILLISECONDS } from './adapters/bridge/bridge.ts';

const ABOUT_MILLISECONDS = 3_000;

/** This environment must not register boletos at the bank. */
class BankUnfit extends Error {
  override readonly name = 'BankUnfit';
}

/**
 * The bank of the settings is a bridge. The caller closes the bank and the channel. Throws `BankUnfit` if the
 * bank's own report forbids asking it. An unreachable bank must not stop card sales: it registers nothing
 * until it identifies itself, and a warning is returned.
 */
export async function openBank(
  url: string,
  channel: Channel,
  options: BankOptions,
  urlName = 'PARCELA_BANK_URL',
): Promise<{ readonly bank: Bank; readonly warning: string | null }> {
  const bank = bridgeBank(url, channel, options);
  const identified = await bank.identify(ABOUT_MILLISECONDS);
  if (identified.kind === 'known') return { bank, warning: null };
  if (identified.kind === 'away') {
    const warning = `The bank at ${url} does not answer (${identified.reason}); boletos wait until it does.`;
    return { bank, warning };
  }
  await bank.close();
  throw new BankUnfit(`${urlName}: ${url}: ${identified.reason}`);
}

export const checkBank: CheckProvider = async (url, environment, channel, terms) => {
  const options = { isRealOnly: environment === 'production', observe: () => {} };
  const { bank, warning } = await openBank(url, channel, options, terms?.url);
  await bank.close();
  return warning;
};

type BankAdapter = {
  /** The bank is identified at its first request. The caller closes it and the channel. */
  readonly open: (url: string, channel: Channel, options: BankOptions) => Bank;
  readonly check: CheckProvider;
};

/** Of providers that were added. */
export const BANK_ADAPTERS: Readonly<Record<string, BankAdapter>> = {
  bridge: { open: bridgeBank, check: checkBank },
};

/** Stands for a provider that is not open in this process. */
export function absentBank(reason: string): Bank {
  const neverSent = async () => notConnected(reason);
  const neverAsked = async () => unknown(reason);
  return {
    name: 'absent',
    bankCode: '',
    learnCode: async () => '',
    issue: neverSent,
    cancel: neverSent,
    find: neverAsked,
    changesSince: neverAsked,
    close: async () => {},
  };
}

/** Limits every call to `most` milliseconds; null for no further limit. */
export function timedBank(bank: Bank, most: number | null): Bank {
  if (most === null) return bank;
  const within = (timeout: number) => Math.min(timeout, most);
  return {
    name: bank.name,
    get bankCode() {
      return bank.bankCode;
    },
    learnCode: (timeout) => bank.learnCode(within(timeout)),
    issue: (request, timeout) => bank.issue(request, within(timeout)),
    cancel: (merchantId, ourNumber, requestedAt, timeout) =>
      bank.cancel(merchantId, ourNumber, requestedAt, within(timeout)),
    find: (request, timeout) => bank.find(request, within(timeout)),
    changesSince: (request, timeout) => bank.changesSince(request, within(timeout)),
    close: () => bank.close(),
  };
}

/** Sends nothing while `whyNot` gives a reason. `unknown` requests are repeated later. */
export function gatedBank(bank: Bank, whyNot: () => string | null): Bank {
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
