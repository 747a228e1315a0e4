import type { Database } from '../../platform/postgres/database.ts';
import type { Refused } from '../merchant.ts';
import type { Credential, CredentialChangeRefusal } from './credential.ts';
import { findCredentialByUserName, markCredentialDisabled } from './credentials.sql.ts';

/** Ends a credential for ever, and its tokens within two seconds in every process. */
export async function disableCredential(
  tools: { readonly database: Database },
  userName: string,
): Promise<Credential | Refused<CredentialChangeRefusal>> {
  const found = await findCredentialByUserName(tools.database, userName);
  if (found === null) return { refusal: 'credentialUnknown', value: userName };
  const { merchantId, credentialId } = found.credential;
  const disabled = await markCredentialDisabled(tools.database, merchantId, credentialId);
  return disabled ?? { refusal: 'credentialDisabled', value: userName };
}
