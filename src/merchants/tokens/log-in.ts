import { newSecret } from '../../platform/chance.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { fairLine, type InLine, Overloaded } from '../../platform/work/fair-line.ts';

import { inCell } from '../../values/cell.ts';
import { addressGroup, isAddressWithin, parseAddress, parseBlocks } from '../../values/ip-address.ts';
import { checkPassword } from '../credentials/check-password.ts';
import { addressesInForce, type LoginApi, mayLogIn } from '../credentials/credential.ts';
import {
  type CredentialForLogin,
  findCredentialByUserName,
  noteUse,
} from '../credentials/credentials.sql.ts';
import { accessTokenHash } from './access-token.ts';
import { insertAccessToken, type TokenTimes } from './access-tokens.sql.ts';
import { countFailure, endFailuresInARow, giveBackFailure } from './login-failures.sql.ts';
import { failureBuckets, type LoginLimits } from './login-failures.ts';

export type LoginAttempt = {
  readonly api: LoginApi;
  readonly userName: string;
  readonly password: string;
  readonly address: string;
};

/** For the operator's log only: callers get one sentence for all. */
export type WrongLogin =
  | 'unknownUserName'
  | 'wrongPassword'
  | 'disabled'
  | 'passwordTooOld'
  | 'unusedTooLong'
  | 'otherApi'
  | 'addressNotListed';

export type LoginOutcome =
  | ({
      readonly kind: 'granted';
      readonly accessToken: string;
      readonly found: CredentialForLogin;
    } & TokenTimes)
  | {
      readonly kind: 'wrong';
      readonly reason: WrongLogin;
      readonly found: CredentialForLogin | null;
      /** Buckets that this failure filled: they now refuse without a check. */
      readonly filled: readonly string[];
    }
  | { readonly kind: 'locked'; readonly secondsToWait: number; readonly found: CredentialForLogin | null };

/**
 * Checks a password and returns an access token. The failure is counted first and given back on success, so
 * that parallel tries have no advantage. Unknown, wrong and disabled take the same steps. Throws
 * `Overloaded`, uncounted, when too many log in at once.
 */
export function logIn(desk: LoginDesk, attempt: LoginAttempt): Promise<LoginOutcome> {
  const group = addressGroup(parseAddress(attempt.address));
  return desk.inTurn(JSON.stringify([attempt.userName, group]), () => tryOnce(desk, attempt, group));
}

async function tryOnce(desk: LoginDesk, attempt: LoginAttempt, group: string): Promise<LoginOutcome> {
  const { database } = desk;
  const { found, isListed, buckets, counted } = await desk.count(group, async () => {
    const found = await findCredentialByUserName(database, attempt.userName);
    const isListed = found !== null && isListedFor(found, attempt.address);
    const buckets = failureBuckets(attempt.userName, group, isListed);
    return { found, isListed, buckets, counted: await countFailure(database, buckets, desk.limits) };
  });
  const { secondsToWait, filled } = counted;
  if (secondsToWait !== null) return { kind: 'locked', secondsToWait, found };

  const unusable = whyUnusable(found, attempt.api, desk, isListed);
  const fitting = await desk
    .hash(group, () =>
      checkPassword(attempt.password, found === null || unusable !== null ? [] : hashesOf(found)),
    )
    .catch(async (error) => {
      if (error instanceof Overloaded) await giveBackFailure(database, buckets);
      throw error;
    });
  if (found === null || fitting === null)
    return { kind: 'wrong', reason: unusable ?? 'wrongPassword', found, filled };

  const accessToken = inCell(desk.cell, newSecret());
  const hash = accessTokenHash(accessToken);
  const times = await insertAccessToken(database, hash, found.credential, attempt.api, fitting);
  if (times === null) return { kind: 'wrong', reason: 'wrongPassword', found, filled };
  await endFailuresInARow(database, buckets);
  if (!found.isUseNoted) await noteUse(database, found.credential);
  return { kind: 'granted', accessToken, found, ...times };
}

function isListedFor(found: CredentialForLogin, address: string): boolean {
  const blocks = addressesInForce(found.credential.allowedAddresses, found.productionAddresses);
  return isAddressWithin(parseAddress(address), parseBlocks(blocks));
}

function hashesOf(found: CredentialForLogin): string[] {
  return [found.passwordHash, found.previousPasswordHash].filter((hash) => hash !== null);
}

function whyUnusable(
  found: CredentialForLogin | null,
  api: LoginApi,
  { enforceAddresses, passwordMaxAgeDays, credentialUnusedDays }: LoginSettings,
  isListed: boolean,
): WrongLogin | null {
  if (found === null) return 'unknownUserName';
  if (found.credential.disabledAt !== null || found.isMerchantDisabled) return 'disabled';
  if (passwordMaxAgeDays > 0 && found.passwordAgeDays >= passwordMaxAgeDays) return 'passwordTooOld';
  if (credentialUnusedDays > 0 && found.unusedDays >= credentialUnusedDays) return 'unusedTooLong';
  if (!mayLogIn(found.credential.scopes, api)) return 'otherApi';
  return isListed || !enforceAddresses ? null : 'addressNotListed';
}

type LoginSettings = {
  /** The prefix of tokens; null: the installation has no cells. */
  readonly cell: string | null;
  /** True in production: logins are taken from listed addresses only. */
  readonly enforceAddresses: boolean;
  readonly limits: LoginLimits;
  /** A password that is older (in days) is refused; 0: none is. */
  readonly passwordMaxAgeDays: number;
  /** A credential that was unused for more days is refused; 0: none is. */
  readonly credentialUnusedDays: number;
};

/** Its queues protect the process. Turns go by name and address first, then by address. */
export type LoginDesk = LoginSettings & {
  readonly database: Database;
  readonly inTurn: InLine;
  readonly count: InLine;
  readonly hash: InLine;
};

/**
 * `ofEach`: two logins at once of one name and address. A try counts as a failure until it is checked, so ten
 * at once with the right password would lock the merchant out.
 */
const LOGINS = { name: 'logins', slots: 1_024, ofEach: 2, waiting: 128, longestWaitMilliseconds: 5_000 };
/** Bounded, so that a flood of logins leaves most database connections to callers that have a token. */
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
