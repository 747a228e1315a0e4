import { readDecline } from '../../acquirers/issuer-code.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { type Day, type Instant, instant, saoPauloDay } from '../../values/instant.ts';
import type { AlertStatus } from '../alerts/alert.ts';
import type { BillingState, ChargeOutcome } from '../billings/billing.ts';
import type { ChargeClass } from '../billings/billing-after-charge.ts';
import { firstDayFrom } from './day-window.ts';

/** What came of a charge, as the rules look at it. */
export type ChargeFacts = {
  readonly outcome: ChargeClass;
  /** The issuer's; null: approved, or nobody was asked. */
  readonly code: string | null;
  /** In Portuguese, for whoever is told of a failure. */
  readonly meaning: string;
  readonly earliestRetryOn: Day | null;
  readonly isNetworkLimitReached: boolean;
};

export const APPROVED: ChargeFacts = {
  outcome: 'approved',
  code: null,
  meaning: 'Sucesso',
  earliestRetryOn: null,
  isNetworkLimitReached: false,
};

/** Why a charge is not sent at all. */
export type UnsentClass = Extract<
  ChargeClass,
  'neverAgain' | 'limited' | 'cardExpired' | 'cardUnusable' | 'amountOutOfRange'
>;

const UNSENT_MEANINGS: Record<UnsentClass, string> = {
  neverAgain: 'Não enviada: o emissor já recusou este cartão em definitivo',
  limited: 'Não enviada: limite de tentativas da bandeira atingido',
  cardExpired: 'Não enviada: cartão vencido',
  cardUnusable: 'Não enviada: o cartão não está mais no cofre',
  amountOutOfRange: 'Não enviada: valor fora dos limites de uma cobrança',
};

export function factsOfUnsent(outcome: UnsentClass): ChargeFacts {
  const meaning = UNSENT_MEANINGS[outcome];
  return { ...APPROVED, outcome, meaning };
}

const HOUR_MILLISECONDS = 3_600_000;

/**
 * What a no of the issuer means for a billing. A lack of funds with an advice not to come again is as final as any other no.
 * `soldAt`: business time of the charge.
 */
export function factsOfDecline(
  brand: CardBrand,
  responseCode: string,
  adviceCode: string | null,
  soldAt: Instant,
): Omit<ChargeFacts, 'isNetworkLimitReached'> {
  const { declineClass, isRetryable, mayRetryAfterHours, sentence } = readDecline(
    brand,
    responseCode,
    adviceCode,
  );
  return {
    outcome: declineClass === 'funds' && !isRetryable ? 'denied' : declineClass,
    code: responseCode,
    meaning: sentence.pt,
    earliestRetryOn: mayRetryAfterHours === null ? null : dayAfterHours(soldAt, mayRetryAfterHours),
  };
}

function dayAfterHours(from: Instant, hours: number): Day {
  const moment = instant(from + hours * HOUR_MILLISECONDS);
  return firstDayFrom(moment, saoPauloDay(moment));
}

/** As it is kept with the charge. */
export const KEPT_OUTCOMES = {
  approved: 'approved',
  funds: 'funds',
  blocked: 'blocked',
  denied: 'denied',
  technical: 'technical',
  invalid: 'invalid',
  neverAgain: 'blocked',
  limited: 'denied',
  cardExpired: 'invalid',
  cardUnusable: 'invalid',
  amountOutOfRange: 'invalid',
} as const satisfies Record<ChargeClass, ChargeOutcome>;

/** As whoever is told of a failure reads it; null: nothing failed. */
export const ALERT_STATUSES = {
  opened: 'Opened',
  paymentInvalid: 'PaymentInvalid',
  canceled: 'Canceled',
  denied: 'Denied',
  paid: null,
} as const satisfies Record<BillingState, AlertStatus | null>;

/**
 * What became of a charge, as far as it says whether the acquirer is there: null, nothing. Without a connection it is not. An answer that did not come in time is no
 * absence: settling asks for the charge at once, and hears whether anybody answers at all. While nobody does (`isAway`) such a charge
 * was the one that tried, and puts the next try off.
 */
export function isAcquirerThere(
  outcome: 'approved' | 'declined' | 'unknown' | 'notSent' | 'notConnected',
  isAway: boolean,
): boolean | null {
  switch (outcome) {
    case 'approved':
    case 'declined':
      return true;
    case 'unknown':
      return isAway ? false : null;
    case 'notConnected':
      return false;
    case 'notSent':
      return null;
  }
}
