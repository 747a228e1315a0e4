import { isSoftDescriptor } from '../../values/soft-descriptor.ts';
import type { AdapterSetting, ProviderSettings } from '../provider.ts';
import type { AcquirerTraits } from './acquirer.ts';
import { LINK_WAYS } from './network-reference.ts';

const isSecondsUpTo =
  (most: number) =>
  (value: string): boolean =>
    /^\d{1,6}$/.test(value) && Number(value) <= most;
const isSeconds = isSecondsUpTo(86_400);

/** Settings of every adapter that speaks to an acquirer itself. */
export const ADAPTER_SETTINGS: Readonly<Record<string, AdapterSetting>> = {
  capture: {
    description: 'atOnce (one call charges) or twoSteps (it is authorized, then captured)',
    accepts: (value) => value === 'atOnce' || value === 'twoSteps',
  },
  softDescriptor: {
    description: 'up to 13 letters, digits, blanks and .*-, where neither payment nor merchant names one',
    accepts: isSoftDescriptor,
  },
  networkId: {
    description: "first or latest: which of a stored card's network ids is sent",
    accepts: (value) => value === 'first' || value === 'latest',
  },
  link: {
    description: "how Mastercard's link (TLID) is sent: beside the network id, instead of it, or none",
    accepts: (value) => LINK_WAYS.some((way) => way === value),
  },
  horizonSeconds: {
    description: 'seconds after a lost request until it surely is not booked any more, 0 to 86400',
    accepts: isSeconds,
  },
  silenceSeconds: {
    description:
      'seconds after a cancel without an answer until it surely is not booked any more, 0 to 864000',
    accepts: isSecondsUpTo(864_000),
  },
  apartSeconds: {
    description: 'seconds between two look-ups that both find nothing live, 0 to 86400',
    accepts: isSeconds,
  },
};

/** What of a stored card's earlier uses is sent with a later charge. */
export function referencesBy({
  networkId,
  link,
}: ProviderSettings): Pick<AcquirerTraits, 'networkId' | 'link'> {
  return {
    networkId: networkId === 'latest' ? 'latest' : 'first',
    link: LINK_WAYS.find((way) => way === link) ?? 'beside',
  };
}

export type Late = {
  readonly horizonSeconds: number;
  readonly apartSeconds: number;
  readonly silenceSeconds: number;
};

export function booksLateBy(
  settings: ProviderSettings,
  { horizonSeconds, apartSeconds, silenceSeconds }: Late,
): { readonly horizon: number; readonly apart: number; readonly silence: number } {
  return {
    horizon: Number(settings.horizonSeconds ?? horizonSeconds) * 1_000,
    apart: Number(settings.apartSeconds ?? apartSeconds) * 1_000,
    silence: Number(settings.silenceSeconds ?? silenceSeconds) * 1_000,
  };
}
