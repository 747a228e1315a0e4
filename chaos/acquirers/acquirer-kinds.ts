import type { Chance } from '../chance.ts';
import { CALM, SIMULATOR_KILLS } from '../kinds/answers.ts';
import { CLOCKS } from '../kinds/conditions.ts';
import { SERVER_CRASHES, TERMINATED_SESSIONS } from '../kinds/database.ts';
import { commitErrors } from '../kinds/errors.ts';
import { countStrike, type Kind } from '../kinds/kind.ts';
import { STEP_CUTS, STEP_KILLS, STEP_PAIRS, strikeSimulatorAt } from '../kinds/steps.ts';
import { nextRound, payMany } from '../rounds.ts';
import { clearScripts, refuseAll, spoilAcquirers } from './spoil-acquirers.ts';

const LOAD = 20;
const LONGEST_WAIT_MILLISECONDS = 400;
const LONGEST_AWAY_MILLISECONDS = 1_500;
/** What lies in its sockets meanwhile is booked before the services are told that nothing can be. */
const LONGEST_SLEEP_MILLISECONDS = 1_500;

const ACQUIRER_KILLS: Kind = {
  name: 'acquirers',
  about: 'Rede or Cielo killed at a random moment and started again on its ledger, or stopped for a second',
  share: 10,
  isKilling: true,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; tally.faults < times; round += 1) {
      const name = `${scene.name}.${round}`;
      const { victim, witness, batch } = await nextRound(scene, name);
      const sending = Promise.all([batch.send(victim, witness), payMany(scene, name, LOAD)]);
      await waitUpTo(chance, LONGEST_WAIT_MILLISECONDS);
      const acquirer = chance.pick(bench.acquirers);
      if (chance.isIn(SHARE_OF_SLEEPS)) {
        acquirer.signal('SIGSTOP');
        await waitUpTo(chance, LONGEST_SLEEP_MILLISECONDS);
        acquirer.signal('SIGCONT');
        await sending;
        countStrike(tally, `${acquirer.name} asleep`);
        continue;
      }
      await acquirer.kill();
      await waitUpTo(chance, LONGEST_AWAY_MILLISECONDS);
      await acquirer.restart();
      await sending;
      countStrike(tally, `kill -9 of ${acquirer.name}`);
    }
  },
};

const SHARE_OF_SLEEPS = 0.25;

const STEPS_OF_ACQUIRER = 120;

const ACQUIRER_STEPS: Kind = {
  name: 'books',
  about: 'kill -9 of Rede or Cielo at a step of a batch: between its ledger and its answer too',
  share: 14,
  isKilling: true,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; tally.faults < times && round <= 3 * times + 20; round += 1) {
      const acquirer = chance.pick(bench.acquirers);
      const name = `${scene.name}.${round}`;
      const struck = await strikeSimulatorAt(scene, name, acquirer, chance.whole(1, STEPS_OF_ACQUIRER));
      if (struck !== null) countStrike(tally, `${acquirer.name}: ${struck}`);
    }
  },
};

const SPOILED_ACQUIRERS: Kind = {
  name: 'answers',
  about:
    'silence, cut answers, copies, 401, tokens, doubt, codes and pending refunds of both in random mixes',
  share: 8,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; tally.faults < times; round += 1) {
      const { victim, witness, batch } = await nextRound(scene, `${scene.name}.${round}`);
      await spoilAcquirers(bench, chance, 0.7);
      await batch.send(victim, witness);
      countStrike(tally, 'batches');
    }
  },
};

/** More than open a breaker. */
const LOAD_UNDER_REFUSALS = 40;

const REFUSALS: Kind = {
  name: 'refusals',
  about: 'one acquirer refuses everything, or nobody listens there: payments go on to the next, and past it',
  share: 4,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; tally.faults < times; round += 1) {
      const name = `${scene.name}.${round}`;
      const { victim, witness, batch } = await nextRound(scene, name);
      const acquirer = chance.pick(bench.acquirers);
      const isDown = chance.isIn(0.4);
      if (isDown) await acquirer.kill();
      else await refuseAll(acquirer);
      await Promise.all([batch.send(victim, witness), payMany(scene, name, LOAD_UNDER_REFUSALS)]);
      if (isDown) await acquirer.restart();
      await clearScripts(bench);
      countStrike(tally, `${acquirer.name} ${isDown ? 'down' : 'refuses'}`);
    }
  },
};

function waitUpTo(chance: Chance, milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, chance.next() * milliseconds));
}

/** All kinds of fault under which payments go to Rede, Cielo and the bridge, in the order of a run. */
export const ACQUIRER_KINDS: readonly Kind[] = [
  CALM,
  SPOILED_ACQUIRERS,
  REFUSALS,
  STEP_KILLS,
  STEP_PAIRS,
  STEP_CUTS,
  ACQUIRER_STEPS,
  ACQUIRER_KILLS,
  SIMULATOR_KILLS,
  commitErrors(),
  TERMINATED_SESSIONS,
  SERVER_CRASHES,
  CLOCKS,
];
