import { until } from '../../test/kit/service.ts';
import { ABSENCES } from '../kinds/absences.ts';
import { CALM, strikeSimulator } from '../kinds/answers.ts';
import { CLOCKS, FRONTS } from '../kinds/conditions.ts';
import { CRASHES, type Strike, TERMINATIONS } from '../kinds/database.ts';
import { FULL_DISKS } from '../kinds/disk.ts';
import { commitErrors } from '../kinds/errors.ts';
import { countStrike, type Kind, type Tally } from '../kinds/kind.ts';
import { lateStatements } from '../kinds/late.ts';
import { disarmed, STEP_CUTS, STEP_KILLS, stopped, strikeAt } from '../kinds/steps.ts';
import { WIRES } from '../kinds/wires.ts';
import { drain, nextRound, type Scene } from '../rounds.ts';
import { HAND_CHARGES } from './hand-kinds.ts';
import { isQuiet } from './judge/ledger-view.ts';
import { NIGHTS } from './nights.ts';
import { again, pause } from './patience.ts';
import { LATE_ENROLMENT, PLAN_CANCELLATIONS } from './plan-kinds.ts';
import { awaitQuiet, nextChargingRound, shopOf, usualSettings } from './rounds.ts';
import { ROWS_HELD } from './row-locks.ts';
import { KEY_ROTATIONS, SLOW_ACQUIRER } from './slow-kinds.ts';

/** Of a jump over a few charges. */
const STEPS_OF_JUMP = 500;
/** Of taking over what the dead were charging. */
const STEPS_OF_RECOVERY = 250;
const LEASE_MILLISECONDS = 30_000;
const RECOVERY_MILLISECONDS = 4_000;

const SPOILED_CHARGES: Kind = {
  name: 'answers',
  about: 'every fault of the acquirer in random mixes, charge after charge',
  share: 8,
  async run(scene, times, tally) {
    for (let round = 1; round <= times; round += 1) {
      const settings = { ...usualSettings(scene.chance), spoiled: 0.7 };
      const { victim, witness, batch } = await nextChargingRound(scene, `${scene.name}.${round}`, settings);
      await batch.send(victim, witness);
      countStrike(tally, 'rounds');
    }
  },
};

/** What the dead held is free, or as good as: whoever looks next takes it over. */
const LEASE_ENDS = `select 1 from merchant_clocks where merchant_id = $1 and target_at is not null
    and coalesce(lease_expires_at, now()) <= now() + interval '50 milliseconds'
  union all select 1 from transactions where merchant_id = $1 and due_at <= now() + interval '50 milliseconds'
  union all select 1 from billing_charges where merchant_id = $1 and due_at <= now() + interval '50 milliseconds' limit 1`;

/** Killed while it charges; and those too that go on with the jump, or look what became of the charge. */
const CHARGING_PAIRS: Kind = {
  name: 'pairs',
  about: 'kill -9 at a random step, and of those that take over the jump and the charges of the dead',
  share: 24,
  isKilling: true,
  async run(scene, times, tally) {
    const { chance, bench, fleet } = scene;
    for (let round = 1; tally.faults < times && round <= 2 * times + 10; round += 1) {
      const name = `${scene.name}.${round}`;
      const { struck } = await strikeAt(scene, name, 'kill', chance.whole(1, STEPS_OF_JUMP));
      if (struck === null) continue;
      countStrike(tally, 'first');
      const { merchantId } = shopOf(scene, name);
      await until(
        'a lease ends',
        async () => (await bench.query(LEASE_ENDS, [merchantId])).length > 0 || isQuiet(bench, merchantId),
        LEASE_MILLISECONDS,
      ).catch(() => {});
      const armed = await Promise.all(
        fleet.all().map(async (gateway) => {
          await gateway.orders.arm(gateway.processId, 'kill', chance.whole(1, STEPS_OF_RECOVERY));
          return gateway;
        }),
      );
      const isOver = async () => armed.every((one) => !one.isAlive()) || isQuiet(bench, merchantId);
      await until('they took over, or died of it', isOver, RECOVERY_MILLISECONDS).catch(() => {});
      for (const gateway of armed) {
        if (gateway.isAlive() && gateway.orders.hit() === null) await disarmed(gateway);
        if (gateway.orders.hit() === null) continue;
        await gateway.ended;
        countStrike(tally, 'while taking over');
      }
    }
  },
};

