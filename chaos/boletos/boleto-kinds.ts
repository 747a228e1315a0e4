import { ABSENCES } from '../kinds/absences.ts';
import { CALM } from '../kinds/answers.ts';
import { CLOCKS } from '../kinds/conditions.ts';
import { SERVER_CRASHES, TERMINATED_SESSIONS } from '../kinds/database.ts';
import { commitErrors } from '../kinds/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { simulatorKills, spoiledBatches } from '../kinds/simulators.ts';
import { STEP_CUTS, STEP_KILLS, STEP_PAIRS, STEP_PAUSES } from '../kinds/steps.ts';
import { IMPORT_KILLS } from './imports.ts';
import { spoilBank } from './operations.ts';
import { REMITTANCE_KILLS } from './remittances.ts';

const BANK_KILLS = simulatorKills(
  {
    name: 'bank',
    about: 'the bank’s simulator killed at a random moment and started again on its ledger',
    share: 8,
  },
  ({ bank }) => (bank === null ? [] : [{ ...bank, name: 'bank' }]),
);

const SPOILED_BANK = spoiledBatches(
  { name: 'answers', about: 'every fault of the bank in random mixes', share: 8 },
  ({ bench, chance }) => spoilBank(bench, chance, 0.9),
);

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
  REMITTANCE_KILLS,
  ABSENCES,
  commitErrors(),
  TERMINATED_SESSIONS,
  SERVER_CRASHES,
  CLOCKS,
];
