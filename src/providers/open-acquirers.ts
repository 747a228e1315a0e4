import { type Gate, whyHeld } from '../platform/gate.ts';
import type { ObserveCallsOf } from '../platform/process-reports/peer-calls.ts';
import type { Acquirer, AcquirerCapabilities } from './acquirers/acquirer.ts';
import {
  ACQUIRER_ADAPTERS,
  ACQUIRER_CONNECT_MILLISECONDS,
  ACQUIRER_PORT,
} from './acquirers/open-acquirer.ts';
import type { ProviderSet, ProviderTable } from './open-provider-table.ts';
import { adapterOf } from './provider.ts';
import type { RoutedSale } from './provider-rule.ts';

export type Acquirers = ProviderSet<Acquirer>;

const ABOUT_MILLISECONDS = 3_000;

type AcquirersContext = {
  readonly environment: 'homologation' | 'production';
  readonly gate: Gate;
  /** The acquirer of the settings, behind the gate; null if they name none. */
  readonly byDefault: Acquirer | null;
  readonly observe: ObserveCallsOf;
};

/** Opens the acquirers of the table. In production none that may be a simulator is asked. */
export function openAcquirers(
  table: ProviderTable,
  { environment, gate, byDefault, observe }: AcquirersContext,
): Promise<Acquirers> {
  return table.setOf('acquirer', {
    byDefault,
    absent: ACQUIRER_PORT.absent,
    connectTimeoutMilliseconds: ACQUIRER_CONNECT_MILLISECONDS,
    open(provider, channel, credentials) {
      const { url, settings } = provider;
      const access = { url, credentials, settings };
      const acquirer = adapterOf(ACQUIRER_ADAPTERS, provider).open(access, channel, observe(provider.name));
      void acquirer.readCapabilities(ABOUT_MILLISECONDS);
      const whyNot = () =>
        whyHeld(gate) ?? whyMisplaced(environment, provider.adapter !== BRIDGE, acquirer.isReal());
      const limited = ACQUIRER_PORT.timed(acquirer, provider.timeoutMilliseconds);
      const port = ACQUIRER_PORT.gated(limited, whyNot);
      return { port, close: () => acquirer.close() };
    },
  });
}

const BRIDGE = 'bridge';

/** A bridge may be to a real acquirer's tests; a real address of an adapter charges real cards. */
function whyMisplaced(
  environment: 'homologation' | 'production',
  isAddress: boolean,
  isReal: boolean,
): string | null {
  if (environment === 'production' && !isReal) return 'the acquirer has not said that it is no simulator';
  return environment === 'homologation' && isAddress && isReal
    ? 'it charges real cards, which only production may do'
    : null;
}

type SaleCapabilities = Pick<
  AcquirerCapabilities,
  'brands' | 'largestInstallments' | 'captureLater' | 'threeDSecure'
>;

/** What a sale asks for beside its amount. */
export type SaleNeeds = { readonly isCapturedLater: boolean; readonly isAuthenticated: boolean };

const CHARGED_PLAINLY: SaleNeeds = { isCapturedLater: false, isAuthenticated: false };

export function takesSale(
  { brand, installmentCount }: RoutedSale,
  { isCapturedLater, isAuthenticated }: SaleNeeds = CHARGED_PLAINLY,
) {
  return ({ traits, capabilities }: Pick<Acquirer, 'capabilities' | 'traits'>): boolean => {
    const { brands, largestInstallments, captureLater, threeDSecure } = capabilities();
    if (isAuthenticated && !threeDSecure) return false;
    const takesBrand = brand === null || brands.includes(brand);
    const isHeld = captureLater && (brand === null || traits.heldBrands.includes(brand));
    return takesBrand && installmentCount <= largestInstallments && (isHeld || !isCapturedLater);
  };
}

/** What at least one enabled acquirer can do. */
export function widestCapabilities(acquirers: Pick<Acquirers, 'enabled' | 'of'>): SaleCapabilities {
  const all = acquirers.enabled().map((name) => acquirers.of(name).capabilities());
  return {
    brands: all.flatMap(({ brands }) => brands),
    largestInstallments: Math.max(1, ...all.map(({ largestInstallments }) => largestInstallments)),
    captureLater: all.some(({ captureLater }) => captureLater),
    threeDSecure: all.some(({ threeDSecure }) => threeDSecure),
  };
}

/** The names of the acquirers where a charge has one undecided cancel at most. */
export function oneByOne(acquirers: Pick<Acquirers, 'all' | 'of'>): readonly string[] {
  return acquirers.all().filter((name) => !acquirers.of(name).traits.knowsCancels);
}

/** For how many days after a sale an acquirer finds it that must find it to give it back, by name. */
export function findableDays(acquirers: Pick<Acquirers, 'all' | 'of'>): Readonly<Record<string, number>> {
  const days = oneByOne(acquirers).flatMap((name) => {
    const { lookUpDays } = acquirers.of(name).capabilities();
    return lookUpDays === null ? [] : [[name, lookUpDays] as const];
  });
  return Object.fromEntries(days);
}

/** The names of the acquirers without partial cancel. */
export function wholeOnly(acquirers: Pick<Acquirers, 'all' | 'of'>): readonly string[] {
  return acquirers.all().filter((name) => !acquirers.of(name).capabilities().partialCancel);
}
