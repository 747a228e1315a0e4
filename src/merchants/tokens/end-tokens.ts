import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Caller } from '../../platform/http/endpoint.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { credentialResource } from '../credentials/credential.ts';
import { findCredentialByUserName } from '../credentials/credentials.sql.ts';
import type { Refused } from '../merchant.ts';
import { endEveryToken, endOneToken } from './access-tokens.sql.ts';
import type { ForgetToken } from './identify-caller.ts';

/** Ends tokens, within two seconds in every process. The credential stays. */
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

/** Ends the caller's token, here at once, elsewhere within two seconds. Writes nothing if it has ended. */
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
