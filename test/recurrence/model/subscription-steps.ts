import assert from 'node:assert/strict';
import { chargeManually, passDays } from './charge-model.ts';
import { assertBilling, assertSubscription, billingsOf } from './compare-shop.ts';
import { assertRefused, assertStatus, drawTarget, get, post, type Turn, unownedId } from './door.ts';
import {
  cancelBilling,
  dayOf,
  dayText,
  enrol,
  type ModelCard,
  type ModelShop,
  type ModelSubscription,
  moveSubscription,
  moveVault,
} from './shop-model.ts';

const SUBSCRIPTIONS = '/v1/recurrences/subscriptions';
const BILLING = '/v1/recurrences/billing';

export async function createSubscription({ own, other, chance, report }: Turn): Promise<void> {
  const plan = drawTarget(chance, own.model.plans, other.model.plans);
  const vaultId = drawCard({ own, other, chance, report });
  const isKnownCard = hasCard(own.model, vaultId);
  // The answer for a closed plan beside an unknown card is not specified.
  if (!isKnownCard && plan.thing !== null && plan.thing.status !== 'Active') return;
  const orderNumber = `P-${chance.whole(100, 105)}`;
  const body = { vaultId, orderNumber, planId: plan.id };
  report(`subscribes ${JSON.stringify(body)} to a plan that is ${plan.thing?.status ?? 'not theirs'}`);
  const answer = await post(own, SUBSCRIPTIONS, body);
  if (plan.thing === null || !isKnownCard) {
    const unknown = [...(plan.thing === null ? ['planId'] : []), ...(isKnownCard ? [] : ['vaultId'])];
    return assertRefused(answer, 400, unknown);
  }
  if (plan.thing.status !== 'Active') return assertRefused(answer, 409, ['planId']);
  assertStatus(answer, 200);
  assert.equal(typeof answer.body, 'string', answer.text);
  enrol(own.model, { id: answer.body as string, plan: plan.thing, vaultId, orderNumber });
}

export async function readSubscription({ own, other, chance, report }: Turn): Promise<void> {
  const { id, thing } = drawTarget(chance, own.model.subscriptions, other.model.subscriptions);
  report(`reads subscription ${id}`);
  const answer = await get(own, `${SUBSCRIPTIONS}/${id}`);
  assertStatus(answer, thing === null ? 404 : 200);
  if (thing !== null) assertSubscription(own.model, thing, answer.exact);
}

export async function moveStatusOfSubscription({ own, other, chance, report }: Turn): Promise<void> {
  const { id, thing } = drawTarget(chance, own.model.subscriptions, other.model.subscriptions);
  // Most often to where it is not.
  const isToEnd = chance.isIn(thing === null || thing.status === 'Active' ? 0.8 : 0.2);
  const status = isToEnd ? 'Canceled' : chance.pick(['Actived', 'Active']);
  report(`moves subscription ${id} to ${status}`);
  const answer = await post(own, `${SUBSCRIPTIONS}/${id}/status`, { status });
  if (thing === null) return assertStatus(answer, 404);
  if (!moveSubscription(own.model, thing, status === 'Canceled' ? 'Canceled' : 'Active')) {
    return assertStatus(answer, 409);
  }
  assertStatus(answer, 200);
  assert.deepEqual(answer.body, { id });
}

export async function changeCard(turn: Turn): Promise<void> {
  const { own, other, chance, report } = turn;
  const { id, thing } = drawTarget(chance, own.model.subscriptions, other.model.subscriptions);
  // Which of two unknown ids is reported first is not specified.
  const vaultId = thing === null ? chance.pick(own.model.cards).vaultId : drawCard(turn, thing);
  report(`changes the card of subscription ${id} to ${vaultId}`);
  const answer = await post(own, `${SUBSCRIPTIONS}/${id}/vault`, { vaultId });
  if (thing === null) return assertStatus(answer, 404);
  if (!hasCard(own.model, vaultId)) return assertRefused(answer, 400, ['vaultId']);
  assertStatus(answer, 200);
  assert.deepEqual(answer.body, { id });
  moveVault(own.model, thing, vaultId);
}

export async function readBilling({ own, other, chance, report }: Turn): Promise<void> {
  const { id, place } = drawBilling({ own, other, chance, report });
  report(`reads billing ${id}`);
  const answer = await get(own, `${BILLING}/${id}`);
  assertStatus(answer, place === null ? 404 : 200);
  if (place !== null) assertBilling(own.model, place, answer.exact, true);
}

