import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Caller } from '../../platform/http/endpoint.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { credentialResource } from '../credentials/credential.ts';
import { findCredentialByUserName } from '../credentials/credentials.sql.ts';
import type { Refused } from '../merchant.ts';
import { endEveryToken, endOneToken } from './access-tokens.sql.ts';
import type { ForgetToken } from './identify-caller.ts';

/**
 * Ends the tokens of a credential, or the one of this id, within two seconds in every process. The credential
 * stays: its next login gives a new token.
 */
export async function endTokens(
  {
    database,
    audit,
    operator,
  }: { readonly database: Database; readonly audit: Audit; readonly operator: Actor },
  userName: string,
  tokenId: string | null,
): Promise<'ended' | Refused<'credentialUnknown' | 'tokenUnknown'>> {
  const found = await findCredentialByUserName(database, userName);
  if (found === null) return { refusal: 'credentialUnknown', value: userName };
  const { credential } = found;
  const event = {
    ...operator,
    action: 'token.revoke',
    outcome: 'success',
    resource: credentialResource(credential),
    detail: { userName, tokens: tokenId ?? 'all' },
  } as const;
  const isEnded = await audit.transaction(async (tx) => {
    const isDone =
      tokenId === null ? await endEveryToken(tx, credential) : await endOneToken(tx, credential, tokenId);
    if (isDone) tx.record(event);
    return isDone;
  });
  return isEnded ? 'ended' : { refusal: 'tokenUnknown', value: tokenId ?? '' };
}

export type LogOutTools = { readonly audit: Audit; readonly forgetToken: ForgetToken };

/**
 * Ends the token that the caller called with, in this process at once, in the others within two
 * seconds. Ended meanwhile by somebody
 * else, there is nothing to write. The credential and its other tokens stay.
 */
export async function logOut(
  { audit, forgetToken }: LogOutTools,
  caller: Caller,
  address: string,
): Promise<void> {
  const event = {
    action: 'token.end',
    outcome: 'success',
    actor: caller.userName,
    origin: address,
    resource: credentialResource(caller),
    detail: { tokens: caller.tokenId },
  } as const;
  await audit.transaction(
    async (tx) => {
      if (await endOneToken(tx, caller, caller.tokenId)) tx.record(event);
    },
    { merchantId: caller.merchantId },
  );
  forgetToken(caller);
}
