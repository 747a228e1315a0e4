import assert from 'node:assert/strict';
import type { Chance } from '../../../chaos/chance.ts';
import { assertPlan } from './compare-shop.ts';
import { assertRefused, assertStatus, drawTarget, get, post, type Turn, tagsOf } from './door.ts';
import {
  addPlan,
  editPlan,
  INTERVALS,
  type ModelPlan,
  movePlan,
  type PlanEdit,
  type PlanStatus,
  type Terms,
} from './shop-model.ts';

const PLANS = '/v1/recurrences/plans';

/** In one order whatever the rules of a language say of accents and capitals: no two begin alike. */
const NAMES = ['alô Mundo', 'boné AZUL', 'café do Ônibus', 'doce 100%', 'extra_açaí', 'fã-clube'];
const DESCRIPTIONS = ['uma vez por mês', 'o de sempre', 'para a família'];
/**
 * Halves of a cent on both sides, and as many digits as there may be: too much cannot be charged. The
 * last ones the simulator declines.
 */
const AMOUNTS = [
  ...['1', '49.9', '20.125', '20.135', '0.014999'],
  ...['0.005001', '123456789012.123456'],
  ...['10.05', '10.51', '10.58', '10.59', '10.91', '10.91'],
];
const TYPES = Object.keys(INTERVALS);

export async function createPlan({ own, chance, report }: Turn): Promise<void> {
  const request = drawPlan(chance);
  const body: Record<string, unknown> = {
    ...request,
    ...request.terms,
    terms: undefined,
    paymentMethod: 'CreditCard',
  };
  if (request.terms.trialDays === 0 && chance.isIn(0.5)) body.trialDays = undefined;
  if (request.terms.attempts === 0 && chance.isIn(0.5)) body.attempts = undefined;
  const hasEnd = request.terms.installments !== 0;
  if (!hasEnd && chance.isIn(0.7)) body.interval = body.installments = undefined;
  if (chance.isIn(0.3)) body.merchantId = own.model.merchantId;
  // What only the service may say is not looked at.
  if (chance.isIn(0.3)) Object.assign(body, { id: 'mine', status: 'Canceled', createdBy: 'me' });
  report(`creates a plan ${JSON.stringify(body)}`);
  const answer = await post(own, PLANS, body);
  assertStatus(answer, 200);
  assert.equal(typeof answer.body, 'string', answer.text);
  addPlan(own.model, { ...request, id: answer.body as string });
}

/** One fault or two, each of which must be named. */
export async function createWrongPlan({ own, other, chance, report }: Turn): Promise<void> {
  const request = drawPlan(chance);
  const faults: [string, unknown][] = [
    ['attempts', 5],
    ['trialDays', 731],
    ['amount', chance.pick(['0', '0.005'])],
    ['name', ''],
    ['description', 'd'.repeat(256)],
    ['paymentMethod', 'Boleto'],
    [
      'interval',
      request.terms.planType === 'Custom' ? chance.pick([19, undefined]) : request.terms.interval + 1,
    ],
    [
      'installments',
      request.terms.planType === 'Custom'
        ? chance.pick([0, undefined])
        : request.terms.planType === 'Monthly'
          ? 1_000
          : 3,
    ],
    ['merchantId', other.model.merchantId],
  ];
  const drawn = new Map([chance.pick(faults), chance.pick(faults)]);
  const right = { ...request, ...request.terms, terms: undefined, paymentMethod: 'CreditCard' };
  const body = { ...right, ...Object.fromEntries(drawn) };
  report(`creates a wrong plan ${JSON.stringify(body)}`);
  assertRefused(await post(own, PLANS, body), 400, [...drawn.keys()]);
}

export async function readPlan({ own, other, chance, report }: Turn): Promise<void> {
  const { id, thing } = drawTarget(chance, own.model.plans, other.model.plans);
  report(`reads plan ${id}`);
  const answer = await get(own, `${PLANS}/${id}`);
  assertStatus(answer, thing === null ? 404 : 200);
  if (thing !== null) assertPlan(own.model, thing, answer.exact);
}

export async function updatePlan({ own, other, chance, report }: Turn): Promise<void> {
  const { id, thing } = drawTarget(chance, own.model.plans, other.model.plans);
  const edit = drawEdit(chance, thing ?? drawPlan(chance));
  const sent = Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== null));
  const body = { ...sent, merchantId: own.model.merchantId, paymentMethod: 'CreditCard' };
  report(`updates plan ${id} ${JSON.stringify(body)}`);
  const answer = await post(own, `${PLANS}/${id}`, body);
  if (thing === null) return assertStatus(answer, 404);
  const refusal = editPlan(own.model, thing, edit);
  if (refusal === null) {
    assertStatus(answer, 200);
    return assert.equal(answer.body, id);
  }
  assertStatus(answer, 409);
  const tags = tagsOf(answer);
  assert.equal(new Set(tags).size, tags.length, answer.text);
  for (const tag of refusal.must) assert.ok(tags.includes(tag), `${tag} is not named: ${answer.text}`);
  for (const tag of tags) assert.ok(refusal.may.includes(tag), `${tag} does not differ: ${answer.text}`);
}

