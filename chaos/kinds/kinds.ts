import { ABSENCES } from './absences.ts';
import { CALM, SIMULATOR_KILLS, SPOILED_ANSWERS } from './answers.ts';
import { CLOCKS, FRONTS } from './conditions.ts';
import { SERVER_CRASHES, TERMINATED_SESSIONS } from './database.ts';
import { FULL_DISKS } from './disk.ts';
import { commitErrors } from './errors.ts';
import type { Kind } from './kind.ts';
import { LATE_CANCEL, lateStatements } from './late.ts';
import { STEP_CUTS, STEP_KILLS, STEP_PAIRS, STEP_PAUSES } from './steps.ts';
import { WIRES } from './wires.ts';

/** All kinds of fault, in the order of a run. */
export const KINDS: readonly Kind[] = [
  CALM,
  SPOILED_ANSWERS,
  STEP_KILLS,
  STEP_PAIRS,
  STEP_CUTS,
  STEP_PAUSES,
  WIRES,
  ABSENCES,
  lateStatements([LATE_CANCEL]),
  commitErrors(),
  TERMINATED_SESSIONS,
  SERVER_CRASHES,
  SIMULATOR_KILLS,
  FRONTS,
  CLOCKS,
  FULL_DISKS,
];
