import type { Database } from '../../platform/postgres/database.ts';
import { type WaitingLine, waitingLine, waitingLines } from '../../platform/work/waiting-line.ts';
import type { LoginLimits } from './login-failures.ts';

export type LoginSettings = {
  /** Production: only from the addresses on the credential's or the merchant's list. */
  readonly enforceAddresses: boolean;
  readonly limits: LoginLimits;
  /** A password that is older opens nothing; 0: however old. */
  readonly passwordMaxAgeDays: number;
};

/** Where logins are taken in: one for the process, since its lines protect the process. */
export type LoginDesk = LoginSettings & {
  readonly database: Database;
  readonly inTurn: <T>(nameAndAddress: string, task: () => Promise<T>) => Promise<T>;
  readonly count: WaitingLine;
  readonly hash: WaitingLine;
};

/**
 * Two at once of one name and address: they count as failures until they turn out right, so that a merchant whose
 * twenty workers log in together must not meet the limit of ten.
 */
const SAME_CALLER = { name: 'logins of one caller', atOnce: 2, waiting: 64, longestWaitMilliseconds: 5_000 };
/** A flood of logins leaves most of the database's connections to those who are logged in. */
const COUNTING = { name: 'counting logins', atOnce: 4, waiting: 256, longestWaitMilliseconds: 2_000 };
/** A hash takes 19 MiB and some 50 ms of a core. */
const HASHING = { name: 'checking passwords', atOnce: 2, waiting: 64, longestWaitMilliseconds: 5_000 };

export function openLoginDesk(database: Database, settings: LoginSettings): LoginDesk {
  return {
    ...settings,
    database,
    inTurn: waitingLines(SAME_CALLER),
    count: waitingLine(COUNTING),
    hash: waitingLine(HASHING),
  };
}
