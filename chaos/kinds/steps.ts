import { until } from '../../test/kit/service.ts';
import type { ChaosSimulator } from '../chaos-simulators.ts';
import type { Gateway } from '../gateways.ts';
import { STOPPED_MILLISECONDS } from '../merchant-client.ts';
import { awaitResolved, leaveUnderWay, nextRound, type Scene } from '../rounds.ts';
import { countStrike, type Kind, type Tally } from './kind.ts';

/** How long an undisturbed batch is watched beyond its answers, so that its settling is counted too. */
const WATCH_MILLISECONDS = 5_000;

/**
 * Sends a batch while the counter runs. Gives what was struck, and how many steps there were when nothing
 * was. Behind a kill nothing is waited for: what the others still answer, and settle of the dead, goes on
 * beside the next fault.
 */
export async function strikeAt(
  scene: Scene,
  round: string,
  action: 'kill' | 'cut',
  step: number,
): Promise<{ struck: string | null; steps: number }> {
  const { victim, witness, batch } = await nextRound(scene, round);
  await victim.orders.arm(victim.processId, action, step);
  const sending = batch.send(victim, witness);
  leaveUnderWay(scene, sending);
  await Promise.race([sending, stopped(victim)]);
  const isOver = () => !victim.isAlive() || victim.orders.hit() !== null;
  // A step may stand beyond the answers, in the settling.
  if (!isOver())
    await Promise.race([awaitResolved(scene.bench, `${round}.`, WATCH_MILLISECONDS), victim.ended]);
  const steps = isOver() ? 0 : await disarmed(victim);
  const hit = victim.orders.hit();
  if (hit !== null && action === 'kill') await victim.ended;
  scene.note(`${round} ${action} at ${step}: ${hit?.what ?? `not reached, ${steps} steps`}`);
  return { struck: hit?.what ?? null, steps };
}

/**
 * The same of a simulator, which comes up again on its ledger when the batch has its answers. Gives what was
 * struck; null: nothing was.
 */
export async function strikeSimulatorAt(
  scene: Scene,
  round: string,
  simulator: ChaosSimulator,
  step: number,
): Promise<string | null> {
  const { victim, witness, batch } = await nextRound(scene, round);
  const { orders } = simulator;
  await orders.arm(simulator.processId(), 'kill', step);
  const sending = batch.send(victim, witness);
  const isOver = { value: false };
  const done = sending.finally(() => {
    isOver.value = true;
  });
  while (!isOver.value && simulator.isAlive())
    await new Promise((wake) => setTimeout(wake, LOOK_MILLISECONDS));
  const hit = orders.hit();
  if (hit === null) await orders.disarm(simulator.processId()).catch(() => {});
  // It may have been reached at the very moment of disarming.
  const struck = hit ?? orders.hit();
  if (struck !== null) {
    await simulator.kill();
    await new Promise((wake) => setTimeout(wake, scene.chance.next() * LONGEST_AWAY_MILLISECONDS));
    await simulator.restart();
  }
  await done;
  scene.note(`${round} kill at ${step}: ${struck?.what ?? 'not reached'}`);
  return struck?.what ?? null;
}

const LOOK_MILLISECONDS = 20;
const LONGEST_AWAY_MILLISECONDS = 1_000;

/** The step may be reached at the very moment of disarming: then the process is gone. */
export async function disarmed(gateway: Gateway): Promise<number> {
  const died = gateway.ended.then(() => 0);
  return Promise.race([gateway.orders.disarm(gateway.processId).catch(() => 0), died]);
}

const MISSES_BEFORE_ANEW = 4;
/** With so many faults in a run every step has its turn; with fewer they are spread over all of them. */
const FAULTS_FOR_EVERY_STEP = 150;
/** Of a batch, roughly. */
const MOST_STEPS = 400;

/**
 * N = 1, 2, 3 … until batches end without reaching it, and again from 1; it goes on where the part
 * before it ended.
 */
async function sweep(scene: Scene, times: number, tally: Tally, action: 'kill' | 'cut'): Promise<void> {
  const { memory, chance } = scene;
  const stride = scene.faultsOfKind >= FAULTS_FOR_EVERY_STEP ? 1 : MOST_STEPS / scene.faultsOfKind;
  let step = memory.get(action) ?? 0;
  let misses = 0;
  // Batches differ, and some rounds end before their step: a bound that is never met unless nothing
  // can be struck.
  for (let round = 1; tally.faults < times && round <= 3 * times + 20; round += 1) {
    step += stride === 1 ? 1 : chance.next() * 2 * stride;
    const { struck } = await strikeAt(scene, `${scene.name}.${round}`, action, Math.max(1, Math.round(step)));
    if (struck !== null) countStrike(tally, struck);
    // Batches differ in length: a short one that ends before N says nothing of the next.
    misses = struck === null ? misses + 1 : 0;
    if (misses === (stride === 1 ? MISSES_BEFORE_ANEW : 1)) step = misses = 0;
  }
  memory.set(action, step);
}

