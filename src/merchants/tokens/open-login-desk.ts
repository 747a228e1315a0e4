import type { Database } from '../../platform/postgres/database.ts';
import { fairLine, type InLine } from '../../platform/work/fair-line.ts';
import type { LoginLimits } from './login-failures.ts';

export type LoginSettings = {
  /** Of which tokens say that they are; null: there are no cells. */
  readonly cell: string | null;
  /** Production: only from the addresses on the credential's or the merchant's list. */
  readonly enforceAddresses: boolean;
  readonly limits: LoginLimits;
  /** A password that is older opens nothing; 0: however old. */
  readonly passwordMaxAgeDays: number;
  /** A credential that was not used for so long opens nothing; 0: however long. */
  readonly credentialUnusedDays: number;
};

/**
 * Where logins are taken in: one for the process, since its lines protect the process. Callers take turns by
 * name and address in the first, by address in the others: one that tries many names holds up itself.
 */
export type LoginDesk = LoginSettings & {
  readonly database: Database;
  readonly inTurn: InLine;
  readonly count: InLine;
  readonly hash: InLine;
};

/**
 * Two at once of one name and address: they count as failures until they turn out right, so that a
 * merchant whose
 * twenty workers log in together must not meet the limit of ten.
 */
const LOGINS = { name: 'logins', slots: 1_024, ofEach: 2, waiting: 128, longestWaitMilliseconds: 5_000 };
/** A flood of logins leaves most of the database's connections to those who are logged in. */
const COUNTING = {
  name: 'counting logins',
  slots: 4,
  ofEach: 4,
  waiting: 512,
  longestWaitMilliseconds: 2_000,
};
/** A hash takes 19 MiB and some 50 ms of a core. */
const HASHING = {
  name: 'checking passwords',
  slots: 2,
  ofEach: 2,
  waiting: 128,
  longestWaitMilliseconds: 5_000,
};

export function openLoginDesk(database: Database, settings: LoginSettings): LoginDesk {
  return {
    ...settings,
    database,
    inTurn: fairLine(LOGINS),
    count: fairLine(COUNTING),
    hash: fairLine(HASHING),
  };
}
