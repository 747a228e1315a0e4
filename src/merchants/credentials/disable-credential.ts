import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Refused } from '../merchant.ts';
import { type Credential, type CredentialChangeRefusal, credentialResource } from './credential.ts';
import { findCredentialByUserName, markCredentialDisabled } from './credentials.sql.ts';

/** Ends a credential for ever, and its tokens within two seconds in every process. */
export async function disableCredential(
  tools: { readonly database: Database; readonly audit: Audit; readonly operator: Actor },
  userName: string,
): Promise<Credential | Refused<CredentialChangeRefusal>> {
  const found = await findCredentialByUserName(tools.database, userName);
  if (found === null) return { refusal: 'credentialUnknown', value: userName };
  const { merchantId, credentialId } = found.credential;
  const disabled = await markCredentialDisabled(tools.audit, merchantId, credentialId, {
    ...tools.operator,
    action: 'credential.disable',
    outcome: 'success',
    resource: credentialResource(found.credential),
    detail: { userName },
  });
  return disabled ?? { refusal: 'credentialDisabled', value: userName };
}