export async function cancelOneBilling({ own, other, chance, report }: Turn): Promise<void> {
  const { id, place } = drawBilling({ own, other, chance, report });
  report(`cancels billing ${id}, which is ${place?.billing.status ?? 'not theirs'}`);
  const answer = await post(own, `${BILLING}/${id}/cancel`);
  if (place === null) return assertStatus(answer, 404);
  if (!cancelBilling(own.model, place.subscription, place.billing)) return assertStatus(answer, 409);
  assertStatus(answer, 200);
  assert.equal(answer.body, id);
}

export async function chargeOneByHand(turn: Turn): Promise<void> {
  const { own, chance, report } = turn;
  const failed = billingsOf(own.model).filter(({ billing }) => CHARGEABLE.includes(billing.status));
  const isOfFailed = failed.length > 0 && chance.isIn(0.8);
  const { id, place } = drawBilling(turn, isOfFailed ? failed : billingsOf(own.model));
  report(`charges billing ${id} by hand, which is ${place?.billing.status ?? 'not theirs'}`);
  const answer = await post(own, `${BILLING}/${id}/charge`);
  if (place === null) return assertStatus(answer, 404);
  const charged = chargeManually(own.model, place.subscription, place.billing);
  // What cannot even be sent is no decline.
  if (charged === null || (charged.outcome === 'Invalid' && !charged.isSent))
    return assertStatus(answer, 409);
  assertStatus(answer, charged.outcome === 'Approved' ? 200 : 402);
  if (charged.outcome === 'Approved') assertBilling(own.model, place, answer.exact, true);
}

const CHARGEABLE: readonly string[] = ['Denied', 'PaymentInvalid'];

/** The business time of one merchant goes on, and whatever falls due is charged on its day. */
export async function moveClock({ own, chance, report }: Turn): Promise<void> {
  const { today } = own.model;
  const opened = billingsOf(own.model).filter(({ billing }) => billing.chargeOn !== null);
  const chargeOn = opened.length > 0 ? (chance.pick(opened).billing.chargeOn as number) : today + 1;
  // To midnight of a day on which something is due, and to the evening before; else the hour stays.
  const moves = [
    { day: chargeOn, time: '00:00:00' },
    { day: chargeOn - 1, time: '21:00:00' },
    ...[1, 2, 9, 30, 31, 47, 95, 150].map((days) => ({ day: today + days, time: null })),
  ].filter(({ day }) => day > today && day <= own.model.lastDay);
  if (moves.length === 0) return;
  const { day, time } = chance.pick(moves);
  const body = time === null ? { advanceDays: day - today } : { to: `${dayText(day)}T${time}` };
  report(`lets time go by: ${JSON.stringify(body)}`);
  const answer = await post(own, '/homologation/clock', body);
  assertStatus(answer, 200);
  passDays(own.model, day);
  assert.equal(dayOf((answer.body as { now: string }).now), own.model.today);
}

const hasCard = ({ cards }: ModelShop, vaultId: string) => cards.some((card) => card.vaultId === vaultId);

/** Mostly one of their own. */
function drawCard({ own, other, chance }: Turn, subscription: ModelSubscription | null = null): string {
  if (!chance.isIn(0.85)) {
    return chance.isIn(0.6) ? chance.pick(other.model.cards).vaultId : unownedId(chance);
  }
  // A card whose answers depend on those before pays for one subscription: which of two comes first
  // on a day is nowhere said.
  const free = own.model.cards.filter(
    (card) =>
      !isCounted(card) ||
      own.model.subscriptions.every((one) => one === subscription || one.vaultId !== card.vaultId),
  );
  const counted = free.filter(isCounted);
  return chance.pick(counted.length > 0 && chance.isIn(0.65) ? counted : free).vaultId;
}

const isCounted = ({ lacksFunds, approvals }: ModelCard) => lacksFunds > 0 || approvals !== null;

/** Opened ones more often than not: the others are refused. */
function drawBilling({ own, other, chance }: Turn, places = billingsOf(own.model)) {
  const opened = places.filter(({ billing }) => billing.status === 'Opened');
  const candidates = opened.length > 0 && chance.isIn(0.7) ? opened : places;
  const named = candidates.map((place) => ({ id: place.billing.id, place }));
  const others = billingsOf(other.model).map((place) => ({ id: place.billing.id, place }));
  const { id, thing } = drawTarget(chance, named, others);
  return { id, place: thing?.place ?? null };
}
