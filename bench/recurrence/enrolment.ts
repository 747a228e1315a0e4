import type { Chance } from '../../chaos/chance.ts';
import type { BillingState } from '../../src/recurrence/billings/billing.ts';
import type {
  SubscriptionReason,
  SubscriptionState,
} from '../../src/recurrence/subscriptions/subscription.ts';
import { cardId, idAt, type LoadedPlan, type Shop, TRY_DAYS } from './shop.ts';

/** What became of an enrolment, in the words that the loader draws by. */
type Fate = 'active' | 'quit' | 'declined' | 'blocked' | 'completed';

type Stamp = { readonly by: string; readonly at: number };

export type LoadedBilling = {
  readonly billingId: string;
  readonly installment: number;
  readonly state: BillingState;
  readonly isSkipped: boolean;
  readonly amount: number;
  /** Days since 1970, as `chargeOn`. */
  readonly dueOn: number;
  readonly chargeOn: number | null;
  readonly chargesMade: number;
  readonly created: Stamp;
  readonly modified: Stamp | null;
};

export type LoadedEnrolment = {
  readonly shop: Shop;
  readonly plan: LoadedPlan;
  readonly subscriptionId: string;
  readonly vaultId: string;
  readonly orderNumber: string;
  readonly state: SubscriptionState;
  readonly reason: SubscriptionReason | null;
  readonly firstDueOn: number;
  readonly created: Stamp;
  readonly modified: Stamp | null;
  readonly billings: readonly LoadedBilling[];
  /** Whether the tries of its billings are loaded, too. */
  readonly hasCharges: boolean;
};

/** Which one of all it is, how many billings it has, and the first number of those. */
export type Place = { readonly number: number; readonly billings: number; readonly firstBilling: number };

export const DAY = 86_400_000;
/** São Paulo's midnight in UTC, as it has been since 2019. */
const MIDNIGHT = 3 * 3_600_000;
const HISTORY_DAYS = 730;
const SYSTEM = 'system';
const SHARE_WITH_CHARGES = 0.1;
const SHARE_RETRYING = 0.03;

/** Of a hundred enrolments. */
const FATES: readonly (readonly [Fate, number])[] = [
  ['active', 80],
  ['quit', 8],
  ['declined', 5],
  ['blocked', 4],
  ['completed', 3],
];
/** Of a hundred billings that are over. */
const ENDS: readonly (readonly [BillingState, number])[] = [
  ['paid', 93],
  ['denied', 3],
  ['paymentInvalid', 2],
  ['canceled', 2],
];
const REASONS = {
  active: null,
  quit: 'user',
  declined: 'declined',
  blocked: 'cardCanceled',
  completed: 'completed',
} as const satisfies Record<Fate, SubscriptionReason | null>;
const STATES = {
  active: 'active',
  quit: 'canceled',
  declined: 'canceled',
  blocked: 'blocked',
  completed: 'completed',
} as const satisfies Record<Fate, SubscriptionState>;

/**
 * One enrolment with its whole past: nothing is due before tomorrow, so that who looks at it finds
 * it as it was loaded. `today` in days since 1970.
 */
export function drawEnrolment(shop: Shop, place: Place, today: number, chance: Chance): LoadedEnrolment {
  const { fate, plan } = drawPlan(shop, place.billings, chance);
  const retries = fate === 'active' && plan.maxRetries > 0 && chance.isIn(SHARE_RETRYING);
  // The tries that failed so far; the next one is tomorrow.
  const failed = retries ? chance.whole(1, plan.maxRetries) : 0;
  const span = (place.billings - 1) * plan.intervalDays;
  const lastDueOn = drawLastDueOn(fate, { plan, span, failed, today }, chance);
  const firstDueOn = lastDueOn - span;
  const created = { by: shop.userName, at: at(firstDueOn - plan.trialDays, chance) };
  const billings: LoadedBilling[] = [];
  let since = created;
  for (let index = 0; index < place.billings; index += 1) {
    const isLast = index === place.billings - 1;
    const billing = drawBilling(
      {
        plan,
        shop,
        fate: isLast ? fate : null,
        failed,
        today,
        created: since,
        installment: index + 1,
        dueOn: firstDueOn + index * plan.intervalDays,
        number: place.firstBilling + index,
      },
      chance,
    );
    billings.push(billing);
    since = { by: SYSTEM, at: billing.modified?.at ?? since.at };
  }
  const ended = billings.at(-1)?.modified ?? created;
  return {
    shop,
    plan,
    subscriptionId: idAt(created.at, 3, place.number),
    vaultId: cardId(shop.firstCard + chance.whole(0, shop.cards - 1)),
    orderNumber: `P-${place.number % 100_000_000}`,
    state: STATES[fate],
    reason: REASONS[fate],
    firstDueOn,
    created,
    modified: fate === 'active' ? null : { by: fate === 'quit' ? shop.userName : SYSTEM, at: ended.at },
    billings,
    hasCharges: chance.isIn(SHARE_WITH_CHARGES),
  };
}

