import assert from 'node:assert/strict';
import {
  chargedAmount,
  dayOf,
  dayText,
  type ModelBilling,
  type ModelPlan,
  type ModelShop,
  type ModelSubscription,
  plainDecimal,
  type Stamp,
  type Terms,
} from './shop-model.ts';

/** An answer of JSON, its amounts as the digits that were sent. */
export type Answered = Record<string, unknown>;

/** Reads JSON, of amounts the digits: a number of 18 digits would lose some. */
export function readExactly(text: string): unknown {
  return JSON.parse(text, (key, value, context?: { source?: string }) =>
    key === 'amount' && typeof value === 'number' ? plainDecimal(context?.source ?? '') : value,
  );
}

export function assertPlan(
  shop: ModelShop,
  plan: ModelPlan,
  answered: unknown,
  terms: Terms = plan.terms,
): void {
  const { created, modified, ...shown } = stampsApart(answered);
  assert.deepEqual(shown, {
    id: plan.id,
    merchantId: shop.merchantId,
    name: plan.name,
    description: plan.description,
    ...terms,
    softDescriptor: null,
    paymentMethod: 'CreditCard',
    status: plan.status,
  });
  assertStamps(plan, { created, modified });
}

export function assertSubscription(
  shop: ModelShop,
  subscription: ModelSubscription,
  answered: unknown,
): void {
  const { created, modified, plan, timeline, ...shown } = stampsApart(answered);
  const { id, vaultId, orderNumber, status, reason } = subscription;
  const statusReason = reason === null ? {} : { statusReason: reason };
  assert.deepEqual(shown, { id, vaultId, orderNumber, status, ...statusReason });
  // A single subscription shows its events.
  if (timeline !== undefined) assertEvents(subscription, timeline as Answered[]);
  // Name, description and state are the plan's of today, the terms those of the enrolment.
  assertPlan(shop, subscription.plan, plan, subscription.terms);
  assertStamps(subscription, { created, modified });
}

function assertEvents({ created, events }: ModelSubscription, timeline: readonly Answered[]): void {
  assert.deepEqual(
    timeline.map(({ at, type, reason, billingId }) => [dayOf(at as string), type, reason, billingId]),
    [
      [created.on, 'Created', undefined, undefined],
      ...events.map(({ on, type, reason, billing }) => [on, type, reason ?? undefined, billing?.id]),
    ],
  );
}

/** `hasMore`: a single billing shows more than one in a list. */
export function assertBilling(
  shop: ModelShop,
  { subscription, billing }: BillingPlace,
  answered: unknown,
  hasMore = false,
): void {
  const { created, modified, paymentId, nsu, subscription: embedded, ...shown } = stampsApart(answered);
  const expected = {
    id: billing.id,
    status: billing.status,
    expireAt: `${dayText(billing.dueOn)}T00:00:00`,
    amount: chargedAmount(subscription.terms.amount),
    installment: billing.installment,
  };
  const nextChargeOn = billing.chargeOn === null ? undefined : dayText(billing.chargeOn);
  if (hasMore) assert.partialDeepStrictEqual({ nextChargeOn, ...shown }, { ...expected, nextChargeOn });
  else assert.deepEqual(shown, expected);
  const isPaid = billing.status === 'Paid';
  assert.deepEqual([paymentId !== null, nsu !== null], [isPaid, isPaid]);
  assertSubscription(shop, subscription, embedded);
  assertStamps(billing, { created, modified });
}

export type BillingPlace = { readonly subscription: ModelSubscription; readonly billing: ModelBilling };

export function billingsOf({ subscriptions }: ModelShop): BillingPlace[] {
  return subscriptions.flatMap((subscription) =>
    subscription.billings.map((billing) => ({ subscription, billing })),
  );
}

/**
 * The service chose the ids of the billings that it has opened: reports them to the model, which
 * knows what each must be.
 */
export function learnBillings(shop: ModelShop, answered: readonly Answered[]): void {
  const known = new Set(billingsOf(shop).map(({ billing }) => billing.id));
  for (const item of answered) {
    if (known.has(item.id as string)) continue;
    const place = billingsOf(shop).find(
      ({ subscription, billing }) =>
        billing.id === null &&
        subscription.id === (item.subscription as Answered).id &&
        billing.installment === item.installment,
    );
    assert.ok(place !== undefined, `nobody should have opened ${JSON.stringify(item)}`);
    place.billing.id = item.id as string;
  }
}

type ShownStamp = { readonly by: unknown; readonly date: unknown };

function stampsApart(answered: unknown): Answered & { created: ShownStamp; modified: ShownStamp } {
  const { createdBy, createdDate, modifiedBy, modifiedDate, ...rest } = answered as Answered;
  return {
    ...rest,
    created: { by: createdBy, date: createdDate },
    modified: { by: modifiedBy, date: modifiedDate },
  };
}

function assertStamps(
  { created, modified }: { readonly created: Stamp; readonly modified: Stamp | null },
  shown: { readonly created: ShownStamp; readonly modified: ShownStamp },
): void {
  assertStamp(created, shown.created);
  if (modified === null) assert.deepEqual(shown.modified, { by: undefined, date: undefined });
  else assertStamp(modified, shown.modified);
}

/** Seen for the first time it is of its day; from then on it is what it was. */
function assertStamp(stamp: Stamp, { by, date }: ShownStamp): void {
  assert.ok(stamp.by.includes(by as string), `by ${by}, not by ${stamp.by.join(' or ')}`);
  if (stamp.date === null) {
    assert.match(String(date), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/);
    assert.equal(String(date).slice(0, 10), dayText(stamp.on));
    stamp.date = date as string;
    stamp.by = [by as string];
  }
  assert.equal(date, stamp.date);
}
