import { openFleet } from '../gateways.ts';
import { type HeldMessage, openPartitionProxy, type PartitionProxy } from '../partition-proxy.ts';
import { awaitResolved, drain, leaveUnderWay, nextRound, type Scene } from '../rounds.ts';
import { countStrike, type Kind } from './kind.ts';
import { onTheWire, wordOf, writingNames } from './statements.ts';

/**
 * Has a statement repeated and answered before PostgreSQL gets the first one, and says what it was; null
 * when it did not come to that.
 */
export type LateScene = (scene: Scene, proxy: PartitionProxy, round: string) => Promise<string | null>;

const WATCH_MILLISECONDS = 2_500;
/** Of the rounds; the others hold whatever statement comes. */
const SHARE_OF_SCENES = 0.5;

/** `scenes`: what is worth being arranged, because chance meets it too rarely. */
export function lateStatements(scenes: readonly LateScene[]): Kind {
  return {
    name: 'late',
    about: 'a statement that reaches PostgreSQL after its repetition was answered',
    share: 2,
    isAlone: true,
    async run(scene, times, tally) {
      const { bench, chance, reach } = scene;
      // PostgreSQL has not connections enough for both fleets.
      await scene.fleet.clear();
      const proxy = await openPartitionProxy(bench.address, []);
      const fleet = openFleet(bench, proxy.address, 2);
      const given = { ...scene, fleet, ...(reach.busyBatch ? { prepareBatch: reach.busyBatch } : {}) };
      const ofMoney = writingNames(reach.rooms).filter((name) => reach.ofMoney.test(name));
      try {
        for (let round = 1; tally.faults < times && round <= 3 * times + 10; round += 1) {
          const name = `${scene.name}.${round}`;
          const arranged = scenes.length > 0 && chance.isIn(SHARE_OF_SCENES) ? chance.pick(scenes) : null;
          const what = await (arranged === null
            ? holdOne(given, proxy, name, chance.pick(ofMoney))
            : arranged(given, proxy, name));
          if (what !== null) countStrike(tally, what);
          scene.note(`${name} ${what ?? 'did not occur'}`);
        }
        await drain(scene);
      } finally {
        await fleet.close();
        await proxy.close();
      }
    },
  };
}

/** Whatever statement it is: it arrives when its batch has all its answers. */
async function holdOne(
  scene: Scene,
  proxy: PartitionProxy,
  round: string,
  statement: string,
): Promise<string | null> {
  const { victim, witness, batch } = await nextRound(scene, round);
  const holding = proxy.hold(onTheWire(statement));
  const sending = batch.send(victim, witness);
  leaveUnderWay(scene, sending);
  const held = await Promise.race<HeldMessage | null>([holding, after(WATCH_MILLISECONDS)]);
  if (held === null) {
    proxy.heal();
    return null;
  }
  held.lose();
  await sending;
  await held.deliver();
  return wordOf(statement);
}

/**
 * Two cancels that do not fit beside each other: the second is refused, the first comes to nothing,
 * and the second arrives.
 */
export const LATE_CANCEL: LateScene = async (scene, proxy, round) => {
  const { bench, till, chance } = scene;
  const [victim, witness] = await scene.fleet.pair();
  const shop = chance.pick(bench.shops);
  const cardSource = { kind: 'token', text: await till.cardToken(shop, witness).catch(() => '') } as const;
  if (cardSource.text === '') return null;
  const amount = chance.whole(1_000, 99_000) * 10 + 5;
  const operation = 'cancelRefused';
  bench.cancelSpoiler.spoil(0);
  const payment = await till.pay(witness, { round, operation, shop, cardSource, amount, installments: 1 });
  if (payment.status !== 200) return null;
  const holding = proxy.hold(onTheWire('cancels.commit_intents'));
  const second = till.cancel(victim, payment, operation, Math.ceil(amount * 0.6));
  const held = await Promise.race([holding, after(WATCH_MILLISECONDS)]);
  if (held === null) {
    proxy.heal();
    await second;
    return null;
  }
  const refused = bench.cancelSpoiler.refuseNext();
  const first = till.cancel(witness, payment, operation, Math.ceil(amount * 0.7));
  await Promise.race([refused.asked, first]);
  held.lose();
  await second;
  refused.answer();
  await first;
  await awaitResolved(bench, `${round}.`);
  await held.deliver();
  return 'a cancel behind its refusal';
};

function after(milliseconds: number): Promise<null> {
  return new Promise((wake) => setTimeout(() => wake(null), milliseconds));
}
