import { type Channel, plainChannel } from '../../platform/channels/open-channel.ts';
import { UNSENT } from '../banks/bank.ts';
import { guardedPort } from '../guarded-port.ts';
import type { AdapterSetting, CheckAccess, ProviderAccess } from '../provider.ts';
import { PIX_SETTINGS, readDialect } from './adapters/standard/dialect.ts';
import {
  type RegisteredWebhook,
  registerWebhook,
  scopedForWebhooks,
} from './adapters/standard/register-webhook.ts';
import { StandardClient } from './adapters/standard/standard-client.ts';
import {
  PIX_CONNECT_MILLISECONDS,
  type PixBankOptions,
  standardPixBank,
} from './adapters/standard/standard-pix-bank.ts';
import type { PixBank } from './pix-bank.ts';

export { PIX_CONNECT_MILLISECONDS };

const ABOUT_MILLISECONDS = 5_000;
const REGISTER_MILLISECONDS = 15_000;

/** What is set for a bank of Pix cannot be used. */
class PixBankUnfit extends Error {
  override readonly name = 'PixBankUnfit';
}

type PixAccess = Omit<ProviderAccess, 'credentials'>;

/** The caller closes the bank and the channel. Throws `PixBankUnfit` for settings that cannot be. */
export function openPixBank({ url, settings }: PixAccess, channel: Channel, opened: PixBankOptions) {
  const dialect = readDialect(url, settings);
  if (typeof dialect === 'string') throw new PixBankUnfit(dialect);
  return standardPixBank(url, channel, dialect, opened);
}

/** What the simulated bank takes from a client that it sees for the first time. */
const SIMULATED = { token: 'parcela:homologation', settings: { key: 'pix@parcela.example' } };

/** `url` is that of the program. The caller closes the bank. */
export function openSimulatedPixBank({ url, settings }: PixAccess, opened: PixBankOptions) {
  const channel = { ...plainChannel(PIX_CONNECT_MILLISECONDS), token: () => SIMULATED.token };
  const access = { url: `${url}/api/v2`, settings: { ...settings, ...SIMULATED.settings } };
  return openPixBank(access, channel, opened);
}

/** An unreachable bank must not stop other sales: a warning says so. Throws if it refuses our credentials. */
async function checkPixBank(access: PixAccess, channel: Channel, urlTerm: string): Promise<string | null> {
  const bank = openPixBank(access, channel, { observe: () => {} });
  try {
    const given = await bank.authenticate(ABOUT_MILLISECONDS);
    if (given.kind === 'token') return null;
    if (given.kind === 'refused') throw new PixBankUnfit(`${urlTerm}: ${given.reason}`);
    return `The bank of Pix at ${access.url} does not answer (${given.reason}); Pix waits until it does.`;
  } finally {
    await bank.close();
  }
}

/** Tells the bank where changes are to be told. The caller closes the channel. Throws as `openPixBank`. */
export async function registerPixWebhook(
  { url, settings }: PixAccess,
  channel: Channel,
  webhookUrl: string,
): Promise<RegisteredWebhook[]> {
  const dialect = readDialect(url, settings);
  if (typeof dialect === 'string') throw new PixBankUnfit(dialect);
  const scoped = scopedForWebhooks(dialect);
  const client = new StandardClient(url, channel, scoped, () => ({}));
  try {
    return await registerWebhook(client, scoped, webhookUrl, REGISTER_MILLISECONDS);
  } finally {
    await client.close();
  }
}

type PixAdapter = {
  /** The caller closes it and the channel. */
  readonly open: (access: PixAccess, channel: Channel, opened: PixBankOptions) => PixBank;
  readonly check: CheckAccess;
  readonly settings: Readonly<Record<string, AdapterSetting>>;
};

/** Of providers that were added. */
export const PIX_ADAPTERS: Readonly<Record<string, PixAdapter>> = {
  standard: {
    open: openPixBank,
    check: (access, _environment, channel, terms) => checkPixBank(access, channel, terms.url),
    settings: PIX_SETTINGS,
  },
};

const { notConnected, unknown } = UNSENT;

export const PIX_PORT = guardedPort<PixBank, 'name' | 'recurring' | 'close'>(
  {
    issue: notConnected,
    find: unknown,
    remove: notConnected,
    refund: notConnected,
    findRefund: unknown,
    receivedSince: unknown,
    returnedSince: unknown,
    listCharges: unknown,
    listReturned: unknown,
    authorize: notConnected,
    findAuthorization: unknown,
    endAuthorization: notConnected,
    findFirstCharge: unknown,
    endFirstCharge: notConnected,
    collect: notConnected,
    findCollection: unknown,
    endCollection: notConnected,
  },
  {
    reason: 'this bank of Pix is not open here',
    rest: { name: 'absent', recurring: null, close: async () => {} },
  },
);
