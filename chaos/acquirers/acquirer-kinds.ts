import { CALM } from '../kinds/answers.ts';
import { CLOCKS } from '../kinds/conditions.ts';
import { SERVER_CRASHES, TERMINATED_SESSIONS } from '../kinds/database.ts';
import { commitErrors } from '../kinds/errors.ts';
import { countStrike, type Kind } from '../kinds/kind.ts';
import { STEP_CUTS, STEP_KILLS, STEP_PAIRS } from '../kinds/steps.ts';
import { nextRound, payMany } from '../rounds.ts';
import { spoilAcquirers } from './spoil-acquirers.ts';

const LOAD = 20;
const LONGEST_WAIT_MILLISECONDS = 400;
const LONGEST_AWAY_MILLISECONDS = 1_500;

const ACQUIRER_KILLS: Kind = {
  name: 'acquirers',
  about: 'simulated Rede or Cielo killed at a random moment, and started again on its ledger',
  share: 10,
  isKilling: true,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; tally.faults < times; round += 1) {
      const name = `${scene.name}.${round}`;
      const { victim, witness, batch } = await nextRound(scene, name);
      const sending = Promise.all([batch.send(victim, witness), payMany(scene, name, LOAD)]);
      await wait(chance.next() * LONGEST_WAIT_MILLISECONDS);
      const acquirer = chance.pick(bench.acquirers);
      await acquirer.kill();
      await wait(chance.next() * LONGEST_AWAY_MILLISECONDS);
      await acquirer.restart();
      await sending;
      countStrike(tally, `kill -9 of ${acquirer.name}`);
    }
  },
};

const SPOILED_ACQUIRERS: Kind = {
  name: 'answers',
  about: 'silence, lost answers, copies, 401, tokens, doubt and pending refunds of both in random mixes',
  share: 8,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; tally.faults < times; round += 1) {
      const { victim, witness, batch } = await nextRound(scene, `${scene.name}.${round}`);
      await spoilAcquirers(bench, chance, 0.9);
      await batch.send(victim, witness);
      countStrike(tally, 'batches');
    }
  },
};

function wait(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds));
}

/** All kinds of fault under which payments go to Rede and Cielo, in the order of a run. */
export const ACQUIRER_KINDS: readonly Kind[] = [
  CALM,
  SPOILED_ACQUIRERS,
  STEP_KILLS,
  STEP_PAIRS,
  STEP_CUTS,
  ACQUIRER_KILLS,
  commitErrors(),
  TERMINATED_SESSIONS,
  SERVER_CRASHES,
  CLOCKS,
];