export async function updatePlanAsAnother({ own, other, chance, report }: Turn): Promise<void> {
  const { id, thing } = drawTarget(chance, own.model.plans, []);
  if (thing === null) return;
  const { terms, name, description } = thing;
  const { amount, planType } = terms;
  const right = { name, description, amount, planType, paymentMethod: 'CreditCard' };
  const body = chance.isIn(0.5) ? right : { ...right, merchantId: other.model.merchantId };
  report(`updates plan ${id} ${JSON.stringify(body)}`);
  assertRefused(await post(own, `${PLANS}/${id}`, body), 400, ['merchantId']);
}

export async function moveStatusOfPlan({ own, other, chance, report }: Turn): Promise<void> {
  const { id, thing } = drawTarget(chance, own.model.plans, other.model.plans);
  const status = chance.pick<PlanStatus>(['Active', 'Active', 'Active', 'Inactive', 'Canceled']);
  const isEnrolled = own.model.subscriptions.some((one) => one.plan === thing && one.status !== 'Canceled');
  // Whether a plan that is canceled already ends who became active again since is nowhere said.
  if (thing?.status === 'Canceled' && status === 'Canceled' && isEnrolled) return;
  report(`moves plan ${id} to ${status}`);
  const answer = await post(own, `${PLANS}/${id}/status`, { status });
  if (thing === null) return assertStatus(answer, 404);
  assertStatus(answer, 200);
  assert.equal(answer.body, id);
  movePlan(own.model, thing, status);
}

type DrawnPlan = Pick<ModelPlan, 'name' | 'description' | 'terms'>;

function drawPlan(chance: Chance): DrawnPlan {
  const planType = chance.pick([...TYPES, 'Custom', 'Custom', 'Custom', 'Monthly']);
  return {
    name: chance.pick(NAMES),
    description: chance.pick(DESCRIPTIONS),
    terms: {
      amount: drawAmount(chance),
      planType,
      trialDays: chance.pick([0, 0, 1, 10, 45]),
      ...drawLength(chance, planType),
      attempts: chance.whole(0, 4),
    },
  };
}

/** What can be charged more often than not. */
function drawAmount(chance: Chance): string {
  return chance.isIn(0.55) ? '49.9' : chance.pick(AMOUNTS);
}

function drawLength(chance: Chance, planType: string): Pick<Terms, 'interval' | 'installments'> {
  const fixed = INTERVALS[planType] ?? null;
  if (planType === 'Monthly') return { interval: 30, installments: chance.pick([0, 0, 1, 3]) };
  if (fixed !== null) return { interval: fixed, installments: 0 };
  return { interval: chance.pick([20, 21, 45, 100]), installments: chance.pick([1, 1, 2, 12]) };
}

/** Half of them change nothing but words. What is sent of another type goes with that type. */
function drawEdit(chance: Chance, { name, description, terms }: DrawnPlan): PlanEdit {
  const changesTerms = chance.isIn(0.5);
  const planType = changesTerms && chance.isIn(0.4) ? chance.pick(TYPES) : terms.planType;
  const isOfSameType = planType === terms.planType;
  const length = isOfSameType && !(changesTerms && chance.isIn(0.3)) ? terms : drawLength(chance, planType);
  // A plan that becomes a custom one must say both.
  const mustSend = planType === 'Custom' && !isOfSameType;
  const kept = (value: number, other: () => number) => {
    if (chance.isIn(0.4)) return null;
    return changesTerms && chance.isIn(0.3) ? other() : value;
  };
  return {
    name: chance.isIn(0.4) ? chance.pick(NAMES) : name,
    description: chance.isIn(0.2) ? chance.pick(DESCRIPTIONS) : description,
    amount: changesTerms && chance.isIn(0.3) ? drawAmount(chance) : terms.amount,
    planType,
    trialDays: kept(terms.trialDays, () => chance.pick([0, 1, 10])),
    interval: mustSend || chance.isIn(0.6) ? length.interval : null,
    installments: mustSend || chance.isIn(0.6) ? length.installments : null,
    attempts: kept(terms.attempts, () => chance.whole(0, 4)),
  };
}
