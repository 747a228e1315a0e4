import assert from 'node:assert/strict';
import type { Chance } from '../../../chaos/chance.ts';
import { chargeDue } from './charge-model.ts';
import { compareCharged } from './compare-charges.ts';
import {
  type Answered,
  assertBilling,
  assertPlan,
  assertSubscription,
  type BillingPlace,
  billingsOf,
  learnBillings,
} from './compare-shop.ts';
import { assertRefused, assertStatus, type Door, get, type Turn, unownedId } from './door.ts';
import {
  chargedAmount,
  dayText,
  type ModelPlan,
  type ModelShop,
  type ModelSubscription,
  type Stamp,
} from './shop-model.ts';

/** Equal keys are ties; numbers and texts are never mixed under one field. */
type Key = string | number | bigint;

type List<Thing> = {
  readonly path: string;
  things(shop: ModelShop): Thing[];
  idOf(thing: Thing): string;
  /** What each field is ordered by. The author of a change is left out: without one, no place is promised. */
  readonly keys: Readonly<Record<string, (thing: Thing) => Key>>;
  assert(shop: ModelShop, thing: Thing, answered: unknown): void;
  /** A filter and what it lets through; empty: all. */
  drawFilters(turn: Turn): Filter<Thing>[];
};

type Filter<Thing> = { readonly query: string; readonly fits: (thing: Thing) => boolean };

const keyOfStamp = ({ date }: Stamp): string => date ?? '';
/** By value: digits would put 10 before 9. */
const keyOfAmount = (amount: string): bigint => {
  const [reais = '', fraction = ''] = amount.split('.');
  return BigInt(reais) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
};

const PLANS: List<ModelPlan> = {
  path: '/v1/recurrences/plans',
  things: ({ plans }) => [...plans],
  idOf: ({ id }) => id,
  keys: {
    id: ({ id }) => id,
    name: ({ name }) => name,
    amount: ({ terms }) => keyOfAmount(terms.amount),
    planType: ({ terms }) => terms.planType,
    trialDays: ({ terms }) => terms.trialDays,
    interval: ({ terms }) => terms.interval,
    installments: ({ terms }) => terms.installments,
    attempts: ({ terms }) => terms.attempts,
    status: ({ status }) => status,
    createdDate: ({ created }) => keyOfStamp(created),
  },
  assert: (shop, plan, answered) => assertPlan(shop, plan, answered),
  drawFilters: ({ chance }) => [
    ...some(chance, () => byName('name', chance, ({ name }: ModelPlan) => name)),
    ...some(chance, () => byStatus(['Active', 'Inactive', 'Canceled'], chance)),
  ],
};

const SUBSCRIPTIONS: List<ModelSubscription> = {
  path: '/v1/recurrences/subscriptions',
  things: ({ subscriptions }) => [...subscriptions],
  idOf: ({ id }) => id,
  keys: {
    id: ({ id }) => id,
    vaultId: ({ vaultId }) => vaultId,
    orderNumber: ({ orderNumber }) => orderNumber,
    status: ({ status }) => status,
    createdDate: ({ created }) => keyOfStamp(created),
  },
  assert: assertSubscription,
  drawFilters: ({ own, other, chance }) => [
    ...some(chance, () => byName('planName', chance, ({ plan }: ModelSubscription) => plan.name)),
    ...some(chance, () => byStatus(['Active', 'Blocked', 'Canceled'], chance)),
    ...some(chance, (): Filter<ModelSubscription> => {
      const number = `P-${chance.whole(100, 106)}`;
      return { query: `orderNumber=${number}`, fits: ({ orderNumber }) => orderNumber === number };
    }),
    ...some(chance, (): Filter<ModelSubscription> => {
      const card = chance.pick([...own.model.cards, ...other.model.cards]).vaultId;
      return { query: `vaultId=${card}`, fits: ({ vaultId }) => vaultId === card };
    }),
  ],
};

