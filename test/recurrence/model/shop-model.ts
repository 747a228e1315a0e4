/**
 * What a merchant's recurrence must be, in plain objects and with arithmetic of its own: it shares nothing
 * with the service, so that a mistake there is not made here as well. What is charged, and what comes of
 * it, is in `charge-model.ts`.
 */

/**
 * The author of an act, as one of several names where any will do, on which day (since 1970), and when as
 * the wire shows it; null: not seen yet.
 */
export type Stamp = { by: readonly string[]; readonly on: number; date: string | null };

export type PlanStatus = 'Active' | 'Inactive' | 'Canceled';

/** What an enrolment keeps of its plan. */
export type Terms = {
  /** Reais without needless zeros. */
  readonly amount: string;
  readonly planType: string;
  readonly trialDays: number;
  readonly interval: number;
  readonly installments: number;
  readonly attempts: number;
};

export type ModelPlan = {
  readonly id: string;
  name: string;
  description: string;
  terms: Terms;
  status: PlanStatus;
  readonly created: Stamp;
  modified: Stamp | null;
};

/** One try to collect a billing, in the words of its timeline. */
export type ModelCharge = {
  /** From 1; null: by hand. */
  readonly attempt: number | null;
  readonly on: number;
  readonly outcome: ChargeOutcome;
  readonly nextChargeOn: number | null;
  /** Whether the acquirer was asked: some charges cannot even be sent. */
  readonly isSent: boolean;
};

export type ChargeOutcome =
  | 'Approved'
  | 'InsufficientFunds'
  | 'CardCanceled'
  | 'Denied'
  | 'OutOfOrder'
  | 'Invalid';

export type ModelBilling = {
  /** Null: the service has just opened it, and its id is to be learned. */
  id: string | null;
  status: 'Opened' | 'Canceled' | 'Paid' | 'Denied' | 'PaymentInvalid';
  /** Canceled with its subscription before any charge: it used up neither day nor installment. */
  isSkipped: boolean;
  readonly installment: number;
  /** Days since 1970. */
  readonly dueOn: number;
  /** The due day, or that of a retry; null: nothing is charged any more. */
  chargeOn: number | null;
  readonly charges: ModelCharge[];
  readonly created: Stamp;
  modified: Stamp | null;
};

/** Why a subscription is not active, in the words of the wire. */
export type Reason = 'ByMerchant' | 'PlanCanceled' | 'Declined' | 'Completed' | 'CardCanceled';

/** What happened to a subscription, in the words of its timeline. */
export type ModelEvent = {
  readonly type: 'Activated' | 'Canceled' | 'Blocked' | 'Completed' | 'VaultChanged';
  readonly on: number;
  readonly reason: Reason | null;
  /** The billing whose charge or cancel did it. */
  readonly billing: ModelBilling | null;
};

export type ModelSubscription = {
  readonly id: string;
  readonly plan: ModelPlan;
  vaultId: string;
  readonly orderNumber: string;
  status: 'Active' | 'Blocked' | 'Canceled';
  /** Null: it is active. Completed: its last installment is over; shown as canceled, and over for good. */
  reason: Reason | null;
  readonly events: ModelEvent[];
  readonly terms: Terms;
  readonly firstDueOn: number;
  readonly billings: ModelBilling[];
  readonly created: Stamp;
  modified: Stamp | null;
};

/**
 * A stored card, by what its issuer does; the counts are those of what the issuer has answered to
 * this merchant.
 */
export type ModelCard = {
  readonly vaultId: string;
  /** So many times it lacks funds before anything is approved. */
  readonly lacksFunds: number;
  /** After so many approvals it is canceled; null: never. */
  readonly approvals: number | null;
  /** The last day on which it is good. */
  readonly goodUntil: number;
  approved: number;
  declined: number;
  /** It has said so to this merchant. */
  isCanceled: boolean;
};

export type ModelShop = {
  readonly merchantId: string;
  readonly userName: string;
  readonly cards: readonly ModelCard[];
  /** Days since 1970. */
  today: number;
  /** How far its clock may go. */
  readonly lastDay: number;
  /** What was charged since everything was compared. */
  readonly charged: Set<ModelBilling>;
  readonly plans: ModelPlan[];
  readonly subscriptions: ModelSubscription[];
};

/** Null: the type names its own. */
export const INTERVALS: Readonly<Record<string, number | null>> = {
  Monthly: 30,
  Bimonthly: 60,
  Quarterly: 90,
  Semesterly: 180,
  Yearly: 365,
  Custom: null,
};