const CHARGING_PAUSES: Kind = {
  name: 'pauses',
  about: 'SIGSTOP at a random step until others have gone on past its leases, then SIGCONT',
  share: 4,
  async run(scene, times, tally) {
    const { chance } = scene;
    for (let round = 1; tally.faults < times && round <= 2 * times + 10; round += 1) {
      const name = `${scene.name}.${round}`;
      const { victim, witness, batch } = await nextRound(scene, name);
      const woken = Promise.withResolvers<void>();
      shopOf(scene, name).sleepers.push(woken.promise);
      await victim.orders.arm(victim.processId, 'pause', chance.whole(1, STEPS_OF_JUMP));
      const sending = batch.send(victim, witness);
      await Promise.race([sending, stopped(victim)]);
      if (victim.orders.hit() === null) await disarmed(victim);
      const hit = victim.orders.hit();
      if (hit !== null) {
        await awaitQuiet(scene, shopOf(scene, name), 3 * LEASE_MILLISECONDS);
        victim.signal('SIGCONT');
        countStrike(tally, hit.what);
      }
      scene.note(`${name} paused at ${hit?.what ?? 'nothing'}`);
      await sending;
      // What it still had in hand when it fell asleep it does now.
      await pause(2_000);
      woken.resolve();
    }
  },
};

/** Most of two years, and several who hold the jump one after another. */
const JUMP_INTERRUPTIONS: Kind = {
  name: 'jumps',
  about:
    'a jump over months, whose process is killed in its middle; then the one that goes on, or all at once',
  share: 6,
  isKilling: true,
  async run(scene, times, tally) {
    const { chance, fleet } = scene;
    for (let round = 1; tally.faults < times; round += 1) {
      const name = `${scene.name}.${round}`;
      const settings = { ...usualSettings(chance), days: chance.whole(100, 500) };
      const { victim, witness, batch } = await nextChargingRound(scene, name, settings);
      const sending = batch.send(victim, witness);
      await pause(chance.next() * 1_500);
      await victim.kill();
      countStrike(tally, 'the first');
      await sending;
      if (tally.faults < times && chance.isIn(0.5)) {
        await until('it goes on', () => isTakenOver(scene, name), LEASE_MILLISECONDS).catch(() => {});
        await pause(chance.next() * 1_000);
        const count = fleet.all().length;
        await fleet.clear();
        for (let killed = 0; killed < count; killed += 1) countStrike(tally, 'all that were left');
      }
    }
  },
};

const TAKEN_OVER = `select 1 from merchant_clocks where merchant_id = $1 and (target_at is null or fence > 1)`;

async function isTakenOver(scene: Scene, round: string): Promise<boolean> {
  return (await scene.bench.query(TAKEN_OVER, [shopOf(scene, round).merchantId])).length > 0;
}

/** The database fails while a merchant's clock is moved. */
async function strikeRounds(
  scene: Scene,
  times: number,
  tally: Tally,
  strikes: readonly Strike[],
): Promise<void> {
  for (let round = 1; round <= times; round += 1) {
    const name = `${scene.name}.${round}`;
    const { victim, witness, batch } = await nextRound(scene, name);
    const sending = batch.send(victim, witness);
    const what = await again(() => scene.chance.pick(strikes)(scene));
    await sending;
    countStrike(tally, what);
    scene.note(`${name} ${what}`);
    // Now and then to the end, so that the next fault does not always meet what this one left.
    if (scene.chance.isIn(0.2)) await drain(scene);
  }
}

const CHARGING_SESSIONS: Kind = {
  name: 'sessions',
  about: 'database sessions ended at random or chosen statements, locks held too long, no connection left',
  share: 4,
  run: (scene, times, tally) => strikeRounds(scene, times, tally, [...TERMINATIONS, ROWS_HELD, ROWS_HELD]),
};

const CHARGING_CRASHES: Kind = {
  name: 'postgres',
  about: 'a backend of PostgreSQL or the whole server killed with -9 and started again',
  share: 4,
  isKilling: true,
  run: (scene, times, tally) => strikeRounds(scene, times, tally, CRASHES),
};

const ACQUIRER_KILLS: Kind = {
  name: 'acquirer',
  about: 'the simulator killed at a random moment and started again on its ledger, or stopped for seconds',
  share: 3,
  isKilling: true,
  async run(scene, times, tally) {
    const { chance } = scene;
    for (let round = 1; tally.faults < times; round += 1) {
      const { victim, witness, batch } = await nextRound(scene, `${scene.name}.${round}`);
      const sending = batch.send(victim, witness);
      await pause(chance.next() * 800);
      const what = await strikeSimulator(scene);
      await sending;
      countStrike(tally, what);
    }
  },
};

/** All kinds of fault under which billings are charged, in the order of a run. */
export const CHARGING_KINDS: readonly Kind[] = [
  CALM,
  SPOILED_CHARGES,
  STEP_KILLS,
  CHARGING_PAIRS,
  STEP_CUTS,
  CHARGING_PAUSES,
  JUMP_INTERRUPTIONS,
  WIRES,
  ABSENCES,
  lateStatements([LATE_ENROLMENT]),
  PLAN_CANCELLATIONS,
  HAND_CHARGES,
  commitErrors(0),
  CHARGING_SESSIONS,
  CHARGING_CRASHES,
  ACQUIRER_KILLS,
  SLOW_ACQUIRER,
  KEY_ROTATIONS,
  FRONTS,
  CLOCKS,
  NIGHTS,
  FULL_DISKS,
];