const BILLINGS: List<BillingPlace> = {
  path: '/v1/recurrences/billing',
  things: billingsOf,
  idOf: ({ billing }) => billing.id ?? '',
  keys: {
    id: ({ billing }) => billing.id ?? '',
    status: ({ billing }) => billing.status,
    expireAt: ({ billing }) => billing.dueOn,
    amount: ({ subscription }) => keyOfAmount(chargedAmount(subscription.terms.amount)),
    installment: ({ billing }) => billing.installment,
    createdDate: ({ billing }) => keyOfStamp(billing.created),
  },
  assert: (shop, place, answered) => assertBilling(shop, place, answered),
  drawFilters: ({ own, other, chance }) => [
    ...some(chance, (): Filter<BillingPlace> => {
      const states = ['Opened', 'PaymentInvalid', 'Canceled', 'Denied', 'Paid'];
      const state = chance.pick([...states, 'Opened', 'Canceled']);
      return { query: `status=${state}`, fits: ({ billing }) => billing.status === state };
    }),
    ...some(chance, (): Filter<BillingPlace> => {
      const mid = chance.pick([own.model.merchantId, other.model.merchantId, 'nobodys']);
      return { query: `mid=${mid}`, fits: () => mid === own.model.merchantId };
    }),
    ...some(chance, () => byDays(own.model, chance)),
  ],
};

function some<Thing>(chance: Chance, draw: () => Filter<Thing>): Filter<Thing>[] {
  return chance.isIn(0.4) ? [draw()] : [];
}

/** As it may be typed: without accents, in capitals, with characters that elsewhere stand for others. */
const SEARCHED = ['a', 'CAFÉ', 'cafe', 'onibus', 'ÔNIBUS', '%', '_', 'acai', 'zzz', 'fã-', 'do O'];

function byName<Thing>(field: string, chance: Chance, nameOf: (thing: Thing) => string): Filter<Thing> {
  const text = chance.pick(SEARCHED);
  const plain = (one: string) =>
    one
      .normalize('NFD')
      .replaceAll(/[\u0300-\u036f]/g, '')
      .toLowerCase();
  return {
    query: `${field}=${encodeURIComponent(text)}`,
    fits: (thing) => plain(nameOf(thing)).includes(plain(text)),
  };
}

function byStatus<Thing extends { readonly status: string }>(
  states: readonly string[],
  chance: Chance,
): Filter<Thing> {
  const wanted = chance.pick(states);
  return { query: `status=${wanted}`, fits: ({ status }) => status === wanted };
}

/** From, until, or both; around the days that there are. */
function byDays({ today }: ModelShop, chance: Chance): Filter<BillingPlace> {
  const first = today + chance.whole(-60, 60);
  const last = first + chance.pick([0, 1, 30, 90]);
  const start = `expirationDateRangeStartDate=${dayText(first)}`;
  const end = `expirationDateRangeEndDate=${dayText(last)}`;
  const isFrom = ({ billing }: BillingPlace) => billing.dueOn >= first;
  const isUntil = ({ billing }: BillingPlace) => billing.dueOn <= last;
  return chance.pick([
    { query: start, fits: isFrom },
    { query: end, fits: isUntil },
    { query: `${start}&${end}`, fits: (place: BillingPlace) => isFrom(place) && isUntil(place) },
  ]);
}

export const listPlans = (turn: Turn): Promise<void> => drawList(turn, PLANS);
export const listSubscriptions = (turn: Turn): Promise<void> => drawList(turn, SUBSCRIPTIONS);
export const listBillings = (turn: Turn): Promise<void> => drawList(turn, BILLINGS);

async function drawList<Thing>(turn: Turn, list: List<Thing>): Promise<void> {
  const { own, chance, report } = turn;
  const filters = list.drawFilters(turn);
  const field = chance.isIn(0.3) ? null : chance.pick(Object.keys(list.keys));
  const direction = chance.pick(['', ' asc', ' desc']);
  const limit = chance.pick([1, 2, 3, 20]);
  const page = chance.pick([1, 1, 2, 3]);
  const query = [
    ...filters.map((filter) => filter.query),
    ...(field === null ? [] : [`orderBy=${encodeURIComponent(field + direction)}`]),
    ...[`limit=${limit}`, `page=${page}`],
  ].join('&');
  report(`lists ${list.path}?${query}`);
  const answer = await get(own, `${list.path}?${query}`);
  assertStatus(answer, 200);
  const things = list.things(own.model).filter((thing) => filters.every(({ fits }) => fits(thing)));
  const isDescending = field === null || direction === ' desc';
  assertPage(own, list, answer.exact, { things, field: field ?? 'createdDate', isDescending, page, limit });
}

