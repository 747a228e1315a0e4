import type { PixPeriod } from '../../providers/pix/recurring-pix.ts';
import {
  addDays,
  type Day,
  type Instant,
  instant,
  saoPauloDay,
  startOfSaoPauloDay,
} from '../../values/instant.ts';
import { laterOf, pixDueDayAfter } from '../plans/pix-schedule.ts';
import type { PlanType, Terms } from '../plans/plan.ts';

/**
 * `asking`: the bank has not answered yet. `ending`: the subscription is over, and the bank is being told.
 */
export const AUTHORIZATION_STATES = ['asking', 'waiting', 'approved', 'ending', 'ended'] as const;
export type AuthorizationState = (typeof AUTHORIZATION_STATES)[number];

/** null: the event cannot happen. `appear`: the bank made the authorization after its subscription ended. */
export const AUTHORIZATION_MOVES = {
  asking: { make: 'waiting', approve: null, end: null, appear: null },
  waiting: { make: null, approve: 'approved', end: null, appear: null },
  approved: { make: null, approve: null, end: null, appear: null },
  ending: { make: null, approve: null, end: 'ended', appear: 'ending' },
  ended: { make: null, approve: null, end: null, appear: 'ending' },
} as const satisfies Record<
  AuthorizationState,
  Record<'make' | 'approve' | 'end' | 'appear', AuthorizationState | null>
>;

/** `open`: the bank decides, or has not answered. `voided`: nothing was charged, and nothing will be. */
export const COLLECTION_STATES = ['open', 'paid', 'failed', 'denied', 'invalid', 'voided'] as const;
export type CollectionState = (typeof COLLECTION_STATES)[number];

/** null: the event cannot happen in that state. */
export const COLLECTION_MOVES = {
  open: { pay: 'paid', fail: 'failed', deny: 'denied', invalidate: 'invalid', void: 'voided' },
  paid: { pay: null, fail: null, deny: null, invalidate: null, void: null },
  failed: { pay: null, fail: null, deny: null, invalidate: null, void: null },
  denied: { pay: null, fail: null, deny: null, invalidate: null, void: null },
  invalid: { pay: null, fail: null, deny: null, invalidate: null, void: null },
  voided: { pay: null, fail: null, deny: null, invalidate: null, void: null },
} as const satisfies Record<
  CollectionState,
  Record<'pay' | 'fail' | 'deny' | 'invalidate' | 'void', CollectionState | null>
>;

/**
 * 1: the payer's own bank asks him. 2: a QR code authorizes. 3: a QR code authorizes and pays the first
 * charge.
 */
export type Journey = 1 | 2 | 3;

const PERIODS = {
  weekly: 'weekly',
  monthly: 'monthly',
  quarterly: 'quarterly',
  semesterly: 'semesterly',
  yearly: 'yearly',
  bimonthly: null,
  custom: null,
} as const satisfies Record<PlanType, PixPeriod | null>;

export function periodOf(planType: PlanType): PixPeriod {
  const period = PERIODS[planType];
  if (period === null) throw new RangeError(`Pix Automático has no period for ${planType}`);
  return period;
}

/** A payer's time to agree. */
const AUTHORIZATION_DAYS = 3;
const DAY_MILLISECONDS = 86_400_000;

export type FirstDays = {
  readonly expiresAt: Instant;
  readonly firstDueOn: Day;
  /** The first day on which the bank may charge. */
  readonly startsOn: Day;
};

/**
 * Journey 3 pays the first billing at once, so the bank charges from the second one on. In the others the
 * first billing leaves the payer time to agree and the bank its lead time.
 */
export function firstDays(
  journey: Journey,
  { trialDays, planType }: Pick<Terms, 'trialDays' | 'planType'>,
  leadDays: number,
  now: Instant,
): FirstDays {
  const today = saoPauloDay(now);
  const expiresAt = instant(now + AUTHORIZATION_DAYS * DAY_MILLISECONDS);
  if (journey === 3) return { expiresAt, firstDueOn: today, startsOn: pixDueDayAfter(today, planType) };
  const [behindTrial, earliest] = [
    addDays(today, trialDays),
    addDays(today, AUTHORIZATION_DAYS + leadDays + 1),
  ];
  const firstDueOn = beforeDay29(laterOf(behindTrial, earliest));
  return { expiresAt, firstDueOn, startsOn: firstDueOn };
}

/** From the 29th on: the 1st of the next month, because not every month has these days. */
function beforeDay29(day: Day): Day {
  let kept = day;
  while (Number(kept.slice(-2)) > 28) kept = addDays(kept, 1);
  return kept;
}

/** Minutes of the day at which to look: a payer's bank pays in the morning and gives up in the evening. */
const LOOK_MINUTES = [8 * 60 + 30, 21 * 60 + 30] as const;
const MINUTE_MILLISECONDS = 60_000;

/** When the bank knows the result of a try: the next morning or evening, from the day of the try on. */
export function nextLookAt(tryOn: Day, now: Instant): Instant {
  const today = saoPauloDay(now);
  for (let day = laterOf(tryOn, today); ; day = addDays(day, 1)) {
    const start = startOfSaoPauloDay(day);
    const at = LOOK_MINUTES.map((minutes) => start + minutes * MINUTE_MILLISECONDS).find((one) => one > now);
    if (at !== undefined) return instant(at);
  }
}

const SHORTEST_PAUSE_MILLISECONDS = 3_000;
const LONGEST_PAUSE_MILLISECONDS = 3_600_000;

/**
 * While the payer has not decided: after a quarter of the time since he was asked, three seconds to an hour.
 */
export function nextPendingLookAt(requestedAt: Instant, now: Instant): Instant {
  const quarter = (now - requestedAt) / 4;
  return instant(
    now + Math.min(LONGEST_PAUSE_MILLISECONDS, Math.max(SHORTEST_PAUSE_MILLISECONDS, Math.round(quarter))),
  );
}

/** For an authorization that holds: has the payer ended it? */
export function nextDailyLookAt(now: Instant): Instant {
  return instant(now + DAY_MILLISECONDS);
}

/** After no clear answer: 2 s, 4 s … 10 minutes. */
export function nextTryAt(tries: number, now: Instant, longestMilliseconds = 600_000): Instant {
  return instant(now + Math.min(longestMilliseconds, 2_000 * 2 ** Math.min(tries, 11)));
}

/** For a charge that is sent days ahead: up to an hour. */
export function nextSendAt(tries: number, now: Instant): Instant {
  return nextTryAt(tries, now, LONGEST_PAUSE_MILLISECONDS);
}

/** A payment made in the last second of a first charge may arrive later. */
export function isFirstChargeOver(expiresAt: Instant, now: Instant): boolean {
  return now > expiresAt + 5 * MINUTE_MILLISECONDS;
}

export function withoutHyphens(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}
