import { fieldsOf } from '../../../../platform/channels/answer-fields.ts';
import type { Channel } from '../../../../platform/channels/open-channel.ts';
import { establishmentKeyOf, type ProviderAccess, type ProviderTerms } from '../../../provider.ts';
import { checkPlace } from '../../direct-acquirer.ts';
import { shortReference } from '../../short-reference.ts';
import { codeOf } from './rede-answers.ts';
import { REDE_UNKNOWN } from './rede-codes.ts';
import { REDE_PRODUCTION, RedeWire } from './rede-wire.ts';

const TIMEOUT_MILLISECONDS = 10_000;

/** Gets a token, and looks for a charge that nobody made: what is wrong, in plain words; null: nothing. */
export async function checkRede(
  { url, credentials, settings }: ProviderAccess,
  environment: 'homologation' | 'production',
  channel: Channel,
  terms: ProviderTerms,
): Promise<string | null> {
  checkPlace(url, environment, terms, { origin: REDE_PRODUCTION, address: `${REDE_PRODUCTION}/erede` });
  const wire = new RedeWire(url, channel, establishmentKeyOf(credentials), settings.tokenUrl);
  try {
    const path = `?reference=${shortReference('nobody')}`;
    const question = { method: 'GET', path, template: '', body: null } as const;
    const answer = await wire.ask('resolving', { merchantId: '' }, question, TIMEOUT_MILLISECONDS);
    if (answer.kind !== 'answer') return answer.reason;
    const code = codeOf(fieldsOf(answer.body).returnCode);
    const isFit = answer.status === 404 || (code !== null && REDE_UNKNOWN.includes(code));
    return isFit
      ? null
      : `Rede answered ${answer.status}${code === null ? '' : ` with ${code}`} to a look-up`;
  } finally {
    await wire.close();
  }
}
