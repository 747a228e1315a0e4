import { ANTI_FRAUD_ADAPTERS } from '../antifraud/open-deciders.ts';
import { ACQUIRER_ADAPTERS } from '../providers/acquirers/open-acquirer.ts';
import { BANK_ADAPTERS } from '../providers/banks/open-bank.ts';
import { credentialsChannel } from '../providers/open-provider-table.ts';
import { PIX_ADAPTERS } from '../providers/pix/open-pix-bank.ts';
import {
  type AdapterSetting,
  adapterOf,
  type CheckAccess,
  type CheckProvider,
  type Provider,
  type ProviderCredentials,
  type ProviderKind,
  termsOf,
} from '../providers/provider.ts';

const CONNECT_MILLISECONDS = 3_000;

type Adapter = {
  readonly check: CheckAccess;
  readonly settings: Readonly<Record<string, AdapterSetting>>;
  /** The provider has no address. */
  readonly isByFile?: boolean;
};

export const ADAPTERS: Readonly<Record<ProviderKind, Readonly<Record<string, Adapter>>>> = {
  acquirer: ACQUIRER_ADAPTERS,
  bank: BANK_ADAPTERS,
  pix: PIX_ADAPTERS,
  antifraud: byAddress(ANTI_FRAUD_ADAPTERS),
};

function byAddress(
  adapters: Readonly<Record<string, { readonly check: CheckProvider }>>,
): Readonly<Record<string, Adapter>> {
  return Object.fromEntries(
    Object.entries(adapters).map(([name, { check }]) => [
      name,
      { check: ({ url }, ...asked) => check(url, ...asked), settings: {} },
    ]),
  );
}

/** Asks a provider who it is. Gives why it cannot be used, in plain words; null: it answers and is fit. */
export async function findProviderFault(
  provider: Pick<Provider, 'kind' | 'name' | 'adapter' | 'url' | 'settings'>,
  environment: 'homologation' | 'production',
  credentials: ProviderCredentials,
): Promise<string | null> {
  const { kind, url, settings } = provider;
  const channel = credentialsChannel(credentials, CONNECT_MILLISECONDS);
  try {
    const access = { url, credentials, settings };
    return await adapterOf(ADAPTERS[kind], provider).check(access, environment, channel, termsOf(provider));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    channel.close();
  }
}