/** What an update asks for; null: not sent. */
export type PlanEdit = {
  readonly name: string;
  readonly description: string;
  readonly amount: string;
  readonly planType: string;
  readonly trialDays: number | null;
  readonly interval: number | null;
  readonly installments: number | null;
  readonly attempts: number | null;
};

export const stampBy = ({ today }: ModelShop, ...by: readonly string[]): Stamp => ({
  by,
  on: today,
  date: null,
});

export function addPlan(
  shop: ModelShop,
  plan: Pick<ModelPlan, 'id' | 'name' | 'description' | 'terms'>,
): void {
  shop.plans.push({ ...plan, status: 'Active', created: stampBy(shop, shop.userName), modified: null });
}

/** Fields that a 409 must name, and those that it may name besides; none: it is done. */
export type EditRefusal = { readonly must: readonly string[]; readonly may: readonly string[] };

export function editPlan(shop: ModelShop, plan: ModelPlan, edit: PlanEdit): EditRefusal | null {
  const terms = termsAfter(plan.terms, edit);
  const differing = (Object.keys(terms) as (keyof Terms)[]).filter(
    (field) => terms[field] !== plan.terms[field],
  );
  const isInUse = shop.subscriptions.some((one) => one.plan === plan && one.status !== 'Canceled');
  const refused = isInUse
    ? differing
    : differing.filter((field) => field === 'amount' && plan.status === 'Active');
  // What follows from another field and was not sent itself may be named, too.
  if (refused.length > 0) return { must: refused.filter((field) => edit[field] !== null), may: refused };
  const isRenamed = edit.name !== plan.name || edit.description !== plan.description;
  if (isRenamed || differing.length > 0) plan.modified = stampBy(shop, shop.userName);
  plan.name = edit.name;
  plan.description = edit.description;
  plan.terms = terms;
  return null;
}

/** A type of fixed days sets interval and installments; whatever else is not sent stays. */
function termsAfter(terms: Terms, edit: PlanEdit): Terms {
  const fixed = INTERVALS[edit.planType];
  const ofMonthly = edit.installments || (terms.planType === 'Monthly' ? terms.installments : 0);
  const installments = edit.planType === 'Monthly' ? ofMonthly : 0;
  return {
    amount: edit.amount,
    planType: edit.planType,
    trialDays: edit.trialDays ?? terms.trialDays,
    interval: fixed ?? edit.interval ?? terms.interval,
    installments: fixed === null ? (edit.installments ?? terms.installments) : installments,
    attempts: edit.attempts ?? terms.attempts,
  };
}

export function movePlan(shop: ModelShop, plan: ModelPlan, status: PlanStatus): void {
  if (plan.status === status) return;
  plan.status = status;
  plan.modified = stampBy(shop, shop.userName);
  if (status !== 'Canceled') return;
  for (const subscription of shop.subscriptions) {
    if (subscription.plan === plan && subscription.status !== 'Canceled') {
      endSubscription(shop, subscription, 'PlanCanceled', null, shop.userName);
    }
  }
}

export function enrol(
  shop: ModelShop,
  wanted: Pick<ModelSubscription, 'id' | 'plan' | 'vaultId' | 'orderNumber'>,
): void {
  const { terms } = wanted.plan;
  const firstDueOn = shop.today + terms.trialDays;
  const first = openedBilling(shop, 1, firstDueOn, shop.userName);
  shop.subscriptions.push({
    ...wanted,
    status: 'Active',
    reason: null,
    events: [],
    terms,
    firstDueOn,
    billings: [first],
    created: stampBy(shop, shop.userName),
    modified: null,
  });
}

/** False: it is refused. */
export function moveSubscription(
  shop: ModelShop,
  subscription: ModelSubscription,
  status: 'Active' | 'Canceled',
): boolean {
  if (status === 'Canceled') {
    if (subscription.status !== 'Canceled') {
      endSubscription(shop, subscription, 'ByMerchant', null, shop.userName);
    }
    return true;
  }
  if (subscription.reason === 'Completed') return false;
  if (subscription.status === 'Active') return true;
  const billed = subscription.billings.filter(({ isSkipped }) => !isSkipped);
  const installment = billed.length + 1;
  const { installments, interval } = subscription.terms;
  // Its last installment was tried before it ended, and is used up.
  if (installments !== 0 && installment > installments) return false;
  subscription.status = 'Active';
  subscription.reason = null;
  subscription.modified = stampBy(shop, shop.userName);
  note(shop, subscription, 'Activated');
  let dueOn = subscription.firstDueOn;
  const isCharged = billed.some(({ charges }) => charges.length > 0);
  while ((isCharged && dueOn < shop.today) || billed.some((billing) => billing.dueOn >= dueOn))
    dueOn += interval;
  dueOn = Math.max(dueOn, shop.today);
  subscription.billings.push(openedBilling(shop, installment, dueOn, shop.userName, 'system'));
  return true;
}

