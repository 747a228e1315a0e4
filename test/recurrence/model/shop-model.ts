/**
 * What a merchant's recurrence must be, in plain objects and with arithmetic of its own: it shares nothing with the service, so that
 * a mistake there is not made here as well. Nothing is ever charged: opened billings stay opened until somebody cancels them.
 */

/** Who did something, as one of several names where any will do, and when as the wire shows it; null: not seen yet. */
export type Stamp = { by: readonly string[]; date: string | null };

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

export type ModelBilling = {
  /** Null: the service has just opened it, and its id is to be learned. */
  id: string | null;
  status: 'Opened' | 'Canceled';
  /** Canceled with its subscription before any charge: it used up neither day nor installment. */
  isSkipped: boolean;
  readonly installment: number;
  /** Days since 1970. */
  readonly dueOn: number;
  readonly created: Stamp;
  modified: Stamp | null;
};

export type ModelSubscription = {
  readonly id: string;
  readonly plan: ModelPlan;
  vaultId: string;
  readonly orderNumber: string;
  status: 'Active' | 'Canceled';
  /** Its last installment is over: shown as canceled, and over for good. */
  isCompleted: boolean;
  readonly terms: Terms;
  readonly firstDueOn: number;
  readonly billings: ModelBilling[];
  readonly created: Stamp;
  modified: Stamp | null;
};

export type ModelShop = {
  readonly merchantId: string;
  readonly userName: string;
  readonly cards: readonly string[];
  /** Days since 1970. */
  today: number;
  /** How far its clock may go. */
  readonly lastDay: number;
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

const stampBy = (...by: readonly string[]): Stamp => ({ by, date: null });

export function addPlan(
  shop: ModelShop,
  plan: Pick<ModelPlan, 'id' | 'name' | 'description' | 'terms'>,
): void {
  shop.plans.push({ ...plan, status: 'Active', created: stampBy(shop.userName), modified: null });
}

/** Fields that a 409 must name, and those that it may name besides; none: it is done. */
export type EditRefusal = { readonly must: readonly string[]; readonly may: readonly string[] };

export function editPlan(shop: ModelShop, plan: ModelPlan, edit: PlanEdit): EditRefusal | null {
  const terms = termsAfter(plan.terms, edit);
  const differing = (Object.keys(terms) as (keyof Terms)[]).filter(
    (field) => terms[field] !== plan.terms[field],
  );
  const isInUse = shop.subscriptions.some((one) => one.plan === plan && one.status === 'Active');
  const refused = isInUse
    ? differing
    : differing.filter((field) => field === 'amount' && plan.status === 'Active');
  // What follows from another field and was not sent itself may be named, too.
  if (refused.length > 0) return { must: refused.filter((field) => edit[field] !== null), may: refused };
  const isRenamed = edit.name !== plan.name || edit.description !== plan.description;
  if (isRenamed || differing.length > 0) plan.modified = stampBy(shop.userName);
  plan.name = edit.name;
  plan.description = edit.description;
  plan.terms = terms;
  return null;
}

/** A type of fixed days sets interval and installments; whatever else is not sent stays. */
function termsAfter(terms: Terms, edit: PlanEdit): Terms {
  const fixed = INTERVALS[edit.planType];
  return {
    amount: edit.amount,
    planType: edit.planType,
    trialDays: edit.trialDays ?? terms.trialDays,
    interval: fixed ?? edit.interval ?? terms.interval,
    installments: fixed === null ? (edit.installments ?? terms.installments) : 0,
    attempts: edit.attempts ?? terms.attempts,
  };
}

export function movePlan(shop: ModelShop, plan: ModelPlan, status: PlanStatus): void {
  if (plan.status === status) return;
  plan.status = status;
  plan.modified = stampBy(shop.userName);
  if (status !== 'Canceled') return;
  for (const subscription of shop.subscriptions) {
    if (subscription.plan === plan && subscription.status === 'Active') endSubscription(shop, subscription);
  }
}

export function enrol(
  shop: ModelShop,
  wanted: Pick<ModelSubscription, 'id' | 'plan' | 'vaultId' | 'orderNumber'>,
): void {
  const { terms } = wanted.plan;
  const firstDueOn = shop.today + terms.trialDays;
  const created = stampBy(shop.userName);
  const first = openedBilling(1, firstDueOn, [shop.userName]);
  shop.subscriptions.push({
    ...wanted,
    status: 'Active',
    isCompleted: false,
    terms,
    firstDueOn,
    billings: [first],
    created,
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
    if (subscription.status === 'Active') endSubscription(shop, subscription);
    return true;
  }
  if (subscription.isCompleted) return false;
  if (subscription.status === 'Active') return true;
  subscription.status = 'Active';
  subscription.modified = stampBy(shop.userName);
  const billed = subscription.billings.filter(({ isSkipped }) => !isSkipped);
  const installment = billed.length + 1;
  let dueOn = subscription.firstDueOn;
  while (dueOn < shop.today || billed.some((billing) => billing.dueOn >= dueOn)) {
    dueOn += subscription.terms.interval;
  }
  subscription.billings.push(openedBilling(installment, dueOn, [shop.userName, 'system']));
  return true;
}

function endSubscription(shop: ModelShop, subscription: ModelSubscription): void {
  subscription.status = 'Canceled';
  subscription.modified = stampBy(shop.userName);
  for (const billing of subscription.billings) {
    if (billing.status !== 'Opened') continue;
    billing.status = 'Canceled';
    billing.isSkipped = true;
    billing.modified = stampBy(shop.userName);
  }
}

export function moveVault(shop: ModelShop, subscription: ModelSubscription, vaultId: string): void {
  if (subscription.vaultId === vaultId) return;
  subscription.vaultId = vaultId;
  subscription.modified = stampBy(shop.userName);
}

/** False: it is refused. */
export function cancelBilling(
  shop: ModelShop,
  subscription: ModelSubscription,
  billing: ModelBilling,
): boolean {
  if (billing.status !== 'Opened') return false;
  billing.status = 'Canceled';
  billing.modified = stampBy(shop.userName);
  const { installments, interval } = subscription.terms;
  if (installments !== 0 && billing.installment === installments) {
    subscription.status = 'Canceled';
    subscription.isCompleted = true;
    subscription.modified = stampBy('system');
    return true;
  }
  const next = openedBilling(billing.installment + 1, billing.dueOn + interval, [shop.userName, 'system']);
  subscription.billings.push(next);
  return true;
}

function openedBilling(installment: number, dueOn: number, by: readonly string[]): ModelBilling {
  const created = stampBy(...by);
  return { id: null, status: 'Opened', isSkipped: false, installment, dueOn, created, modified: null };
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
