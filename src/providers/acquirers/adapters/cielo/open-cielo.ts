import type { Channel } from '../../../../platform/channels/open-channel.ts';
import { type AdapterSetting, establishmentKeyOf, type ProviderAccess } from '../../../provider.ts';
import type { Acquirer } from '../../acquirer.ts';
import { ADAPTER_SETTINGS } from '../../adapter-settings.ts';
import { directSettings } from '../../direct-acquirer.ts';
import { type CallObserver, openObservedAcquirer } from '../../open-observed-acquirer.ts';
import { checkCielo } from './check-cielo.ts';
import { cieloAcquirer } from './cielo.ts';
import { CIELO_PRODUCTION, CieloWire } from './cielo-wire.ts';
import { VoidPauses } from './void-pauses.ts';

/**
 * Cielo asks the issuer itself after five minutes. A cancel that it accepts it does the day after, shows it
 * only then, and takes a repetition as another one.
 */
const USUAL = { isTwoSteps: true, horizonSeconds: 420, apartSeconds: 180, silenceSeconds: 5 * 86_400 };
const VOID_PAUSE_MILLISECONDS = 5_000;

const SETTINGS: Readonly<Record<string, AdapterSetting>> = {
  ...ADAPTER_SETTINGS,
  queryUrl: {
    description: "where payments are looked up; default: as for Cielo's own hosts, otherwise --url",
    accepts: (value) => URL.canParse(value),
  },
};

function openCielo(
  { url, credentials, settings }: ProviderAccess,
  channel: Channel,
  observe: CallObserver,
): Acquirer & { readonly isReal: () => boolean } {
  const wire = new CieloWire(url, channel, establishmentKeyOf(credentials), settings.queryUrl);
  const acquirer = cieloAcquirer(
    wire,
    new VoidPauses(VOID_PAUSE_MILLISECONDS),
    directSettings(settings, USUAL),
  );
  const isReal = new URL(url).origin === CIELO_PRODUCTION;
  return openObservedAcquirer({ ...acquirer, isReal: () => isReal }, observe);
}

export const CIELO_ADAPTER = { open: openCielo, check: checkCielo, settings: SETTINGS };
