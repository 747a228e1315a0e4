import type { OpenedCarrier } from '../../cards/open-carrier.ts';
import type { Looked } from '../../platform/postgres/gathered-reads.ts';
import type { Cents } from '../../values/cents.ts';
import { type Instant, instant } from '../../values/instant.ts';
import type { DeclinesKey } from './declines.sql.ts';
import {
  isTrialCard,
  type LimitCause,
  type LimitMode,
  LONGEST_WINDOW_MILLISECONDS,
  type NetworkRefusal,
  networkRefusal,
  type PastDecline,
} from './network-limits.ts';

export type LimitTools = {
  readonly limitMode: LimitMode;
  /** Homologation: whoever tries out declines uses one card all day, and must not be locked out for a month. */
  readonly limitsTrialCardsOnly: boolean;
  readonly findDeclines: (key: DeclinesKey) => Promise<Looked<readonly PastDecline[]>>;
  /** Hears of every try beyond a limit, whether it was refused or only observed: for metrics and the log. */
  readonly observeLimit: (
    merchantId: string,
    brand: string,
    cause: LimitCause,
    outcome: 'refused' | 'observed',
  ) => void;
};

/** A card that is to be charged, and when: business time. */
export type IntendedCharge = {
  readonly merchantId: string;
  readonly amount: Cents;
  readonly soldAt: Instant;
  readonly opened: Pick<OpenedCarrier, 'card' | 'trace' | 'fingerprints'>;
};

/**
 * Whether the charge would break a limit of its network; null when it may be sent. It reads and writes nothing, so what
 * is refused costs the merchant neither card token nor code. Charges that are under way at the same moment have no
 * outcome yet and are not counted. Throws the errors of the database, as every look-up does.
 */
export async function checkNetworkLimits(
  tools: LimitTools,
  { merchantId, amount, soldAt, opened }: IntendedCharge,
): Promise<NetworkRefusal | null> {
  const { limitMode, limitsTrialCardsOnly } = tools;
  if (limitMode === 'off' || (limitsTrialCardsOnly && !isTrialCard(opened.card.number))) return null;
  const since = instant(soldAt - LONGEST_WINDOW_MILLISECONDS);
  // A card that was declined before a rotation of keys has its declines under another print. Asked in one turn, they go
  // in one statement.
  const found = await Promise.all(
    opened.fingerprints.map(({ print }) => tools.findDeclines({ merchantId, print, since })),
  );
  const declines = found.flatMap(({ value }) => value ?? []);
  const { brand } = opened.trace;
  const refusal = networkRefusal(brand, amount, soldAt, declines);
  if (refusal === null) return null;
  const isRefused = limitMode === 'enforce';
  tools.observeLimit(merchantId, brand, refusal.cause, isRefused ? 'refused' : 'observed');
  return isRefused ? refusal : null;
}
