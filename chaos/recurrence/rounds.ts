import { patiently } from '../../test/kit/patience.ts';
import { until } from '../../test/kit/service.ts';
import type { Chance } from '../chance.ts';
import { awaitChanges } from '../changes-home.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import { type Batch, drawStep, leaveUnderWay, nextRound, type Round, type Scene } from '../rounds.ts';
import type { ChargingShop, ShopCall, ShopSettings } from './chaos-merchant.ts';
import { judgeShop } from './judge/judge-merchant.ts';
import { isQuiet, whatIsUnderWay } from './judge/ledger-view.ts';
import { activateBlocked, askClock, chargeManually, doSomething, jumpTo } from './merchant.ts';
import type { OpenShop } from './open-chaos-merchant.ts';
import { again, pause } from './patience.ts';
import type { ShopTally } from './tally.ts';

/** What a run knows of its merchants. */
export type ChargingState = {
  readonly openShop: OpenShop;
  readonly tally: ShopTally;
  /** Every merchant so far: all are looked at once more in the end. */
  readonly shops: ChargingShop[];
  /** Billings that fall due at once where a whole night is charged. */
  readonly billings: number;
};

const states = new WeakMap<ChaosBench, ChargingState>();

export function keepState(bench: ChaosBench, state: ChargingState): void {
  states.set(bench, state);
}

/** Throws when the suite of recurrence did not prepare this bench. */
export function stateOf(bench: ChaosBench): ChargingState {
  const state = states.get(bench);
  if (state === undefined) throw new Error('this bench charges no billings');
  return state;
}

export type RoundSettings = ShopSettings & {
  /** The share of charges to which the acquirer does something of its own. */
  readonly spoiled: number;
};

const SUBSCRIPTIONS = 8;
const SHARE_OF_SPOILED_ROUNDS = 0.3;
/** The clock is not moved: only billings of today and new subscriptions are charged. */
const SHARE_OF_REAL_TIME = 0.12;
const THINGS_DONE = 4;
const SHARE_ASKED_AFTERWARDS = 0.6;
const LONGEST_WAIT_MILLISECONDS = 2_000;
const SHARE_OF_VICTIM = 0.85;
/** Rounds behind which somebody still waits for what the dead left. */
const MOST_UNDER_WAY = 12;
/** A lease of the dead, the pause before an answer is asked for again, and again: while faults go on. */
const SETTLED_MILLISECONDS = 180_000;
const LOOK_MILLISECONDS = 150;
/** Charges of a round, less those that come again. */
const SCRIPTED = 60;

/** The subscriptions and the jump of a round of the usual kind. */
export function usualSettings(chance: Chance): RoundSettings {
  return {
    subscriptions: SUBSCRIPTIONS,
    days: chance.isIn(SHARE_OF_REAL_TIME) ? 0 : chance.whole(3, 34),
    isOneNight: false,
    spoiled: chance.isIn(SHARE_OF_SPOILED_ROUNDS) ? 0.4 : 0,
  };
}

/** A round with settings of its own. */
export function nextChargingRound(scene: Scene, round: string, settings: RoundSettings): Promise<Round> {
  const prepareBatch: Scene['prepareBatch'] = (given, name, gateway) =>
    prepareRoundOf(given, name, gateway, settings);
  return nextRound({ ...scene, prepareBatch }, round);
}

/** A new merchant, whose clock is moved over due days while he does what merchants do. */
export const prepareRound: Scene['prepareBatch'] = (scene, round, gateway) =>
  prepareRoundOf(scene, round, gateway, usualSettings(scene.chance));

const MANY_THINGS = 8;

/** The same with a merchant who does much, so that every statement of his calls occurs. */
export const prepareBusyRound: Scene['prepareBatch'] = (scene, round, gateway) =>
  prepareRoundOf(scene, round, gateway, { ...usualSettings(scene.chance), things: MANY_THINGS });

async function prepareRoundOf(
  scene: Scene,
  round: string,
  gateway: Gateway,
  settings: RoundSettings,
): Promise<Batch> {
  const { bench, underWay, chance } = scene;
  while (!settings.isOneNight && underWay.size >= MOST_UNDER_WAY) await Promise.race(underWay);
  const { openShop, shops } = stateOf(bench);
  const shop = await openShop(round, gateway, chance, settings);
  if (settings.spoiled > 0) await writeScript(bench, shop, chance, settings.spoiled);
  shops.push(shop);
  return {
    round,
    send: async (victim, witness) => {
      const to = () => (chance.isIn(SHARE_OF_VICTIM) ? victim : witness);
      const sending = Promise.all([jumpOn(shop, to), ...thingsToDo(shop, chance, to, settings)]);
      const judging = async () => {
        await sending;
        await judgeWhenQuiet(scene, shop);
      };
      leaveUnderWay(scene, judging());
      await sending;
    },
  };
}

/** From target to target, as far as it goes: the wait for the end of the round does the rest. */
async function jumpOn(shop: ChargingShop, to: () => Gateway): Promise<void> {
  for (const target of shop.targets) if (!(await jumpTo(shop, to(), target))) return;
}

