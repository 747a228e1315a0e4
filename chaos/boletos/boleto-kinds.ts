import { ABSENCES } from '../kinds/absences.ts';
import { CALM } from '../kinds/answers.ts';
import { CLOCKS } from '../kinds/conditions.ts';
import { SERVER_CRASHES, TERMINATED_SESSIONS } from '../kinds/database.ts';
import { commitErrors } from '../kinds/errors.ts';
import { countStrike, type Kind } from '../kinds/kind.ts';
import { STEP_CUTS, STEP_KILLS, STEP_PAIRS, STEP_PAUSES } from '../kinds/steps.ts';
import { awaitResolved, nextRound, payMany } from '../rounds.ts';
import { IMPORT_KILLS } from './imports.ts';
import { spoilBank } from './operations.ts';

/** Its connections are few, so that it is not away for all of them at once. */
const LOAD = 20;
const LONGEST_WAIT_MILLISECONDS = 400;
const LONGEST_AWAY_MILLISECONDS = 1_500;

const BANK_KILLS: Kind = {
  name: 'bank',
  about: 'the bank’s simulator killed at a random moment and started again on its ledger',
  share: 8,
  isKilling: true,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; tally.faults < times; round += 1) {
      const name = `${scene.name}.${round}`;
      const { victim, witness, batch } = await nextRound(scene, name);
      const sending = Promise.all([batch.send(victim, witness), payMany(scene, name, LOAD)]);
      await wait(chance.next() * LONGEST_WAIT_MILLISECONDS);
      await bench.bank?.kill();
      await wait(chance.next() * LONGEST_AWAY_MILLISECONDS);
      await bench.bank?.restart();
      await sending;
      countStrike(tally, 'kill -9');
      if (chance.isIn(0.2)) await awaitResolved(bench, `${name}.`);
    }
  },
};

const SPOILED_BANK: Kind = {
  name: 'answers',
  about: 'every fault of the bank in random mixes',
  share: 8,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; tally.faults < times; round += 1) {
      const { victim, witness, batch } = await nextRound(scene, `${scene.name}.${round}`);
      await spoilBank(bench, chance, 0.9);
      await batch.send(victim, witness);
      countStrike(tally, 'batches');
    }
  },
};

function wait(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds));
}

/** All kinds of fault under which boletos are issued and files are taken, in the order of a run. */
export const BOLETO_KINDS: readonly Kind[] = [
  CALM,
  SPOILED_BANK,
  STEP_KILLS,
  STEP_PAIRS,
  STEP_CUTS,
  STEP_PAUSES,
  BANK_KILLS,
  IMPORT_KILLS,
  ABSENCES,
  commitErrors(),
  TERMINATED_SESSIONS,
  SERVER_CRASHES,
  CLOCKS,
];
