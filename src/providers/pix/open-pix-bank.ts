import type { Channel } from '../../platform/channels/open-channel.ts';
import type { BankNotConnected, BankUnknown } from '../banks/bank.ts';
import { guardedPort } from '../guarded-port.ts';
import { type CheckProvider, NO_OPTIONS, type ProviderOptions } from '../provider.ts';
import { readDialect } from './adapters/standard/dialect.ts';
import { type PixBankOptions, standardPixBank } from './adapters/standard/standard-pix-bank.ts';
import type { PixBank } from './pix-bank.ts';

export { PIX_CONNECT_MILLISECONDS } from './adapters/standard/standard-pix-bank.ts';

const ABOUT_MILLISECONDS = 5_000;

/** What is set for a bank of Pix cannot be used. */
class PixBankUnfit extends Error {
  override readonly name = 'PixBankUnfit';
}

/** The caller closes the bank and the channel. Throws `PixBankUnfit` for options that cannot be. */
export function openPixBank(url: string, channel: Channel, options: ProviderOptions, opened: PixBankOptions) {
  const dialect = readDialect(url, options);
  if (typeof dialect === 'string') throw new PixBankUnfit(dialect);
  return standardPixBank(url, channel, dialect, opened);
}

/** An unreachable bank must not stop other sales: a warning says so. Throws if it refuses our credentials. */
export const checkPixBank: CheckProvider = async (
  url,
  _environment,
  channel,
  terms,
  options = NO_OPTIONS,
) => {
  const bank = openPixBank(url, channel, options, { observe: () => {} });
  try {
    const given = await bank.authenticate(ABOUT_MILLISECONDS);
    if (given.kind === 'token') return null;
    if (given.kind === 'refused')
      throw new PixBankUnfit(`${terms?.url ?? 'PARCELA_PIX_URL'}: ${given.reason}`);
    return `The bank of Pix at ${url} does not answer (${given.reason}); Pix waits until it does.`;
  } finally {
    await bank.close();
  }
};

type PixAdapter = {
  /** The caller closes it and the channel. */
  readonly open: (url: string, channel: Channel, options: ProviderOptions, opened: PixBankOptions) => PixBank;
  readonly check: CheckProvider;
};

/** Of providers that were added. */
export const PIX_ADAPTERS: Readonly<Record<string, PixAdapter>> = {
  standard: { open: openPixBank, check: checkPixBank },
};

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

/** What is unknown is asked again later. */
export const PIX_PORT = guardedPort<PixBank, 'name' | 'close'>(
  {
    issue: notConnected,
    find: unknown,
    remove: notConnected,
    refund: notConnected,
    settleRefund: notConnected,
    receivedSince: unknown,
  },
  { reason: 'this bank of Pix is not open here', rest: { name: 'absent', close: async () => {} } },
);