/** An inactive subscription has nothing open. `billing`: the one whose charge ended it. */
export function endSubscription(
  shop: ModelShop,
  subscription: ModelSubscription,
  reason: Reason,
  billing: ModelBilling | null,
  ...by: readonly string[]
): void {
  const status = reason === 'CardCanceled' ? 'Blocked' : 'Canceled';
  subscription.status = status;
  subscription.reason = reason;
  subscription.modified = stampBy(shop, ...by);
  note(shop, subscription, reason === 'Completed' ? 'Completed' : status, billing);
  for (const open of subscription.billings) {
    if (open.status !== 'Opened') continue;
    endBilling(shop, open, 'Canceled', ...by);
    open.isSkipped = open.charges.length === 0;
  }
}

function note(
  { today }: ModelShop,
  { reason, events }: ModelSubscription,
  type: ModelEvent['type'],
  billing: ModelBilling | null = null,
): void {
  events.push({ type, on: today, reason: type === 'VaultChanged' ? null : reason, billing });
}

export function endBilling(
  shop: ModelShop,
  billing: ModelBilling,
  status: ModelBilling['status'],
  ...by: readonly string[]
): void {
  billing.status = status;
  billing.chargeOn = null;
  billing.modified = stampBy(shop, ...by);
}

export function moveVault(shop: ModelShop, subscription: ModelSubscription, vaultId: string): void {
  if (subscription.vaultId === vaultId) return;
  subscription.vaultId = vaultId;
  subscription.modified = stampBy(shop, shop.userName);
  note(shop, subscription, 'VaultChanged');
}

/** False: it is refused. */
export function cancelBilling(
  shop: ModelShop,
  subscription: ModelSubscription,
  billing: ModelBilling,
): boolean {
  if (billing.status !== 'Opened') return false;
  endBilling(shop, billing, 'Canceled', shop.userName);
  goOnAfter(shop, subscription, billing, shop.userName, 'system');
  return true;
}

/** After the last installment a subscription is over, otherwise the next one is opened. */
export function goOnAfter(
  shop: ModelShop,
  subscription: ModelSubscription,
  billing: ModelBilling,
  ...by: readonly string[]
): void {
  const { installment, dueOn } = billing;
  const { installments, interval } = subscription.terms;
  const isLast = installments !== 0 && installment === installments;
  if (isLast) endSubscription(shop, subscription, 'Completed', billing, 'system');
  else subscription.billings.push(openedBilling(shop, installment + 1, dueOn + interval, ...by));
}

function openedBilling(
  shop: ModelShop,
  installment: number,
  dueOn: number,
  ...by: readonly string[]
): ModelBilling {
  return {
    id: null,
    status: 'Opened',
    isSkipped: false,
    installment,
    dueOn,
    chargeOn: dueOn,
    charges: [],
    created: stampBy(shop, ...by),
    modified: null,
  };
}

/** What is charged, in reais without needless zeros: whole cents, a half going to the even one. */
export function chargedAmount(amount: string): string {
  const [reais = '', fraction = ''] = amount.split('.');
  const millionths = BigInt(reais) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  const below = millionths / 10_000n;
  const rest = millionths % 10_000n;
  const isUp = rest > 5_000n || (rest === 5_000n && below % 2n === 1n);
  const charged = below + (isUp ? 1n : 0n);
  return plainDecimal(`${charged / 100n}.${String(charged % 100n).padStart(2, '0')}`);
}

/** Digits without the zeros that say nothing. */
export function plainDecimal(text: string): string {
  return text.includes('.') ? text.replace(/\.?0*$/, '') : text;
}

const DAY_MILLISECONDS = 86_400_000;

export function dayText(day: number): string {
  return new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

export function dayOf(text: string): number {
  return Date.parse(text.slice(0, 10)) / DAY_MILLISECONDS;
}
