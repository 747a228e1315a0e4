import { checkProvider } from '../antifraud/open-deciders.ts';
import { checkAcquirer } from '../providers/acquirers/open-acquirer.ts';
import { openBank } from '../providers/banks/open-bank.ts';
import { credentialsChannel } from '../providers/open-provider-table.ts';
import type { Provider, ProviderCredentials } from '../providers/provider.ts';

const CONNECT_MILLISECONDS = 3_000;

/** Asks a provider who it is. Why it cannot be used, in plain words; null: it answers, and is fit. */
export async function findProviderFault(
  { kind, url }: Pick<Provider, 'kind' | 'url'>,
  environment: 'homologation' | 'production',
  credentials: ProviderCredentials,
): Promise<string | null> {
  const channel = credentialsChannel(credentials, CONNECT_MILLISECONDS);
  try {
    switch (kind) {
      case 'acquirer':
        return (await checkAcquirer(url, environment, channel)).warning;
      case 'bank': {
        const isRealOnly = environment === 'production';
        const { bank, warning } = await openBank(url, channel, { isRealOnly, observe: () => {} });
        await bank.close();
        return warning;
      }
      case 'antifraud':
        return await checkProvider({ url }, environment, channel);
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    channel.close();
  }
}