/** What no list takes is refused by name. */
export async function listWrongly({ own, chance, report }: Turn): Promise<void> {
  const { path } = chance.pick([PLANS, SUBSCRIPTIONS, BILLINGS]);
  const wrong: readonly (readonly [string, string])[] = [
    ['limit', '0'],
    ['limit', '101'],
    ['page', '0'],
    ['page', 'one'],
    ['orderBy', 'password'],
    ['orderBy', 'createdDate sideways'],
    ['orderBy', 'id;drop'],
    ['status', 'Sleeping'],
  ];
  const [field, value] = chance.pick(wrong);
  report(`lists ${path} wrongly by ${field} ${value}`);
  const answer = await get(own, `${path}?${field}=${encodeURIComponent(value)}`);
  assertRefused(answer, 400, [field]);
}

type Wanted<Thing> = {
  readonly things: readonly Thing[];
  readonly field: string;
  readonly isDescending: boolean;
  readonly page: number;
  readonly limit: number;
};

function assertPage<Thing>(own: Door, list: List<Thing>, answered: unknown, wanted: Wanted<Thing>): void {
  const { items, ...about } = answered as Answered & { items: Answered[] };
  const { things, page, limit } = wanted;
  assert.deepEqual(about, { page, limit, total: things.length });
  // Ties break by id, and both ways of that give pages that never overlap.
  const pages = [1, -1].map((tie) =>
    inOrder(list, wanted, tie).slice((page - 1) * limit, (page - 1) * limit + limit),
  );
  const shown = items.map(({ id }) => id);
  const expected = pages.find((one) => one.every((thing, index) => list.idOf(thing) === shown[index]));
  assert.ok(
    expected !== undefined && expected.length === items.length,
    `in another order than by ${wanted.field}: ${shown.join(' ')}, not ${pages[0]?.map(list.idOf).join(' ')}`,
  );
  for (const [index, thing] of expected.entries()) list.assert(own.model, thing, items[index]);
}

function inOrder<Thing>(
  list: List<Thing>,
  { things, field, isDescending }: Wanted<Thing>,
  tie: number,
): Thing[] {
  const keyOf = list.keys[field] as (thing: Thing) => Key;
  return [...things].sort((one, other) => {
    const byKey = compare(keyOf(one), keyOf(other)) * (isDescending ? -1 : 1);
    return byKey === 0 ? compare(list.idOf(one), list.idOf(other)) * tie : byKey;
  });
}

function compare(one: Key, other: Key): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const MOST_SHOWN = 100;

/**
 * Everything that a merchant can see beside everything that the model has, newest first, once all
 * that is due is charged.
 */
export async function compareAll(own: Door): Promise<void> {
  chargeDue(own.model);
  await compareCharged(own);
  await Promise.all([
    compareList(own, PLANS),
    compareList(own, SUBSCRIPTIONS),
    compareList(own, BILLINGS, (items) => learnBillings(own.model, items)),
  ]);
}

async function compareList<Thing>(
  own: Door,
  list: List<Thing>,
  learn: (items: readonly Answered[]) => void = () => {},
): Promise<void> {
  const pages: Answered[][] = [];
  for (let total = 1; MOST_SHOWN * pages.length < total; ) {
    const answer = await get(own, `${list.path}?limit=${MOST_SHOWN}&page=${pages.length + 1}`);
    assertStatus(answer, 200);
    const shown = answer.exact as { items: Answered[]; total: number };
    pages.push(shown.items);
    total = shown.total;
  }
  const items = pages.flat();
  learn(items);
  const things = list.things(own.model);
  const byId = new Map(things.map((thing) => [list.idOf(thing), thing]));
  // What is new has its time from here: by it all are put in order next.
  for (const item of items) {
    const thing = byId.get(item.id as string);
    assert.ok(thing !== undefined, `${list.path} shows what nobody made: ${JSON.stringify(item)}`);
    list.assert(own.model, thing, item);
  }
  const limit = Math.max(MOST_SHOWN, items.length);
  const wanted = { things, field: 'createdDate', isDescending: true, page: 1, limit };
  const whole = { items, page: 1, limit, total: items.length };
  assertPage(own, list, whole, wanted);
}

/** What another merchant has is not there, whatever is asked of it. */
export async function askForNobodys({ own, chance, report }: Turn): Promise<void> {
  const { path } = chance.pick([PLANS, SUBSCRIPTIONS, BILLINGS]);
  const id = unownedId(chance);
  report(`asks ${path} for ${id}`);
  assertStatus(await get(own, `${path}/${id}`), 404);
}
