import type { CopyTarget, CopyValue } from './copy-rows.ts';
import { DAY, type LoadedBilling, type LoadedEnrolment } from './enrolment.ts';
import { idAt, type LoadedPlan, PLANS_MADE_AT, type Shop, TRY_DAYS } from './shop.ts';

const TERMS = ['amount', 'plan_type', 'trial_days', 'interval_days', 'installments', 'max_retries'];
const STAMPS = ['created_by', 'created_at', 'modified_by', 'modified_at'];

export const PLANS: CopyTarget = {
  table: 'plans',
  columns: ['merchant_id', 'plan_id', 'name', 'description', 'search_name', 'state', ...TERMS, ...STAMPS],
};
export const SUBSCRIPTIONS: CopyTarget = {
  table: 'subscriptions',
  columns: [
    ...['merchant_id', 'subscription_id', 'plan_id', 'vault_id', 'order_number', 'account_number', 'state'],
    ...['reason', 'state_since', 'first_due_on', ...TERMS, ...STAMPS],
  ],
};
export const BILLINGS: CopyTarget = {
  table: 'billings',
  columns: [
    ...['merchant_id', 'billing_id', 'subscription_id', 'installment', 'state', 'is_skipped', 'amount'],
    ...['due_on', 'charge_on', 'charges_made', ...STAMPS],
  ],
};
export const CHARGES: CopyTarget = {
  table: 'billing_charges',
  columns: [
    ...[
      'merchant_id',
      'billing_id',
      'charge_number',
      'attempt_number',
      'transaction_id',
      'started_at',
      'ended_at',
    ],
    ...['outcome', 'response_code', 'rule', 'next_charge_on', 'created_by'],
  ],
};

const NO_CHANGE: readonly CopyValue[] = [null, null];

export function planRow({ merchantId, userName }: Shop, plan: LoadedPlan): CopyValue[] {
  const searchName = plan.name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return [
    ...[merchantId, plan.planId, plan.name, 'Uma oferta de cada mês', searchName, plan.state],
    ...termsOf(plan),
    ...[userName, timeText(PLANS_MADE_AT), ...NO_CHANGE],
  ];
}

export function subscriptionRow(enrolment: LoadedEnrolment): CopyValue[] {
  const { shop, plan, created, modified } = enrolment;
  return [
    ...[shop.merchantId, enrolment.subscriptionId, plan.planId, enrolment.vaultId, enrolment.orderNumber],
    ...[shop.accountNumber, enrolment.state, enrolment.reason, timeText(modified?.at ?? created.at)],
    ...[dayText(enrolment.firstDueOn), ...termsOf(plan)],
    ...stampsOf(enrolment),
  ];
}

export function billingRow({ shop, subscriptionId }: LoadedEnrolment, billing: LoadedBilling): CopyValue[] {
  const { chargeOn } = billing;
  return [
    ...[shop.merchantId, billing.billingId, subscriptionId, billing.installment, billing.state],
    ...[billing.isSkipped, billing.amount, dayText(billing.dueOn)],
    ...[chargeOn === null ? null : dayText(chargeOn), billing.chargesMade],
    ...stampsOf(billing),
  ];
}

/** The tries of a billing: each but the last met a lack of funds. */
export function chargeRows(
  enrolment: LoadedEnrolment,
  billing: LoadedBilling,
  firstNumber: number,
): CopyValue[][] {
  return Array.from({ length: billing.chargesMade }, (_, index) => {
    const isRetried = index < billing.chargesMade - 1 || billing.state === 'opened';
    const { outcome, code, rule } = isRetried ? ENDS.retry : ENDS[endOf(enrolment, billing)];
    const startedAt = Math.max(
      billing.created.at,
      (billing.dueOn + (TRY_DAYS[index] ?? 0)) * DAY + CHARGED_AT,
    );
    return [
      ...[enrolment.shop.merchantId, billing.billingId, index + 1, index + 1],
      // No sales are loaded, so what is paid names none.
      outcome === 'invalid' || outcome === 'approved' ? null : idAt(startedAt, 5, firstNumber + index),
      ...[timeText(startedAt), timeText(startedAt + 700), outcome, code, rule],
      isRetried ? dayText(billing.dueOn + (TRY_DAYS[index + 1] ?? 0)) : null,
      'system',
    ];
  });
}

/** Nine in the morning in São Paulo. */
const CHARGED_AT = 12 * 3_600_000;

/** What a try came to: the issuer's answer, and the rule that followed from it. */
const ENDS = {
  retry: { outcome: 'funds', code: '51', rule: 'retry' },
  paid: { outcome: 'approved', code: '00', rule: 'paid' },
  invalid: { outcome: 'invalid', code: null, rule: 'invalid' },
  cardCanceled: { outcome: 'blocked', code: '41', rule: 'cardCanceled' },
  technical: { outcome: 'technical', code: '91', rule: 'technical' },
  noRetriesLeft: { outcome: 'funds', code: '51', rule: 'noRetriesLeft' },
  denied: { outcome: 'denied', code: '57', rule: 'denied' },
} as const;

function endOf({ plan, reason, billings }: LoadedEnrolment, billing: LoadedBilling): keyof typeof ENDS {
  if (billing.state === 'paid') return 'paid';
  if (billing.state === 'paymentInvalid') return 'invalid';
  const isLast = billing === billings.at(-1);
  if (isLast && reason === 'cardCanceled') return 'cardCanceled';
  // Only this lets an enrolment without end go on.
  if (plan.installments === 0 && !(isLast && reason === 'declined')) return 'technical';
  return plan.maxRetries > 0 && billing.chargesMade > plan.maxRetries ? 'noRetriesLeft' : 'denied';
}

function termsOf(plan: LoadedPlan): CopyValue[] {
  return [
    ...[plan.amount, plan.planType, plan.trialDays, plan.intervalDays, plan.installments, plan.maxRetries],
  ];
}

function stampsOf({ created, modified }: Pick<LoadedBilling, 'created' | 'modified'>): CopyValue[] {
  const changed = modified === null ? NO_CHANGE : [modified.by, timeText(modified.at)];
  return [created.by, timeText(created.at), ...changed];
}

/** Millions of rows have a few thousand days between them. */
const dayTexts = new Map<number, string>();

function dayText(day: number): string {
  return dayTexts.getOrInsertComputed(day, () => new Date(day * DAY).toISOString().slice(0, 10));
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
