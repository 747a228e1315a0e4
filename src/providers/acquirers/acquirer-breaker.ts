import type { AuthorizationAnswer } from './acquirer.ts';

/** Of one process and one acquirer, in monotonic milliseconds. */
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
/** By openings in a row. */
export const OPEN_MILLISECONDS: readonly number[] = [10_000, 20_000, 40_000, 60_000];
/** Longer than any charge lasts: a probe that reports nothing blocks no other. */
export const PROBE_MILLISECONDS = 120_000;

/**
 * Only charges that were surely not made are failures. A charge of unknown fate opens nothing: it stays where
 * it is, and a probe that ends so keeps the breaker open.
 */
export function breakerAfter(
  breaker: AcquirerBreaker,
  answer: AuthorizationAnswer['kind'],
  now: number,
): AcquirerBreaker {
  switch (answer) {
    case 'approved':
    case 'preauthorized':
    case 'declined':
      return CLOSED;
    case 'notConnected':
    case 'notMade':
      return afterFailure({ ...breaker, failuresInRow: breaker.failuresInRow + 1 }, now);
    case 'unknown':
      return breaker.probeUntil > now ? opened(breaker, now) : breaker;
    case 'notSent':
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

/** Those of this process, in memory. */
export type AcquirerBreakers = {
  answered(acquirer: string, answer: AuthorizationAnswer['kind']): void;
  /** False lets a charge through, which is the probe if the breaker is open. */
  passesOver(acquirer: string): boolean;
  isOpen(acquirer: string): boolean;
};

export function openAcquirerBreakers(
  now: () => number,
  onChange: (acquirer: string, isOpen: boolean) => void,
): AcquirerBreakers {
  const breakers = new Map<string, AcquirerBreaker>();
  const of = (acquirer: string) => breakers.get(acquirer) ?? CLOSED;
  return {
    answered(acquirer, answer) {
      const [before, after] = [of(acquirer), breakerAfter(of(acquirer), answer, now())];
      breakers.set(acquirer, after);
      if (isOpen(before) !== isOpen(after)) onChange(acquirer, isOpen(after));
    },
    passesOver(acquirer) {
      const breaker = of(acquirer);
      if (isPassedOver(breaker, now())) return true;
      if (isOpen(breaker)) breakers.set(acquirer, probing(breaker, now()));
      return false;
    },
    isOpen: (acquirer) => isOpen(of(acquirer)),
  };
}
