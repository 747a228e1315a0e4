import type { Channel } from '../../../../platform/channels/open-channel.ts';
import { type AdapterSetting, establishmentKeyOf, type ProviderAccess } from '../../../provider.ts';
import type { Acquirer } from '../../acquirer.ts';
import { ADAPTER_SETTINGS, booksLateBy, referencesBy } from '../../adapter-settings.ts';
import { type CallObserver, openObservedAcquirer } from '../../open-observed-acquirer.ts';
import { checkRede } from './check-rede.ts';
import { redeAcquirer } from './rede.ts';
import { REDE_PRODUCTION, RedeWire } from './rede-wire.ts';

/** Clients of Rede wait for up to a minute. */
const LATE = { horizonSeconds: 90, apartSeconds: 30, silenceSeconds: 120 };

const SETTINGS: Readonly<Record<string, AdapterSetting>> = {
  ...ADAPTER_SETTINGS,
  tokenUrl: {
    description:
      "where Rede gives tokens; default: as for Rede's own hosts, otherwise /oauth2/token beside --url",
    accepts: (value) => URL.canParse(value),
  },
};

function openRede(
  { url, credentials, settings }: ProviderAccess,
  channel: Channel,
  observe: CallObserver,
): Acquirer & { readonly isReal: () => boolean } {
  const wire = new RedeWire(url, channel, establishmentKeyOf(credentials), settings.tokenUrl);
  const acquirer = redeAcquirer(wire, {
    isTwoSteps: settings.capture === 'twoSteps',
    softDescriptor: settings.softDescriptor ?? null,
    ...referencesBy(settings),
    ...booksLateBy(settings, LATE),
  });
  const isReal = new URL(url).origin === REDE_PRODUCTION;
  return openObservedAcquirer({ ...acquirer, isReal: () => isReal }, observe);
}

export const REDE_ADAPTER = { open: openRede, check: checkRede, settings: SETTINGS };
