import type { RecurringTerms } from '../../providers/pix/recurring-pix.ts';
import type { PlanAmount } from '../../values/plan-amount.ts';
import { isEverInTime, MOST_PIX_RETRIES } from './pix-schedule.ts';
import { ENDLESS, INTERVAL_DAYS, type PaymentMethod, type Plan, type PlanType, type Terms } from './plan.ts';

/** Absent fields keep their value, or follow the plan's type. */
export type WantedPlan = {
  readonly name: string;
  readonly description: string;
  readonly amount: PlanAmount;
  readonly planType: PlanType;
  readonly paymentMethod: PaymentMethod;
  readonly trialDays?: number;
  readonly intervalDays?: number;
  readonly installments?: number;
  readonly maxRetries?: number;
  /** null removes it. */
  readonly softDescriptor?: string | null;
};

/** Promised to subscribers: fixed while a plan is in use. */
export const TERMS_FIELDS = [
  'amount',
  'planType',
  'paymentMethod',
  'trialDays',
  'intervalDays',
  'installments',
  'maxRetries',
] as const satisfies readonly (keyof Terms & keyof WantedPlan)[];
export type TermsField = (typeof TERMS_FIELDS)[number];
export type FixedField = TermsField | 'softDescriptor';

/**
 * `missing`: needed by a custom plan. `active`: an active plan keeps its amount. `inUse`: it has
 * subscriptions. `leadTooLong`: no bank could ever collect for the edited plan.
 */
export type EditRefusal =
  | { readonly why: 'missing'; readonly field: 'intervalDays' | 'installments' }
  | { readonly why: 'leadTooLong'; readonly field: 'planType' }
  | { readonly why: 'active'; readonly field: 'amount' }
  | { readonly why: 'inUse'; readonly field: FixedField };

export type EditedPlan = Pick<Plan, 'name' | 'description' | 'softDescriptor' | 'terms'>;

export type PlanEdit =
  | { readonly kind: 'refused'; readonly refusals: readonly EditRefusal[] }
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly plan: EditedPlan };

/**
 * An active plan keeps its amount; one in use keeps all but name and description. Missing fields come first.
 */
export function planEdit(
  plan: Plan,
  wanted: WantedPlan,
  { isInUse, leads }: { readonly isInUse: boolean; readonly leads: readonly RecurringTerms[] },
): PlanEdit {
  const missing = missingFields(plan.terms, wanted);
  if (missing.length > 0) {
    return { kind: 'refused', refusals: missing.map((field) => ({ why: 'missing', field })) };
  }
  const refusals = differingFields(plan, wanted).flatMap((field): EditRefusal[] => {
    if (field === 'amount' && plan.state === 'active') return [{ why: 'active', field }];
    return isInUse ? [{ why: 'inUse', field }] : [];
  });
  if (refusals.length > 0) return { kind: 'refused', refusals };
  const edited = editedPlan(plan, wanted);
  if (becomesOther(plan.terms, edited.terms) && !isEverInTime(edited.terms, leads))
    return { kind: 'refused', refusals: [{ why: 'leadTooLong', field: 'planType' }] };
  return isSame(plan, edited) ? { kind: 'same' } : { kind: 'changed', plan: edited };
}

function missingFields(terms: Terms, wanted: WantedPlan): ('intervalDays' | 'installments')[] {
  if (wanted.planType !== 'custom' || terms.planType === 'custom') return [];
  return (['intervalDays', 'installments'] as const).filter((field) => wanted[field] === undefined);
}

function becomesOther(before: Terms, after: Terms): boolean {
  return before.planType !== after.planType || before.paymentMethod !== after.paymentMethod;
}

/** The fields that the request itself changes, without those that only follow from another plan type. */
function differingFields({ terms, softDescriptor }: Plan, wanted: WantedPlan): FixedField[] {
  const isOther = wanted.softDescriptor !== undefined && wanted.softDescriptor !== softDescriptor;
  return [
    ...TERMS_FIELDS.filter((field) => wanted[field] !== undefined && wanted[field] !== terms[field]),
    ...(isOther ? (['softDescriptor'] as const) : []),
  ];
}

function editedPlan({ terms, softDescriptor: before }: Plan, wanted: WantedPlan): EditedPlan {
  const { name, description, amount, planType, paymentMethod, softDescriptor = before } = wanted;
  // Pix Automático has fewer tries than a card, so the kept number is bounded.
  const kept =
    paymentMethod === 'pixAutomatic' ? Math.min(terms.maxRetries, MOST_PIX_RETRIES) : terms.maxRetries;
  const { trialDays = terms.trialDays, maxRetries = kept } = wanted;
  return {
    name,
    description,
    softDescriptor,
    terms: { amount, planType, paymentMethod, trialDays, maxRetries, ...rhythmOf(wanted, terms) },
  };
}

type Rhythm = Pick<Terms, 'intervalDays' | 'installments'>;

/**
 * A custom plan has its own rhythm, a monthly one may have a number of installments; the type gives the rest.
 */
function rhythmOf(
  { planType, intervalDays, installments }: WantedPlan,
  before: Rhythm & Pick<Terms, 'planType'>,
): Rhythm {
  const fixed = INTERVAL_DAYS[planType];
  if (planType === 'monthly') {
    const kept = before.planType === 'monthly' ? before.installments : ENDLESS;
    return { intervalDays: INTERVAL_DAYS.monthly, installments: installments ?? kept };
  }
  if (fixed !== null) return { intervalDays: fixed, installments: ENDLESS };
  return {
    intervalDays: intervalDays ?? before.intervalDays,
    installments: installments ?? before.installments,
  };
}

/** Throws RangeError for a custom plan without interval and installments. */
export function newTerms(wanted: WantedPlan): Terms {
  const { amount, planType, paymentMethod, trialDays = 0, maxRetries = 0 } = wanted;
  const { intervalDays, installments } = rhythmOf(wanted, {
    planType,
    intervalDays: 0,
    installments: ENDLESS,
  });
  if (intervalDays === 0 || (planType === 'custom' && installments === ENDLESS))
    throw new RangeError('a custom plan without interval and installments');
  return { amount, planType, paymentMethod, trialDays, intervalDays, installments, maxRetries };
}

function isSame(plan: EditedPlan, { name, description, softDescriptor, terms }: EditedPlan): boolean {
  const isSameText = plan.name === name && plan.description === description;
  return isSameTerms(plan.terms, terms) && isSameText && plan.softDescriptor === softDescriptor;
}

export function isSameTerms(one: Terms, other: Terms): boolean {
  return TERMS_FIELDS.every((field) => one[field] === other[field]);
}
