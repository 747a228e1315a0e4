import type { Channel } from '../../../../platform/channels/open-channel.ts';
import { establishmentKeyOf, type ProviderAccess, type ProviderTerms } from '../../../provider.ts';
import { checkPlace } from '../../direct-acquirer.ts';
import { shortReference } from '../../short-reference.ts';
import { CIELO_PRODUCTION, CieloWire } from './cielo-wire.ts';

const TIMEOUT_MILLISECONDS = 10_000;

/** Looks for a payment that nobody made: what is wrong, in plain words; null: nothing. */
export async function checkCielo(
  { url, credentials, settings }: ProviderAccess,
  environment: 'homologation' | 'production',
  channel: Channel,
  terms: ProviderTerms,
): Promise<string | null> {
  checkPlace(url, environment, terms, { origin: CIELO_PRODUCTION, address: CIELO_PRODUCTION });
  const wire = new CieloWire(url, channel, establishmentKeyOf(credentials), settings.queryUrl);
  try {
    const path = `/sales?merchantOrderId=${shortReference('nobody')}`;
    const question = { method: 'GET', path, template: '/sales', body: null } as const;
    const answer = await wire.ask('reading', { merchantId: '' }, question, TIMEOUT_MILLISECONDS);
    if (answer.kind !== 'answer') return answer.reason;
    if (answer.status === 401 || answer.status === 403)
      return `Cielo answered ${answer.status}: it takes no such MerchantId with this MerchantKey`;
    return answer.status === 404 ? null : `Cielo answered ${answer.status} to a look-up`;
  } finally {
    await wire.close();
  }
}
