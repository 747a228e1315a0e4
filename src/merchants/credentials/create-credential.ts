import { randomInt } from 'node:crypto';
import type { Actor, Audit } from '../../audit/audit-event.ts';
import { newId } from '../../platform/chance.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { inCell } from '../../values/cell.ts';
import type { Refused } from '../merchant.ts';
import { findMerchant } from '../merchants.sql.ts';
import { hashPassword } from './check-password.ts';
import {
  type Credential,
  type CredentialChangeRefusal,
  type CredentialRefusal,
  credentialResource,
  isOverlap,
  type NewCredential,
  newCredentialRefusal,
} from './credential.ts';
import {
  findCredentialByUserName,
  hasMostCredentials,
  insertCredential,
  markCredentialDisabled,
  replacePassword,
} from './credentials.sql.ts';

export type CredentialTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly operator: Actor;
  /** True in production: a credential works only from listed addresses, and must have a list. */
  readonly enforceAddresses: boolean;
  /** The prefix of generated user names; null: the installation has no cells. */
  readonly cell: string | null;
};

/** The password stands nowhere else: it is shown once, and only its hash is stored. */
export type CredentialWithPassword = { readonly credential: Credential; readonly password: string };

/** Generated user names have at least 29 random bits: collisions are rare. */
const MOST_TRIES = 3;

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

/** Without characters that look alike: no 0 O 1 I l i L o. */
const CLEAR_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789';
const CLEAR_SMALL_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
/** 32 of 54 characters: 184 random bits. */
const PASSWORD_LENGTH = 32;

/** Always with letters and digits, which PCI DSS 8.3.6 requires. */
export function createPassword(): string {
  while (true) {
    const password = randomText(CLEAR_ALPHABET, PASSWORD_LENGTH);
    if (/[a-z]/.test(password) && /[A-Z]/.test(password) && /\d/.test(password)) return password;
  }
}

const LONGEST_USER_NAME = 30;

/** Not to be guessed from the merchant's id: whoever knew it could lock it by wrong passwords. */
function createUserName(merchantId: string, cell: string | null): string {
  const name = inCell(cell, `${merchantId}-`);
  // At least six characters are random: an id has at most twenty.
  return name + randomText(CLEAR_SMALL_ALPHABET, Math.min(8, LONGEST_USER_NAME - name.length));
}

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

/**
 * With an overlap the old password and its tokens stay valid for that time. Without one both end, because the
 * password may have been seen. A password before the old one ends in either case.
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

/** Its tokens end with it, within two seconds in every process. */
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
