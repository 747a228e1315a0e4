import { newSecret } from '../../platform/chance.ts';
import { Overloaded } from '../../platform/work/overloaded.ts';
import { inCell } from '../../values/cell.ts';
import { addressGroup, isAddressWithin, parseAddress, parseBlocks } from '../../values/ip-address.ts';
import { checkPassword } from '../credentials/check-password.ts';
import { addressesInForce, type LoginApi, mayLogIn } from '../credentials/credential.ts';
import { noteUse } from '../credentials/credential-use.sql.ts';
import { type CredentialForLogin, findCredentialByUserName } from '../credentials/credentials.sql.ts';
import { accessTokenHash } from './access-token.ts';
import { insertAccessToken, type TokenTimes } from './access-tokens.sql.ts';
import { countFailure, endFailuresInARow, giveBackFailure } from './login-failures.sql.ts';
import { failureBuckets } from './login-failures.ts';
import type { LoginDesk, LoginSettings } from './open-login-desk.ts';

export type LoginAttempt = {
  readonly api: LoginApi;
  readonly userName: string;
  readonly password: string;
  readonly address: string;
};

/** For the operator's log alone: the caller gets the same sentence for all of them. */
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
      /** The buckets of failures that this one filled: from now on they refuse without a look. */
      readonly filled: readonly string[];
    }
  | { readonly kind: 'locked'; readonly secondsToWait: number; readonly found: CredentialForLogin | null };

/**
 * Checks a user name and password and gives an access token. The failure is counted first and given
 * back when there was none: parallel tries are no more than tries one after the other. Unknown,
 * wrong and disabled take the same steps. Throws `Overloaded` when too many log in at once; such a
 * try does not count.
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

/** Why no password would do, or null. */
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
