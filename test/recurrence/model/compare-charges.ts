import assert from 'node:assert/strict';
import { until } from '../../kit/service.ts';
import {
  type Answered,
  assertBilling,
  assertSubscription,
  type BillingPlace,
  billingsOf,
  learnBillings,
} from './compare-shop.ts';
import { assertStatus, type Door, get } from './door.ts';
import { dayOf, dayText, type ModelCharge, type ModelSubscription } from './shop-model.ts';

const BILLING = '/v1/recurrences/billing';

/**
 * Everything that the model has charged since it was asked last, beside the service's answer, once it has
 * its outcome, and beside the acquirer's own books.
 */
export async function compareCharged(own: Door): Promise<void> {
  const { charged } = own.model;
  if (charged.size === 0) return;
  await learnOpened(own);
  const places = billingsOf(own.model).filter(({ billing }) => charged.has(billing));
  await Promise.all(places.map((place) => compareCharges(own, place)));
  const subscriptions = new Set(places.map(({ subscription }) => subscription));
  await Promise.all([...subscriptions].map((subscription) => compareEvents(own, subscription)));
  charged.clear();
}

/** The service chose the ids of what it has opened: of all of it. */
async function learnOpened(own: Door): Promise<void> {
  for (let page = 1, seen = 0, total = 1; seen < total; page += 1) {
    const answer = await get(own, `${BILLING}?limit=100&page=${page}`);
    assertStatus(answer, 200);
    const shown = answer.exact as { items: Answered[]; total: number };
    learnBillings(own.model, shown.items);
    seen += shown.items.length;
    total = shown.total;
  }
}

async function compareCharges(own: Door, place: BillingPlace): Promise<void> {
  const { id, charges } = place.billing;
  const isOver = (entry: Answered) => entry.outcome !== null;
  const answer = await until(`billing ${id} has ${charges.length} charges`, async () => {
    const read = await get(own, `${BILLING}/${id}`);
    assertStatus(read, 200);
    return chargesIn(read.exact).filter(isOver).length >= charges.length && read;
  });
  assertBilling(own.model, place, answer.exact, true);
  const reported = chargesIn(answer.exact).map(({ at, attempt, outcome, nextChargeOn }) => ({
    on: dayOf(at as string),
    attempt,
    outcome,
    nextChargeOn,
  }));
  const expected = charges.map(({ on, attempt, outcome, nextChargeOn }) => ({
    on,
    attempt,
    outcome,
    nextChargeOn: nextChargeOn === null ? null : dayText(nextChargeOn),
  }));
  assert.deepEqual(reported, expected);
  await compareLedger(own, id as string, charges);
}

async function compareEvents(own: Door, subscription: ModelSubscription): Promise<void> {
  const answer = await get(own, `/v1/recurrences/subscriptions/${subscription.id}`);
  assertStatus(answer, 200);
  assertSubscription(own.model, subscription, answer.exact);
}

function chargesIn(answered: unknown): Answered[] {
  const { timeline } = answered as { timeline: Answered[] };
  return timeline.filter(({ type }) => type === 'Charged');
}

/** By the acquirer's own books no try was made twice, and none was left out. */
async function compareLedger(own: Door, billingId: string, charges: readonly ModelCharge[]): Promise<void> {
  const answer = await get(own, `/homologation/acquirer/charges?reference=${billingId}`);
  assertStatus(answer, 200);
  const booked = (answer.body as { items: { status: string }[] }).items.map(({ status }) => status);
  const sent = charges.filter(({ isSent }) => isSent);
  assert.deepEqual(
    booked,
    sent.map(({ outcome }) => (outcome === 'Approved' ? 'approved' : 'declined')),
    `what the acquirer has booked for billing ${billingId}`,
  );
}
