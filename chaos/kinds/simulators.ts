import type { Chance } from '../chance.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import type { ChaosSimulator } from '../chaos-simulators.ts';
import { awaitResolved, nextRound, payMany, type Scene } from '../rounds.ts';
import { countStrike, type Kind } from './kind.ts';
import { strikeSimulatorAt } from './steps.ts';

/** Providers of a bench that may be struck. */
export type SimulatorsOf = (bench: ChaosBench) => readonly (ChaosSimulator & { readonly name: string })[];

type Named = Pick<Kind, 'name' | 'about' | 'share'>;

const LOAD = 20;
const LONGEST_WAIT_MILLISECONDS = 400;
const LONGEST_AWAY_MILLISECONDS = 1_500;
const LONGEST_SLEEP_MILLISECONDS = 1_500;
const SHARE_RESOLVED = 0.2;
/** What an acquirer decides later has pauses of minutes: they are not waited for here. */
const RESOLVED_MILLISECONDS = 15_000;

/** `shareOfSleeps`: so often it is stopped for a while instead, and then reads what lies in its sockets. */
export function simulatorKills(named: Named, simulatorsOf: SimulatorsOf, shareOfSleeps = 0): Kind {
  return {
    ...named,
    isKilling: true,
    async run(scene, times, tally) {
      const { bench, chance } = scene;
      for (let round = 1; tally.faults < times; round += 1) {
        const name = `${scene.name}.${round}`;
        const { victim, witness, batch } = await nextRound(scene, name);
        const sending = Promise.all([batch.send(victim, witness), payMany(scene, name, LOAD)]);
        await waitUpTo(chance, LONGEST_WAIT_MILLISECONDS);
        const simulator = chance.pick(simulatorsOf(bench));
        if (shareOfSleeps > 0 && chance.isIn(shareOfSleeps)) {
          simulator.signal('SIGSTOP');
          await waitUpTo(chance, LONGEST_SLEEP_MILLISECONDS);
          simulator.signal('SIGCONT');
          countStrike(tally, `${simulator.name} asleep`);
        } else {
          await simulator.kill();
          await waitUpTo(chance, LONGEST_AWAY_MILLISECONDS);
          await simulator.restart();
          countStrike(tally, `kill -9 of ${simulator.name}`);
        }
        await sending;
        if (chance.isIn(SHARE_RESOLVED)) await awaitResolved(bench, `${name}.`, RESOLVED_MILLISECONDS);
      }
    },
  };
}

const STEPS_OF_SIMULATOR = 60;

/** At a step of a batch: before it books, between its ledger and its answer, behind it. */
export function simulatorSteps(named: Named, simulatorsOf: SimulatorsOf): Kind {
  return {
    ...named,
    isKilling: true,
    async run(scene, times, tally) {
      const { bench, chance } = scene;
      for (let round = 1; tally.faults < times && round <= 3 * times + 20; round += 1) {
        const simulator = chance.pick(simulatorsOf(bench));
        const step = chance.whole(1, STEPS_OF_SIMULATOR);
        const struck = await strikeSimulatorAt(scene, `${scene.name}.${round}`, simulator, step);
        if (struck !== null) countStrike(tally, `${simulator.name}: ${struck}`);
      }
    },
  };
}

/** Batches, each under what a provider does of its own. */
export function spoiledBatches(named: Named, spoil: (scene: Scene) => Promise<void>): Kind {
  return {
    ...named,
    async run(scene, times, tally) {
      for (let round = 1; tally.faults < times; round += 1) {
        const { victim, witness, batch } = await nextRound(scene, `${scene.name}.${round}`);
        // After the batch, which may have left scripts of its own.
        await spoil(scene);
        await batch.send(victim, witness);
        countStrike(tally, 'batches');
      }
    },
  };
}

function waitUpTo(chance: Chance, milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, chance.next() * milliseconds));
}
