import type { AuthorizationAnswer } from './acquirer.ts';

/** Of one process, in monotonic milliseconds. */
export type AcquirerBreaker = {
  readonly failuresInRow: number;
  /** 0 while it is closed. */
  readonly openings: number;
  readonly openUntil: number;
  /** Until when the answer of a probe is awaited; no other is let through before. */
  readonly probeUntil: number;
};

export const CLOSED: AcquirerBreaker = { failuresInRow: 0, openings: 0, openUntil: 0, probeUntil: 0 };

export const FAILURES_UNTIL_OPEN = 5;
/** How long it stays open, by the number of openings in a row. */
export const OPEN_MILLISECONDS: readonly number[] = [10_000, 20_000, 40_000, 60_000];
/** Longer than any charge lasts: a probe that reports nothing blocks no other. */
export const PROBE_MILLISECONDS = 120_000;

/** `unclear`: a charge of unknown fate. It opens nothing, and a probe that ends so keeps the breaker open. */
export type BreakerSign = 'works' | 'fails' | 'unclear' | 'untried';

/** What an answer says of the connection to an acquirer, which all merchants share. */
const OF_CONNECTION: Readonly<Record<AuthorizationAnswer['kind'], BreakerSign>> = {
  approved: 'works',
  preauthorized: 'works',
  declined: 'works',
  notMade: 'works',
  notConnected: 'fails',
  unknown: 'unclear',
  notSent: 'untried',
};

/** What it says of the requests of one merchant, whose contract and keys the acquirer may refuse. */
const OF_MERCHANT: Readonly<Record<AuthorizationAnswer['kind'], BreakerSign>> = {
  ...OF_CONNECTION,
  notMade: 'fails',
  notConnected: 'untried',
};

export function breakerAfter(breaker: AcquirerBreaker, sign: BreakerSign, now: number): AcquirerBreaker {
  switch (sign) {
    case 'works':
      return CLOSED;
    case 'fails':
      return afterFailure({ ...breaker, failuresInRow: breaker.failuresInRow + 1 }, now);
    case 'unclear':
      return breaker.probeUntil > now ? opened(breaker, now) : breaker;
    case 'untried':
      return { ...breaker, probeUntil: 0 };
  }
}

function afterFailure(breaker: AcquirerBreaker, now: number): AcquirerBreaker {
  const isOpen = breaker.openings > 0;
  // Charges that were under way when it opened count for nothing more.
  if (isOpen && now < breaker.openUntil) return breaker;
  return isOpen || breaker.failuresInRow >= FAILURES_UNTIL_OPEN ? opened(breaker, now) : breaker;
}

function opened(breaker: AcquirerBreaker, now: number): AcquirerBreaker {
  const pause = OPEN_MILLISECONDS[Math.min(breaker.openings, OPEN_MILLISECONDS.length - 1)] as number;
  return { ...breaker, openings: breaker.openings + 1, openUntil: now + pause, probeUntil: 0 };
}

export function isOpen({ openings }: AcquirerBreaker): boolean {
  return openings > 0;
}

/** Whether a payment that can go elsewhere passes the acquirer over. Otherwise `probing` records a probe. */
export function isPassedOver(breaker: AcquirerBreaker, now: number): boolean {
  return isOpen(breaker) && (now < breaker.openUntil || now < breaker.probeUntil);
}

export function probing(breaker: AcquirerBreaker, now: number): AcquirerBreaker {
  return isOpen(breaker) ? { ...breaker, probeUntil: now + PROBE_MILLISECONDS } : breaker;
}

/**
 * Those of this process, in memory: one of each acquirer, for failures of connection, and one of each
 * merchant there whose requests it refuses. Closed ones are not kept.
 */
export type AcquirerBreakers = {
  answered(charge: ChargedAt, answer: AuthorizationAnswer['kind']): void;
  /** False lets a charge through, which is the probe if a breaker is open. */
  passesOver(charge: ChargedAt): boolean;
  isOpen(charge: ChargedAt): boolean;
};

export type ChargedAt = { readonly acquirer: string; readonly merchantId: string };

/** `merchantId`: whose; null: of all. */
export type BreakerChange = {
  readonly acquirer: string;
  readonly merchantId: string | null;
  readonly isOpen: boolean;
};

export function openAcquirerBreakers(
  now: () => number,
  onChange: (change: BreakerChange) => void,
): AcquirerBreakers {
  const breakers = new Map<string, AcquirerBreaker>();
  const of = (key: string) => breakers.get(key) ?? CLOSED;
  const keysOf = ({ acquirer, merchantId }: ChargedAt) => [acquirer, `${acquirer} ${merchantId}`] as const;
  function keep(key: string, breaker: AcquirerBreaker): void {
    if (breaker.failuresInRow === 0) breakers.delete(key);
    else breakers.set(key, breaker);
  }
  function note(key: string, sign: BreakerSign, change: Omit<BreakerChange, 'isOpen'>): void {
    const before = of(key);
    const after = breakerAfter(before, sign, now());
    keep(key, after);
    if (isOpen(before) !== isOpen(after)) onChange({ ...change, isOpen: isOpen(after) });
  }
  return {
    answered(charge, answer) {
      const { acquirer, merchantId } = charge;
      const [ofAll, ofOne] = keysOf(charge);
      note(ofAll, OF_CONNECTION[answer], { acquirer, merchantId: null });
      note(ofOne, OF_MERCHANT[answer], { acquirer, merchantId });
    },
    passesOver(charge) {
      const keys = keysOf(charge);
      if (keys.some((key) => isPassedOver(of(key), now()))) return true;
      for (const key of keys) if (isOpen(of(key))) keep(key, probing(of(key), now()));
      return false;
    },
    isOpen: (charge) => keysOf(charge).some((key) => isOpen(of(key))),
  };
}
