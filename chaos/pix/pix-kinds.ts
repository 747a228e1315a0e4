import { ABSENCES } from '../kinds/absences.ts';
import { CALM } from '../kinds/answers.ts';
import { CLOCKS } from '../kinds/conditions.ts';
import { SERVER_CRASHES, TERMINATED_SESSIONS } from '../kinds/database.ts';
import { commitErrors } from '../kinds/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { simulatorKills, spoiledBatches } from '../kinds/simulators.ts';
import { STEP_CUTS, STEP_KILLS, STEP_PAIRS, STEP_PAUSES } from '../kinds/steps.ts';
import { spoilPixBank } from './operations.ts';

const SHARE_OF_SLEEPS = 0.3;

const BANK_STRIKES = simulatorKills(
  {
    name: 'bank',
    about: 'the bank’s simulator killed at a random moment and started again on its ledger, or frozen',
    share: 12,
  },
  ({ pixBank }) => (pixBank === null ? [] : [{ ...pixBank, name: 'bank' }]),
  SHARE_OF_SLEEPS,
);

const SPOILED_BANK = spoiledBatches(
  {
    name: 'answers',
    about: 'every fault of the bank, of its answers and of what it tells, in random mixes',
    share: 8,
  },
  ({ bench, chance }) => spoilPixBank(bench, chance, 0.7),
);

/** All kinds of fault under which Pix are made, paid and given back, in the order of a run. */
export const PIX_KINDS: readonly Kind[] = [
  CALM,
  SPOILED_BANK,
  STEP_KILLS,
  STEP_PAIRS,
  STEP_CUTS,
  STEP_PAUSES,
  BANK_STRIKES,
  ABSENCES,
  commitErrors(),
  TERMINATED_SESSIONS,
  SERVER_CRASHES,
  CLOCKS,
];
