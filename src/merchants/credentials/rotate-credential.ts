import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Refused } from '../merchant.ts';
import { hashPassword } from './check-password.ts';
import type { CredentialWithPassword } from './create-credential.ts';
import { createPassword } from './create-password.ts';
import { type CredentialChangeRefusal, credentialResource, isOverlap } from './credential.ts';
import { findCredentialByUserName, replacePassword } from './credentials.sql.ts';

/**
 * Gives a credential a new password. With an overlap the old one, and the tokens made with it, stay
 * good for their time; without, both end: an operator who rotates at once fears that the password
 * was seen. A password before the old one ends either way.
 */
export async function rotateCredential(
  tools: { readonly database: Database; readonly audit: Audit; readonly operator: Actor },
  userName: string,
  overlapHours: number,
): Promise<CredentialWithPassword | Refused<CredentialChangeRefusal>> {
  if (!isOverlap(overlapHours)) return { refusal: 'overlapOutOfRange', value: String(overlapHours) };
  const found = await findCredentialByUserName(tools.database, userName);
  if (found === null) return { refusal: 'credentialUnknown', value: userName };
  if (found.credential.disabledAt !== null) return { refusal: 'credentialDisabled', value: userName };
  const password = createPassword();
  const passwordHash = await hashPassword(password, overlapHours > 0 ? found.passwordHash : null);
  const credential = await replacePassword(tools.audit, found, passwordHash, overlapHours, {
    ...tools.operator,
    action: 'credential.rotate',
    outcome: 'success',
    resource: credentialResource(found.credential),
    detail: { userName, overlapHours },
  });
  if (credential !== null) return { credential, password };
  return rotateCredential(tools, userName, overlapHours);
}
