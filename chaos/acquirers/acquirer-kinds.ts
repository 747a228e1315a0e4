import { CALM, SIMULATOR_KILLS } from '../kinds/answers.ts';
import { CLOCKS } from '../kinds/conditions.ts';
import { SERVER_CRASHES, TERMINATED_SESSIONS } from '../kinds/database.ts';
import { commitErrors } from '../kinds/errors.ts';
import { countStrike, type Kind } from '../kinds/kind.ts';
import { type SimulatorsOf, simulatorKills, simulatorSteps, spoiledBatches } from '../kinds/simulators.ts';
import { STEP_CUTS, STEP_KILLS, STEP_PAIRS, STEP_PAUSES } from '../kinds/steps.ts';
import { nextRound, payMany } from '../rounds.ts';
import { clearScripts, refuseAll, spoilAcquirers } from './spoil-acquirers.ts';

const acquirersOf: SimulatorsOf = ({ acquirers }) => acquirers;

const ACQUIRER_KILLS = simulatorKills(
  {
    name: 'acquirers',
    about: 'Rede or Cielo killed at a random moment and started again on its ledger, or stopped for a second',
    share: 10,
  },
  acquirersOf,
  0.25,
);

const ACQUIRER_STEPS = simulatorSteps(
  {
    name: 'books',
    about: 'kill -9 of Rede or Cielo at a step of a batch: between its ledger and its answer too',
    share: 14,
  },
  acquirersOf,
);

const SPOILED_ACQUIRERS = spoiledBatches(
  {
    name: 'answers',
    about:
      'silence, cut answers, copies, 401, tokens, doubt, codes and pending refunds of both in random mixes',
    share: 8,
  },
  ({ bench, chance }) => spoilAcquirers(bench, chance, 0.7),
);

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

/** All kinds of fault under which payments go to Rede, Cielo and the bridge, in the order of a run. */
export const ACQUIRER_KINDS: readonly Kind[] = [
  CALM,
  SPOILED_ACQUIRERS,
  REFUSALS,
  STEP_KILLS,
  STEP_PAIRS,
  STEP_CUTS,
  STEP_PAUSES,
  ACQUIRER_STEPS,
  ACQUIRER_KILLS,
  SIMULATOR_KILLS,
  commitErrors(),
  TERMINATED_SESSIONS,
  SERVER_CRASHES,
  CLOCKS,
];
