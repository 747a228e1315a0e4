import type { Database } from '../../platform/postgres/database.ts';
import { findCredentialByUserName } from '../credentials/credentials.sql.ts';
import type { Refused } from '../merchant.ts';
import { findTokensOf, type ListedToken } from './access-tokens.sql.ts';

/** The tokens of a credential that are good now, the oldest first, up to `limit`. */
export async function listTokens(
  { database }: { readonly database: Database },
  userName: string,
  limit: number,
): Promise<ListedToken[] | Refused<'credentialUnknown'>> {
  const found = await findCredentialByUserName(database, userName);
  if (found === null) return { refusal: 'credentialUnknown', value: userName };
  return findTokensOf(database, found.credential, limit);
}
