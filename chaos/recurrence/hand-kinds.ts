import { DEADLINE_MILLISECONDS } from '../chaos-bench.ts';
import { openFleet } from '../gateways.ts';
import { nextTurn } from '../kinds/coverage.ts';
import { breakCommits } from '../kinds/errors.ts';
import { countStrike, type Kind } from '../kinds/kind.ts';
import { onTheWire, statementNames, wordOf, writingNames } from '../kinds/statements.ts';
import { openPartitionProxy, type PartitionProxy } from '../partition-proxy.ts';
import { drain, leaveUnderWay, type Scene } from '../rounds.ts';
import type { ChargingShop } from './chaos-merchant.ts';
import { chargeOneByHand, listed } from './merchant.ts';
import { pause } from './patience.ts';
import { awaitQuiet, nextChargingRound, type RoundSettings, shopOf, writeSteps } from './rounds.ts';

const SUBSCRIPTIONS = 10;
const QUIET_MILLISECONDS = 60_000;
const WATCH_MILLISECONDS = DEADLINE_MILLISECONDS + 1_000;
/** What a charge by hand looks up or writes. */
const ROOMS = ['recurrence', 'transactions', 'cards', 'idempotency'];

/**
 * Everything that was denied is charged by hand, each charge with a fault of its own behind the
 * acquirer's answer.
 */
export const HAND_CHARGES: Kind = {
  name: 'byHand',
  about: 'charges by hand whose reads are cut, or whose commits PostgreSQL refuses, one after the other',
  share: 5,
  isAlone: true,
  async run(scene, times, tally) {
    await scene.fleet.clear();
    const names = statementNames(ROOMS).map(onTheWire);
    const proxy = await openPartitionProxy(scene.bench.address, names);
    const fleet = openFleet(scene.bench, proxy.address, 2);
    const given = { ...scene, fleet };
    const asked = new Set<string>();
    try {
      for (let round = 1; tally.faults < times && round <= times + 5; round += 1) {
        const name = `${scene.name}.${round}`;
        const { shop, finish } = await deniedShop(given, name);
        const [, witness] = await fleet.pair();
        const ids = await listed(shop, witness, 'billing?status=Denied').catch(() => []);
        for (const id of ids.slice(0, Math.max(1, times - tally.faults))) {
          const what = await chargeUnderFault(given, proxy, shop, id, asked);
          if (what !== null) countStrike(tally, what);
          scene.note(`${name} ${what ?? 'did not occur'}`);
        }
        finish();
      }
      await drain(scene);
    } finally {
      await fleet.close();
      await proxy.close();
    }
  },
};

/**
 * A merchant whose first billings were all denied, and nothing of whom is under way; judged when it
 * is said that all is done.
 */
async function deniedShop(
  scene: Scene,
  round: string,
): Promise<{ readonly shop: ChargingShop; readonly finish: () => void }> {
  const { chance, bench } = scene;
  const settings: RoundSettings = {
    ...{ subscriptions: SUBSCRIPTIONS, days: chance.whole(13, 16), isOneNight: false, spoiled: 0 },
    ...{ things: 0, isPlain: true },
  };
  const { victim, witness, batch } = await nextChargingRound(scene, round, settings);
  const shop = shopOf(scene, round);
  const done = Promise.withResolvers<void>();
  shop.sleepers.push(done.promise);
  await writeSteps(
    bench,
    shop,
    Array.from({ length: SUBSCRIPTIONS }, () => ({ outcome: 'declined' })),
  );
  await batch.send(victim, witness);
  await awaitQuiet(scene, shop, QUIET_MILLISECONDS);
  await writeSteps(bench, shop, []);
  return { shop, finish: done.resolve };
}

/** Gives what was struck; null: it did not come to that. */
async function chargeUnderFault(
  scene: Scene,
  proxy: PartitionProxy,
  shop: ChargingShop,
  billingId: string,
  asked: Set<string>,
): Promise<string | null> {
  const { chance, fleet, bench } = scene;
  const [victim] = await fleet.pair();
  if (asked.size === 0) {
    // One that nobody disturbs shows what is asked of PostgreSQL.
    const before = new Map(proxy.seen);
    await chargeOneByHand(shop, victim, billingId);
    for (const [name, count] of proxy.seen) if (count > (before.get(name) ?? 0)) asked.add(name);
    return null;
  }
  if (chance.isIn(SHARE_OF_ERRORS)) {
    const broken = await breakCommits(bench, chance, OUTCOME_TABLES);
    await chargeOneByHand(shop, victim, billingId);
    await broken.mend();
    return broken.what;
  }
  const reads = [...asked].filter((name) => !WRITING.has(name));
  const text = nextTurn(scene, 'byHand', { known: chance.isIn(SHARE_OF_ALL) ? [...asked] : reads });
  if (text === null) return null;
  const holding = proxy.hold(text);
  const charging = chargeOneByHand(shop, victim, billingId).then(() => null);
  leaveUnderWay(
    scene,
    charging.then(() => {}),
  );
  const held = await Promise.race([holding, charging, pause(WATCH_MILLISECONDS).then(() => null)]);
  held?.drop();
  await charging;
  proxy.heal();
  return held === null ? null : `cut before ${wordOf(text)}`;
}

const SHARE_OF_ERRORS = 0.4;
/** Of the cuts that may strike a write too: those of reads are met nowhere else behind a charge. */
const SHARE_OF_ALL = 0.3;
const WRITING = new Set(writingNames(ROOMS).map(onTheWire));

/** What the outcome of a charge writes. */
const OUTCOME_TABLES = ['installments', 'movements', 'billings', 'billing_charges', 'transactions'];