function drawPlan(shop: Shop, billings: number, chance: Chance): { fate: Fate; plan: LoadedPlan } {
  const active = shop.plans.filter(({ state }) => state === 'active');
  const drawn = drawOf(FATES, chance);
  // Not every number of billings can be complete; anybody can quit.
  for (const fate of [drawn, 'quit'] as const) {
    const possible = active.filter((plan) => fits(fate, plan, billings));
    const within = possible.filter(({ intervalDays }) => (billings - 1) * intervalDays <= HISTORY_DAYS);
    // So many billings are older than the history, whatever the plan.
    const plans = within.length > 0 ? within : possible;
    if (plans.length > 0) return { fate, plan: chance.pick(plans) };
  }
  throw new Error('every shop has a plan without end');
}

function fits(fate: Fate, plan: LoadedPlan, billings: number): boolean {
  const isEndless = plan.installments === 0;
  if (fate === 'completed') return plan.installments === billings;
  // Only an endless enrolment ends with a decline.
  if (fate === 'declined') return isEndless;
  // The first billing of an enrolment of today lies ahead only after a trial.
  if (fate === 'active' && billings === 1 && plan.trialDays < 2) return false;
  return isEndless || billings <= plan.installments;
}

function drawLastDueOn(
  fate: Fate,
  {
    plan,
    span,
    failed,
    today,
  }: {
    readonly plan: LoadedPlan;
    readonly span: number;
    readonly failed: number;
    readonly today: number;
  },
  chance: Chance,
): number {
  if (fate !== 'active') return today - chance.whole(1, Math.max(1, HISTORY_DAYS - span));
  if (failed > 0) return today + 1 - (TRY_DAYS[failed] ?? 0);
  return today + chance.whole(1, (span === 0 ? plan.trialDays : plan.intervalDays) - 1);
}

type BillingDraw = {
  readonly plan: LoadedPlan;
  readonly shop: Shop;
  /** Null: another one came after it. */
  readonly fate: Fate | null;
  readonly failed: number;
  readonly today: number;
  readonly created: Stamp;
  readonly installment: number;
  readonly dueOn: number;
  readonly number: number;
};

function drawBilling(draw: BillingDraw, chance: Chance): LoadedBilling {
  const { plan, shop, fate, failed, created, installment, dueOn } = draw;
  const one = {
    billingId: idAt(created.at, 4, draw.number),
    installment,
    amount: plan.charged,
    dueOn,
    created,
  };
  const over = { ...one, isSkipped: false, chargeOn: null };
  if (fate === 'active') {
    const lastTryOn = dueOn + (TRY_DAYS[failed - 1] ?? 0);
    const modified = failed === 0 ? null : { by: SYSTEM, at: at(lastTryOn, chance) };
    const chargeOn = dueOn + (TRY_DAYS[failed] ?? 0);
    return { ...one, state: 'opened', isSkipped: false, chargeOn, chargesMade: failed, modified };
  }
  const canceled = { by: shop.userName, at: Math.max(created.at + 60_000, at(dueOn - 1, chance)) };
  if (fate === 'quit') {
    return { ...over, state: 'canceled', isSkipped: true, chargesMade: 0, modified: canceled };
  }
  const state = fate === 'declined' || fate === 'blocked' ? 'denied' : drawOf(ENDS, chance);
  if (state === 'canceled') return { ...over, state, chargesMade: 0, modified: canceled };
  const chargesMade = state === 'paymentInvalid' || fate === 'blocked' ? 1 : drawAttempts(draw, chance);
  const decidedOn = dueOn + (TRY_DAYS[chargesMade - 1] ?? 0);
  // On the day of the enrolment itself it is charged after that.
  const decidedAt = Math.max(created.at + 1_000, at(decidedOn, chance));
  return { ...over, state, chargesMade, modified: { by: SYSTEM, at: decidedAt } };
}

/** Most are over with the first try; what is over was over yesterday at the latest. */
function drawAttempts({ plan, dueOn, today }: BillingDraw, chance: Chance): number {
  const tries = chance.isIn(0.05) ? chance.whole(1, plan.maxRetries + 1) : 1;
  return dueOn + (TRY_DAYS[tries - 1] ?? 0) < today ? tries : 1;
}

/** A moment of this day in São Paulo. */
function at(day: number, chance: Chance): number {
  return day * DAY + MIDNIGHT + chance.whole(0, DAY - 120_000);
}

function drawOf<Value>(weights: readonly (readonly [Value, number])[], chance: Chance): Value {
  let left = chance.whole(0, 99);
  for (const [value, weight] of weights) {
    if (left < weight) return value;
    left -= weight;
  }
  throw new Error('the weights are of a hundred');
}
