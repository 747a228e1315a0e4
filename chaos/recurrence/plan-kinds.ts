import { countStrike, type Kind } from '../kinds/kind.ts';
import type { LateScene } from '../kinds/late.ts';
import { onTheWire } from '../kinds/statements.ts';
import { drain } from '../rounds.ts';
import type { ChargingShop } from './chaos-merchant.ts';
import { movePlan, subscribeNow } from './merchant.ts';
import { pause } from './patience.ts';
import { nextChargingRound, type RoundSettings, shopOf } from './rounds.ts';
import { heldRows } from './row-locks.ts';

const SUBSCRIPTIONS = 16;
/** Over the service's own limit of a second for a lock. */
const SHORTEST_HOLD_MILLISECONDS = 1_100;
const LONGEST_HOLD_MILLISECONDS = 2_500;
const HELD_ROWS = 6;
const SHARE_FREE_AT_ANSWER = 0.7;

/** Plans end while somebody holds what ends with them, and their subscriptions' days come at once. */
export const PLAN_CANCELLATIONS: Kind = {
  name: 'plans',
  about:
    'a plan canceled while rows of its subscriptions are held for longer than a second, and its days come',
  share: 4,
  async run(scene, times, tally) {
    const { chance, bench } = scene;
    for (let round = 1; round <= times; round += 1) {
      const name = `${scene.name}.${round}`;
      const settings: RoundSettings = {
        ...{ subscriptions: SUBSCRIPTIONS, days: chance.whole(13, 40), isOneNight: false, spoiled: 0 },
        ...{ things: chance.whole(0, 2), isPlain: true },
      };
      const { victim, witness, batch } = await nextChargingRound(scene, name, settings);
      const shop = shopOf(scene, name);
      const table = chance.pick(['subscriptions', 'billings', 'plans'] as const);
      const planId = fullestPlan(shop);
      const held = await heldRows(bench, { table, merchantId: shop.merchantId, planId, rows: HELD_ROWS });
      const holding = pause(chance.whole(SHORTEST_HOLD_MILLISECONDS, LONGEST_HOLD_MILLISECONDS));
      const moving = movePlan(shop, chance.isIn(0.5) ? victim : witness, planId, 'Canceled');
      // Free at the very answer, the rows meet whoever comes first: the end of the plan, or the engine.
      const isFreeAtAnswer = chance.isIn(SHARE_FREE_AT_ANSWER);
      const releasing = (isFreeAtAnswer ? moving : holding).then(held.release);
      const status = await moving;
      if (isFreeAtAnswer) await releasing;
      await batch.send(victim, witness);
      await releasing;
      countStrike(tally, `${table} held, the plan answered ${status}`);
      scene.note(`${name} ${table} held, the plan answered ${status}`);
    }
    await drain(scene);
  },
};

/** Of those that the most are enrolled in. */
function fullestPlan({ enrolled }: ChargingShop): string {
  const plans = [...Map.groupBy(enrolled, ({ planId }) => planId)];
  return plans.sort((one, other) => other[1].length - one[1].length)[0]?.[0] ?? '';
}

const WATCH_MILLISECONDS = 2_500;

/** An enrolment whose repetition met an inactive plan, and whose first statement meets an active one. */
export const LATE_ENROLMENT: LateScene = async (scene, proxy, round) => {
  const { chance } = scene;
  const settings: RoundSettings = {
    ...{ subscriptions: 2, days: 0, isOneNight: false, spoiled: 0, things: 0, isPlain: true },
  };
  const { victim, witness, batch } = await nextChargingRound(scene, round, settings);
  const shop = shopOf(scene, round);
  const done = Promise.withResolvers<void>();
  shop.sleepers.push(done.promise);
  await batch.send(victim, witness);
  const holding = proxy.hold(onTheWire('enrolments.insert'));
  const enrolling = subscribeNow(shop, victim, chance);
  const held = await Promise.race([holding, pause(WATCH_MILLISECONDS).then(() => null)]);
  if (held !== null) {
    await movePlan(shop, witness, shop.planOfNow, 'Inactive');
    held.lose();
  } else proxy.heal();
  await enrolling;
  await movePlan(shop, witness, shop.planOfNow, 'Active');
  await held?.deliver();
  done.resolve();
  return held === null ? null : 'an enrolment behind its refusal';
};
