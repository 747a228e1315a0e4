import type { OpenedCardSource } from '../../../cards/open-card-source.ts';
import type { Fingerprint } from '../../../keys/open-keyring.ts';
import { counter } from '../../../platform/metrics.ts';
import type { ModuleContext } from '../../../platform/module.ts';
import { batchReads, type Looked } from '../../../platform/postgres/batched-reads.ts';
import type { CardBrand } from '../../../values/card-number.ts';
import type { Cents } from '../../../values/cents.ts';
import { type Instant, instant } from '../../../values/instant.ts';
import { type DeclinesKey, declinesRead, type StoredCardKey, storedDeclinesRead } from './declines.sql.ts';
import {
  hasSaidNeverAgain,
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
  /** In homologation one card is used all day to test declines, and must not be locked for a month. */
  readonly limitsTrialCardsOnly: boolean;
  readonly findDeclines: (key: DeclinesKey) => Promise<Looked<readonly PastDecline[]>>;
  /** Includes declines of any age. */
  readonly findStoredDeclines: (key: StoredCardKey) => Promise<Looked<readonly PastDecline[]>>;
  /** Called for every try beyond a limit, refused or only observed. Feeds metrics and log. */
  readonly observeLimit: (
    merchantId: string,
    brand: string,
    cause: LimitCause,
    outcome: 'refused' | 'observed',
  ) => void;
};

/** `soldAt` is business time. */
export type IntendedCharge = {
  readonly merchantId: string;
  readonly amount: Cents;
  readonly soldAt: Instant;
  readonly opened: Pick<OpenedCardSource, 'card' | 'trace' | 'fingerprints'>;
};

/**
 * Returns null if the charge breaks no limit of its network. Only reads, so that a refused charge uses up
 * neither card token nor anti-fraud code. Concurrent charges have no outcome yet and are not counted. Throws
 * the errors of the database.
 */
export async function checkNetworkLimits(
  tools: LimitTools,
  { merchantId, amount, soldAt, opened }: IntendedCharge,
): Promise<NetworkRefusal | null> {
  const { limitMode, limitsTrialCardsOnly } = tools;
  if (limitMode === 'off' || (limitsTrialCardsOnly && !isTrialCard(opened.card.number))) return null;
  const declines = await declinesOf(tools, merchantId, opened.fingerprints, soldAt);
  return enforced(
    tools,
    merchantId,
    opened.trace.brand,
    networkRefusal(opened.trace.brand, amount, soldAt, declines),
  );
}

/**
 * Looks under every fingerprint of the card, because declines from before a key rotation have another one.
 * Lookups begun together share a statement.
 */
async function declinesOf(
  { findDeclines }: LimitTools,
  merchantId: string,
  fingerprints: readonly Fingerprint[],
  now: Instant,
  windowMilliseconds = LONGEST_WINDOW_MILLISECONDS,
): Promise<PastDecline[]> {
  const since = instant(Math.max(0, now - windowMilliseconds));
  const found = await Promise.all(
    fingerprints.map(({ print }) => findDeclines({ merchantId, print, since })),
  );
  return found.flatMap(({ value }) => value ?? []);
}

/** Returns the refusal if limits are enforced. Null: there is none, or the operator only observes. */
function enforced(
  { limitMode, observeLimit }: LimitTools,
  merchantId: string,
  brand: CardBrand,
  refusal: NetworkRefusal | null,
): NetworkRefusal | null {
  if (refusal === null) return null;
  const isRefused = limitMode === 'enforce';
  observeLimit(merchantId, brand, refusal.cause, isRefused ? 'refused' : 'observed');
  return isRefused ? refusal : null;
}

export type MerchantInitiatedCharge = {
  readonly merchantId: string;
  readonly vaultId: string;
  readonly amount: Cents;
  readonly opened: Pick<OpenedCardSource, 'card' | 'trace' | 'fingerprints'>;
};

/**
 * A final decline is enforced in every mode, because no buyer is present to try something else, and for ever:
 * networks forget after thirty days, but a canceled card stays canceled. So declines are looked up by the
 * stored card, which no key rotation changes, and by the number's fingerprints, because the number may be
 * stored twice. In homologation this applies to trial cards only.
 */
export async function checkMerchantInitiatedCharge(
  tools: LimitTools,
  { merchantId, vaultId, amount, opened }: MerchantInitiatedCharge,
  now: Instant,
): Promise<NetworkRefusal | null> {
  if (tools.limitsTrialCardsOnly && !isTrialCard(opened.card.number)) return null;
  const [own, declines] = await Promise.all([
    tools.findStoredDeclines({ merchantId, vaultId }),
    declinesOf(tools, merchantId, opened.fingerprints, now, Number.POSITIVE_INFINITY),
  ]);
  const { brand } = opened.trace;
  if (hasSaidNeverAgain(amount, [...(own.value ?? []), ...declines])) {
    tools.observeLimit(merchantId, brand, 'neverAgain', 'refused');
    return { cause: 'neverAgain', mayRetryAt: null };
  }
  if (tools.limitMode === 'off') return null;
  return enforced(tools, merchantId, brand, networkRefusal(brand, amount, now, declines));
}

/**
 * Whether a merchant-initiated charge at `retryAt` would exceed the network's number of tries; false where
 * limits are not enforced. `last`: the newest decline, which may not be recorded yet.
 */
export async function isNumberReached(
  tools: LimitTools,
  { merchantId, amount, opened }: MerchantInitiatedCharge,
  last: PastDecline,
  retryAt: Instant,
): Promise<boolean> {
  const isFree = tools.limitsTrialCardsOnly && !isTrialCard(opened.card.number);
  if (isFree || tools.limitMode !== 'enforce') return false;
  const before = await declinesOf(tools, merchantId, opened.fingerprints, last.soldAt);
  const others = before.filter(({ soldAt }) => soldAt < last.soldAt);
  return networkRefusal(opened.trace.brand, amount, retryAt, [...others, last])?.cause === 'tooManyTries';
}

const TRIES_BEYOND_LIMITS = counter(
  'parcela_tries_beyond_limits_total',
  'Tries of cards that their network would fine or forbid: refused before they were sent, or only observed.',
  ['outcome', 'brand', 'cause'],
);

type LimitsContext = Pick<ModuleContext, 'database' | 'log' | 'metrics'> & {
  readonly configuration: ModuleContext['configuration'] & { readonly networkLimits: LimitMode };
};

export function openNetworkLimits({ configuration, database, log, metrics }: LimitsContext): LimitTools {
  const tries = metrics.counter(TRIES_BEYOND_LIMITS);
  return {
    limitMode: configuration.networkLimits,
    limitsTrialCardsOnly: configuration.environment === 'homologation',
    findDeclines: batchReads(declinesRead(database)),
    findStoredDeclines: batchReads(storedDeclinesRead(database)),
    observeLimit: (merchantId, brand, cause, outcome) => {
      tries.inc({ outcome, brand, cause });
      log.info({ merchantId, brand, cause, outcome }, 'a card was tried beyond a limit of its network');
    },
  };
}
