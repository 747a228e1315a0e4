import { REMITTANCE_BANKS } from '#settlement-files';
import type { Channel } from '../../platform/channels/open-channel.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { guardedPort } from '../guarded-port.ts';
import type { AdapterSetting, CheckAccess, CheckProvider, ProviderSettings } from '../provider.ts';
import type { BankOptions } from './adapters/bridge/bank-connections.ts';
import { bridgeBank } from './adapters/bridge/bridge.ts';
import { readAgreement, remittanceBank } from './adapters/remittance/remittance-bank.ts';
import { type Bank, UNSENT } from './bank.ts';

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

const TEXT: AdapterSetting = {
  description: 'a text of one line',
  accepts: (value) => /^[^\n\r]{1,60}$/.test(value),
};

const REMITTANCE_SETTINGS: Readonly<Record<string, AdapterSetting>> = {
  bank: TEXT,
  layout: {
    description: '240 or 400 (default: the first layout of the bank)',
    accepts: (value) => /^(?:240|400)$/.test(value),
  },
  ...Object.fromEntries(
    REMITTANCE_BANKS.flatMap(({ agreement }) => Object.keys(agreement)).map((name) => [name, TEXT]),
  ),
};

type BankAccess = { readonly name: string; readonly url: string; readonly settings: ProviderSettings };

type BankAdapter = {
  /** The bank is identified at its first request. The caller closes it and the channel. */
  readonly open: (access: BankAccess, channel: Channel, options: BankOptions, database: Database) => Bank;
  readonly check: CheckAccess;
  readonly settings: Readonly<Record<string, AdapterSetting>>;
  /** It has no address. */
  readonly isByFile: boolean;
};

/** Of providers that were added. */
export const BANK_ADAPTERS: Readonly<Record<string, BankAdapter>> = {
  bridge: {
    open: ({ url }, channel, options) => bridgeBank(url, channel, options),
    check: ({ url }, ...asked) => checkBank(url, ...asked),
    settings: {},
    isByFile: false,
  },
  remessa: {
    open({ name, settings }, _channel, _options, database) {
      const agreement = readAgreement(settings);
      if (typeof agreement === 'string') throw new BankUnfit(agreement);
      return remittanceBank(name, agreement, database);
    },
    async check({ settings }) {
      const agreement = readAgreement(settings);
      if (typeof agreement === 'string') throw new BankUnfit(agreement);
      return null;
    },
    settings: REMITTANCE_SETTINGS,
    isByFile: true,
  },
};

const { notConnected, unknown } = UNSENT;

export const BANK_PORT = guardedPort<Bank, 'name' | 'bankCode' | 'close'>(
  {
    learnCode: (_reason, { bankCode }) => bankCode,
    issue: notConnected,
    cancel: notConnected,
    changeDueDay: notConnected,
    find: unknown,
    changesSince: unknown,
  },
  {
    reason: 'this bank is not open here',
    rest: { name: 'absent', bankCode: '', close: async () => {} },
  },
);
