import { awaitResolved, nextRound, payMany, prepareBatch, type Scene, writeScripts } from '../rounds.ts';
import { countStrike, type Kind } from './kind.ts';

/** Nothing breaks: what fails here fails every day. */
export const CALM: Kind = {
  name: 'calm',
  about: 'no fault at all: batches to two gateways',
  share: 5,
  async run(scene, times, tally) {
    for (let round = 1; round <= times; round += 1) {
      const { victim, witness, batch } = await nextRound(scene, `${scene.name}.${round}`);
      await batch.send(victim, witness);
      countStrike(tally, 'batches');
    }
  },
};

/** Rounds under way at once: most of their time they wait for an acquirer that says nothing. */
const ROUNDS_AT_ONCE = 4;

export const SPOILED_ANSWERS: Kind = {
  name: 'answers',
  about: 'every fault of the acquirer in random mixes',
  share: 8,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; tally.faults < times; round += 1) {
      const name = `${scene.name}.${round}`;
      const { victim, witness, batch } = await nextRound(scene, name);
      const batches = [batch];
      while (batches.length < ROUNDS_AT_ONCE) batches.push(await prepareBatch(scene, name, witness));
      // After the batches, which may have left scripts of their own.
      await writeScripts(bench, chance, 0.9);
      await Promise.all(batches.map((one) => one.send(victim, witness)));
      for (const _ of batches) countStrike(tally, 'batches');
    }
  },
};

const SHARE_OF_PAUSES = 0.3;
const LONGEST_PAUSE_MILLISECONDS = 4_000;

/** Killed and started again on its ledger; or stopped, so that it reads late what lies in its sockets. */
export async function strikeSimulator({ bench, chance }: Scene): Promise<string> {
  if (!chance.isIn(SHARE_OF_PAUSES)) {
    await bench.killSimulator();
    await bench.restartSimulator();
    return 'kill -9';
  }
  bench.pauseSimulator();
  await new Promise((wake) => setTimeout(wake, chance.next() * LONGEST_PAUSE_MILLISECONDS));
  bench.resumeSimulator();
  return 'asleep';
}

export const SIMULATOR_KILLS: Kind = {
  name: 'acquirer',
  about: 'the simulator killed at a random moment and started again on its ledger, or stopped for seconds',
  share: 3,
  isKilling: true,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; tally.faults < times; round += 1) {
      const name = `${scene.name}.${round}`;
      const { victim, witness, batch } = await nextRound(scene, name);
      const sending = Promise.all([batch.send(victim, witness), payMany(scene, name, 60)]);
      await new Promise((wake) => setTimeout(wake, chance.next() * 400));
      const what = await strikeSimulator(scene);
      await sending;
      countStrike(tally, what);
      if (chance.isIn(0.2)) await awaitResolved(bench, `${name}.`);
    }
  },
};
