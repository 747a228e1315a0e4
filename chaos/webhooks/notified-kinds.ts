import { until } from '../../test/kit/service.ts';
import { ABSENCES } from '../kinds/absences.ts';
import { CALM } from '../kinds/answers.ts';
import { CLOCKS, FRONTS } from '../kinds/conditions.ts';
import { SERVER_CRASHES, TERMINATED_SESSIONS } from '../kinds/database.ts';
import { commitErrors } from '../kinds/errors.ts';
import { countStrike, type Kind, type Tally } from '../kinds/kind.ts';
import { lateStatements } from '../kinds/late.ts';
import { disarmed, STEP_CUTS, STEP_KILLS, stopped, strikeAt } from '../kinds/steps.ts';
import { WIRES } from '../kinds/wires.ts';
import { drain, nextRound, payMany, type Scene } from '../rounds.ts';

/** Of a batch and its notifications. */
const STEPS_OF_BATCH = 300;
/** Of taking over what the dead were sending. */
const STEPS_OF_DELIVERING = 200;
const FIRST_KILLS = 4;
/** A lease of half a minute, and a try that hangs. */
const LEASE_MILLISECONDS = 60_000;

/** Left by a process that is no more, or stands still: its lease ends before anybody else may send it. */
const LEASE_ENDS = `select 1 from deliveries where state = 'waiting' and lease_expires_at <= now() + interval '100 milliseconds'`;
const LEASED = `select 1 from deliveries where state = 'waiting' and lease_expires_at is not null`;

/** Killed while it pays and notifies; and those too that take over what the dead were sending. */
const TELLING_PAIRS: Kind = {
  name: 'pairs',
  about: 'kill -9 at a random step, and of those that take over what the dead were sending',
  share: 30,
  isKilling: true,
  async run(scene, times, tally) {
    for (let round = 1; tally.faults < times && round <= 2 * times + 10; round += 1) {
      const step = scene.chance.whole(1, STEPS_OF_BATCH);
      const { struck } = await strikeAt(scene, `${scene.name}.${round}`, 'kill', step);
      if (struck !== null) countStrike(tally, 'first');
      if (round % FIRST_KILLS === 0) await strikeTheTakingOver(scene, tally);
    }
  },
};

async function strikeTheTakingOver(scene: Scene, tally: Tally): Promise<void> {
  const { bench, fleet, chance } = scene;
  await drain(scene);
  const hasLeft = (await bench.query(LEASED)).length > 0;
  if (!hasLeft) return;
  await until(
    'a lease ends',
    async () => (await bench.query(LEASE_ENDS)).length > 0,
    LEASE_MILLISECONDS,
  ).catch(() => {});
  const armed = await Promise.all(
    fleet.all().map(async (gateway) => {
      await gateway.orders.arm(gateway.processId, 'kill', chance.whole(1, STEPS_OF_DELIVERING));
      return gateway;
    }),
  );
  await until(
    'they have taken over, or died of it',
    async () => armed.every((gateway) => !gateway.isAlive()) || (await bench.query(LEASE_ENDS)).length === 0,
    LEASE_MILLISECONDS / 10,
  ).catch(() => {});
  for (const gateway of armed) {
    if (gateway.isAlive() && gateway.orders.hit() === null) await disarmed(gateway);
    if (gateway.orders.hit() === null) continue;
    await gateway.ended;
    countStrike(tally, 'while taking over');
  }
}

const HELD_BY_OTHERS = `select 1 from deliveries d join transactions t using (merchant_id, transaction_id)
  where starts_with(t.reference_transaction, $1) and d.state = 'waiting' and d.lease_expires_at is not null`;

const LEASE_PAUSES: Kind = {
  name: 'pauses',
  about: 'SIGSTOP at a random step until others have taken over what it was sending, then SIGCONT',
  share: 6,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; tally.faults < times && round <= 2 * times + 10; round += 1) {
      const name = `${scene.name}.${round}`;
      const { victim, witness, batch } = await nextRound(scene, name);
      await victim.orders.arm(victim.processId, 'pause', chance.whole(STEPS_OF_BATCH / 4, STEPS_OF_BATCH));
      const sending = batch.send(victim, witness);
      await Promise.race([sending, stopped(victim)]);
      // Notifications come after the answers.
      await until('it stands still', async () => victim.orders.hit(), 1_000).catch(() => null);
      if (victim.orders.hit() === null) await disarmed(victim);
      const hit = victim.orders.hit();
      if (hit !== null) {
        const isFree = async () => (await bench.query(HELD_BY_OTHERS, [`${name}.`])).length === 0;
        await until('others have taken over', isFree, LEASE_MILLISECONDS).catch(() => null);
        victim.signal('SIGCONT');
        countStrike(tally, hit.what);
      }
      scene.note(`${name} paused at ${hit?.what ?? 'nothing'}`);
      await sending;
    }
  },
};

const LOAD = 20;
const LONGEST_AWAY_MILLISECONDS = 3_000;

/**
 * The merchant's system goes away in the middle of requests, or takes them and says nothing, and
 * comes back.
 */
const OUTAGES: Kind = {
  name: 'outages',
  about: "a merchant's system killed or silent in mid-run, and back again",
  share: 8,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    const system = bench.systems.at(-1);
    if (system === undefined) throw new Error('there is no system to go away');
    for (let round = 1; tally.faults < times; round += 1) {
      const name = `${scene.name}.${round}`;
      const { victim, witness, batch } = await nextRound(scene, name);
      const sending = Promise.all([batch.send(victim, witness), payMany(scene, name, LOAD)]);
      const received = system.arrivals.length;
      await until('something arrives', async () => system.arrivals.length > received, 3_000).catch(() => {});
      const isKilled = chance.isIn(0.7);
      if (isKilled) await system.goAway();
      else system.be('silent');
      await new Promise((wake) => setTimeout(wake, chance.next() * LONGEST_AWAY_MILLISECONDS));
      await sending;
      await system.comeBack();
      system.be('well');
      countStrike(tally, isKilled ? 'killed' : 'silent');
      scene.note(`${name} ${isKilled ? 'killed' : 'silent'}`);
    }
  },
};

/** All kinds of fault under which merchants are notified, in the order of a run. */
export const NOTIFIED_KINDS: readonly Kind[] = [
  CALM,
  STEP_KILLS,
  TELLING_PAIRS,
  STEP_CUTS,
  LEASE_PAUSES,
  OUTAGES,
  WIRES,
  ABSENCES,
  lateStatements([]),
  commitErrors(),
  TERMINATED_SESSIONS,
  SERVER_CRASHES,
  FRONTS,
  CLOCKS,
];
