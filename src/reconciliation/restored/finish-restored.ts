import type { Database } from '../../platform/postgres/database.ts';
import { DatabaseUnavailable } from '../../platform/postgres/database-errors.ts';
import { findBooksOf } from './books.sql.ts';
import { fillRequests, type NotWritten } from './fill-charge.ts';
import { endOfStanding, type Standing, standingOf } from './restored-charge.ts';
import {
  claimUnfinished,
  endUnfinished,
  postponeUnfinished,
  type UnfinishedCharge,
} from './restored-charges.sql.ts';

export type FinishTools = {
  readonly database: Database;
  readonly observeEnd: (charge: UnfinishedCharge, decision: 'filled' | 'voided' | 'undecided') => void;
  readonly observeFault: (charge: UnfinishedCharge, error: unknown) => void;
};

const CLAIMED_AT_ONCE = 20;
const LEASE_MILLISECONDS = 60_000;
/** Services resolve within seconds, persons within days. */
const PAUSES_SECONDS = [1, 2, 5, 10, 30, 60];
const LONGEST_PAUSE_SECONDS = 600;
const MOST_TRIES_OF_FAULTS = 10;
const SERVICE = 'service';

/** Adds the acquirer's captures and cancels once the services have resolved the charge. */
export async function finishRestored(tools: FinishTools, signal: AbortSignal): Promise<number> {
  const claimed = await claimUnfinished(tools.database, CLAIMED_AT_ONCE, LEASE_MILLISECONDS);
  for (const charge of claimed) {
    if (signal.aborted) break;
    await finishOne(tools, charge).catch((error) => giveUp(tools, charge, error));
  }
  return claimed.length;
}

async function finishOne(tools: FinishTools, unfinished: UnfinishedCharge): Promise<void> {
  const { database } = tools;
  const { charge, fence, tries } = unfinished;
  let faults: NotWritten = [];
  let standing = await standingNow(database, unfinished);
  if (standing.kind === 'missing') {
    const { transaction } = await findBooksOf(database, charge);
    faults = await fillRequests({ database }, charge, transaction, standing.reason);
    standing = await standingNow(database, unfinished);
  }
  const end = endOfStanding(standing, faults);
  if (end === null) {
    const seconds = PAUSES_SECONDS[tries - 1] ?? LONGEST_PAUSE_SECONDS;
    return postponeUnfinished(database, unfinished, seconds, PAUSES_SECONDS.length);
  }
  const hasEnded = await database.transaction((tx) =>
    endUnfinished(tx, unfinished, { ...end, faults, by: SERVICE, fence }),
  );
  if (hasEnded) tools.observeEnd(unfinished, end.decision);
}

/** After MOST_TRIES_OF_FAULTS tries a fault leaves the charge to a person, unless the database is away. */
async function giveUp(
  { database, observeFault, observeEnd }: FinishTools,
  unfinished: UnfinishedCharge,
  error: unknown,
): Promise<void> {
  observeFault(unfinished, error);
  if (error instanceof DatabaseUnavailable || unfinished.tries < MOST_TRIES_OF_FAULTS) return;
  const faults = [{ words: String(error), isPassing: false }];
  const end = { decision: 'undecided', reason: 'notWritten', faults, by: SERVICE } as const;
  const hasEnded = await database.transaction((tx) =>
    endUnfinished(tx, unfinished, { ...end, fence: unfinished.fence }),
  );
  if (hasEnded) observeEnd(unfinished, 'undecided');
}

async function standingNow(database: Database, { charge }: UnfinishedCharge): Promise<Standing> {
  return standingOf(charge, (await findBooksOf(database, charge)).transaction, false);
}