export const STEP_KILLS: Kind = {
  name: 'steps',
  about: 'kill -9 of a gateway at step N = 1, 2, 3 … of a batch',
  share: 40,
  isKilling: true,
  run: (scene, times, tally) => sweep(scene, times, tally, 'kill'),
};

export const STEP_CUTS: Kind = {
  name: 'cuts',
  about: "a gateway's connection to the database destroyed at step N",
  share: 14,
  run: (scene, times, tally) => sweep(scene, times, tally, 'cut'),
};

/** Of a batch, of a start, and of the settling of what the dead left. */
const STEPS_OF_BATCH = 200;
const STEPS_OF_START = 120;
const STEPS_OF_RESOLVING = 150;
/** First kills before those that live are struck: the leases of the dead end at nearly the same time. */
const FIRST_KILLS = 4;

/**
 * Killed at N, and during the recovery at M: the process that comes up, and those that settle what
 * the dead left.
 */
export const STEP_PAIRS: Kind = {
  name: 'pairs',
  about: 'kill -9 at a random step, and again during the recovery',
  share: 24,
  isKilling: true,
  async run(scene, times, tally) {
    const { chance, fleet } = scene;
    let starting = Promise.resolve();
    for (let round = 1; tally.faults < times && round <= 2 * times + 10; round += 1) {
      const step = chance.whole(1, STEPS_OF_BATCH);
      const { struck } = await strikeAt(scene, `${scene.name}.${round}`, 'kill', step);
      if (struck !== null) countStrike(tally, 'first');
      // Beside the next round: a start takes longer than anything else here.
      await starting;
      starting = fleet.start({ action: 'kill', step: chance.whole(1, STEPS_OF_START) }).then((isReady) => {
        if (!isReady) countStrike(tally, 'while starting');
      });
      if (round % FIRST_KILLS === 0) await strikeTheResolving(scene, tally);
    }
    await starting;
  },
};

/** Still charging when its lease ends: its process is dead. */
const DUE = `select 1 from transactions where state = 'charging' and due_at <= now() + interval '50 milliseconds'
  and starts_with(reference_transaction, $1)
  union all select 1 from boletos where due_at <= now() + interval '50 milliseconds'
  and starts_with(reference_transaction, $1)
  union all select 1 from pix_charges where due_at <= now() + interval '50 milliseconds'
  and starts_with(reference_transaction, $1) limit 1`;

/** Waits until the leases of the dead end, and kills whoever settles their charges, one after another. */
async function strikeTheResolving(scene: Scene, tally: Tally): Promise<void> {
  const { bench, fleet, chance } = scene;
  const rounds = `${scene.name}.`;
  await Promise.race([
    until('a lease ends', async () => (await bench.query(DUE, [rounds])).length > 0).catch(() => null),
    awaitResolved(bench, rounds),
  ]);
  // What they do next is to be the settling.
  scene.load.isHeld = true;
  const armed = await Promise.all(
    fleet.all().map(async (gateway) => {
      await gateway.orders.arm(gateway.processId, 'kill', chance.whole(1, STEPS_OF_RESOLVING));
      return gateway;
    }),
  );
  await awaitResolved(bench, rounds, WATCH_MILLISECONDS);
  for (const gateway of armed) {
    if (gateway.isAlive() && gateway.orders.hit() === null) await disarmed(gateway);
    if (gateway.orders.hit() === null) continue;
    await gateway.ended;
    countStrike(tally, 'while settling');
  }
  scene.load.isHeld = false;
}

export const STEP_PAUSES: Kind = {
  name: 'pauses',
  about:
    'SIGSTOP of a gateway at a random step until others have settled its charges, a minute at most; then SIGCONT',
  share: 0.5,
  async run(scene, times, tally) {
    const { chance, bench } = scene;
    for (let round = 1; tally.faults < times && round <= 2 * times + 10; round += 1) {
      const name = `${scene.name}.${round}`;
      const { victim, witness, batch } = await nextRound(scene, name);
      // Most steps of a batch fall between its intents and its outcomes: there a pause does the most harm.
      await victim.orders.arm(victim.processId, 'pause', chance.whole(1, STEPS_OF_BATCH / 2));
      const sending = batch.send(victim, witness);
      await Promise.race([sending, stopped(victim)]);
      if (victim.orders.hit() === null) await disarmed(victim);
      const hit = victim.orders.hit();
      if (hit !== null) {
        // An acquirer may decide of a cancel a day later.
        await awaitResolved(bench, `${name}.`, STOPPED_MILLISECONDS);
        victim.signal('SIGCONT');
        countStrike(tally, hit.what);
      }
      scene.note(`${name} paused at ${hit?.what ?? 'nothing'}`);
      await sending;
    }
  },
};

/** Resolves when the step was reached, or the process has ended. */
export async function stopped(gateway: Gateway): Promise<void> {
  while (gateway.isAlive() && gateway.orders.hit() === null) {
    await new Promise((wake) => setTimeout(wake, 20));
  }
}
