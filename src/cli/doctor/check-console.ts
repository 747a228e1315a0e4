import type { Configuration } from '../../app/config.ts';
import { IdentityProvider } from '../../console/identities/open-provider.ts';
import { checkChannel } from './check-channel.ts';
import { type Diagnosis, fault, fine, reasonOf } from './diagnosis.ts';

const ISSUER = 'PARCELA_CONSOLE_OIDC_ISSUER';

/** The identity provider of the console, where one is named: its files, the way to it, and its own page. */
export async function checkConsole({
  console: { provider },
}: Pick<Configuration, 'console'>): Promise<Diagnosis[]> {
  if (provider === null) return [];
  const found = await checkChannel({
    name: 'oidc',
    words: 'the identity provider',
    setting: 'PARCELA_CONSOLE_OIDC',
    urlSetting: ISSUER,
    url: provider.issuer,
    files: provider.files,
    check: null,
  });
  if (found.some(({ state }) => state === 'fault')) return found;
  try {
    await new IdentityProvider(provider, { warn: () => {} }).discover();
    return [...found, fine('oidc.fit', 'the identity provider says what people are sent to')];
  } catch (error) {
    return [
      ...found,
      fault('oidc.unfit', reasonOf(error), `name the issuer in ${ISSUER} as the provider writes it`),
    ];
  }
}
