import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { credentialResource } from '../credentials/credential.ts';
import { findCredentialByUserName } from '../credentials/credentials.sql.ts';
import type { Refused } from '../merchant.ts';
import { endEveryToken, endOneToken } from './access-tokens.sql.ts';

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
