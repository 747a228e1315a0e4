import type { Actor, Audit } from '../../audit/audit-event.ts';
import { newId } from '../../platform/chance.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Refused } from '../merchant.ts';
import { findMerchant } from '../merchants.sql.ts';
import { hashPassword } from './check-password.ts';
import { createPassword, createUserName } from './create-password.ts';
import {
  type Credential,
  type CredentialRefusal,
  credentialResource,
  type NewCredential,
  newCredentialRefusal,
} from './credential.ts';
import { hasMostCredentials, insertCredential } from './credentials.sql.ts';

export type CredentialTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly operator: Actor;
  /** Production: a credential works only from listed addresses, and must therefore have a list. */
  readonly enforceAddresses: boolean;
  /** Of which made user names say that they are; null: there are no cells. */
  readonly cell: string | null;
};

/** The password is here and nowhere else: it is shown once. */
export type CredentialWithPassword = { readonly credential: Credential; readonly password: string };

/** Made user names have 29 random bits or more; a second try is already luck beyond reason. */
const MOST_TRIES = 3;

/** Makes a credential with a password of our making. */
export async function createCredential(
  tools: CredentialTools,
  wanted: NewCredential,
): Promise<CredentialWithPassword | Refused<CredentialRefusal>> {
  const merchant = await findMerchant(tools.database, wanted.merchantId);
  const refused = newCredentialRefusal(wanted, merchant, tools.enforceAddresses);
  if (refused !== null) return refused;
  const password = createPassword();
  const passwordHash = await hashPassword(password);
  const accountNumber = wanted.accountNumber ?? merchant?.accountNumbers[0] ?? '';
  const scopes = [...new Set(wanted.scopes)];
  let userName = wanted.userName ?? '';
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    userName = wanted.userName ?? createUserName(wanted.merchantId, tools.cell);
    const row = { ...wanted, credentialId: newId(), userName, accountNumber, scopes };
    const credential = await insertCredential(tools.audit, row, passwordHash, {
      ...tools.operator,
      action: 'credential.create',
      outcome: 'success',
      resource: credentialResource(row),
      detail: { userName, accountNumber, scopes: scopes.join(' ') },
    });
    if (credential !== null) return { credential, password };
    if (await hasMostCredentials(tools.database, wanted.merchantId))
      return { refusal: 'tooManyCredentials', value: '' };
    if (wanted.userName !== null) break;
  }
  return { refusal: 'userNameTaken', value: userName };
}