function thingsToDo(
  shop: ChargingShop,
  chance: Chance,
  to: () => Gateway,
  settings: RoundSettings,
): Promise<void>[] {
  const count = settings.isOneNight ? 0 : (settings.things ?? chance.whole(0, THINGS_DONE));
  return Array.from({ length: count }, async () => {
    await pause(chance.next() * LONGEST_WAIT_MILLISECONDS);
    await doSomething(shop, to(), chance);
  });
}

async function writeScript(
  bench: ChaosBench,
  shop: ChargingShop,
  chance: Chance,
  share: number,
): Promise<void> {
  const count = Math.max(SCRIPTED, shop.enrolled.length);
  const steps = Array.from({ length: share === 0 ? 0 : count }, () =>
    chance.isIn(share) ? drawStep(chance) : {},
  );
  await writeSteps(bench, shop, steps);
}

/** What the acquirer does to the next charges of the merchant; none: nothing. */
export async function writeSteps(
  { simulatorUrl }: ChaosBench,
  { merchantId }: ChargingShop,
  steps: readonly object[],
): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ merchantId, steps });
  const answer = await fetch(`${simulatorUrl}/script`, { method: 'POST', headers, body });
  if (answer.status !== 200) throw new Error(`the script was answered ${answer.status}`);
}

/**
 * Takes the clock to where it was to go, waits until nothing is under way, and compares the books.
 * Never throws.
 */
async function judgeWhenQuiet(scene: Scene, shop: ChargingShop): Promise<void> {
  const { tally } = stateOf(scene.bench);
  try {
    const isSettled = await resolveShop(scene, shop);
    await awaitChangesOf(scene, shop);
    await Promise.all(shop.sleepers);
    if (shop.targets.length > 0) await askAfterwards(scene, shop);
    const isQuietNow = isSettled && (await resolveShop(scene, shop));
    await awaitChangesOf(scene, shop);
    const left = JSON.stringify(await whatIsUnderWay(scene.bench, shop.merchantId));
    await again(() => writeScript(scene.bench, shop, scene.chance, 0));
    await judgeShop(scene, shop, tally);
    const late = { invariant: 'nothing stays unknown or due', reference: shop.merchantId, text: left };
    if (!isQuietNow) tally.find(shop, late);
  } catch (error) {
    const text = error instanceof Error ? `${error.stack}` : String(error);
    tally.find(shop, { invariant: 'the books can be read', reference: shop.merchantId, text });
  }
}

/** What happened behind a call that was lost comes by itself. */
async function awaitChangesOf({ bench }: Scene, shop: ChargingShop): Promise<void> {
  const isLost = ({ what, status }: ShopCall) =>
    (what === 'chargeback' || what === 'event') && (status === null || status >= 500);
  if (!shop.calls.some(isLost)) return;
  await awaitChanges(bench, [shop.merchantId]);
  await until('nothing is under way', () => isQuiet(bench, shop.merchantId), SETTLED_MILLISECONDS).catch(
    () => {},
  );
}

/** What was denied is charged by hand, and what is blocked goes on: only now is there any of it. */
async function askAfterwards({ fleet, chance }: Scene, shop: ChargingShop): Promise<void> {
  const own = chance.fork(`${shop.round}.afterwards`);
  for (const doOne of [chargeManually, activateBlocked]) {
    if (!own.isIn(SHARE_ASKED_AFTERWARDS)) continue;
    const gateway = await fleet.any(own);
    // A process that did not move the clock follows within a second, or when it is asked for it.
    await askClock(shop, gateway);
    await doOne(shop, gateway, own);
  }
}

/** False when something is still under way, or the clock has not arrived, after all this time. */
async function resolveShop(scene: Scene, shop: ChargingShop): Promise<boolean> {
  const { bench, chance } = scene;
  const last = shop.targets.at(-1);
  let hasArrived = last === undefined;
  const endsAt = performance.now() + patiently(SETTLED_MILLISECONDS);
  while (performance.now() < endsAt) {
    if (!hasArrived && last !== undefined) {
      const gateway = await scene.fleet.any(chance);
      const clock = await askClock(shop, gateway);
      hasArrived = clock !== null && clock.target === null && clock.now >= last;
      if (clock !== null && clock.target === null && !hasArrived) {
        // The faults of the round are over for this merchant: what is still to come, comes.
        await jumpTo(shop, gateway, shop.targets.find((target) => target > clock.now) ?? last);
        continue;
      }
    }
    if (hasArrived && (await isQuiet(bench, shop.merchantId))) return true;
    await pause(LOOK_MILLISECONDS);
  }
  return false;
}

/** Whether the merchant of a round has nothing under way, after a while. */
export function awaitQuiet({ bench }: Scene, shop: ChargingShop, milliseconds: number): Promise<boolean> {
  return until('nothing is under way', () => isQuiet(bench, shop.merchantId), milliseconds).catch(
    () => false,
  );
}

export function shopOf({ bench }: Scene, round: string): ChargingShop {
  const shop = stateOf(bench).shops.findLast((candidate) => candidate.round === round);
  if (shop === undefined) throw new Error(`${round} has no merchant`);
  return shop;
}
