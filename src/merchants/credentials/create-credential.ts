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

/** Letters and digits that are not mistaken for one another: no 0 O 1 I l i L o. */
const CLEAR_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789';
const CLEAR_SMALL_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
/** 32 of 54 characters: 184 random bits. */
const PASSWORD_LENGTH = 32;

/** A password that no one chose: always with letters and digits (PCI DSS 8.3.6 asks for both). */
export function createPassword(): string {
  while (true) {
    const password = randomText(CLEAR_ALPHABET, PASSWORD_LENGTH);
    if (/[a-z]/.test(password) && /[A-Z]/.test(password) && /\d/.test(password)) return password;
  }
}

const LONGEST_USER_NAME = 30;

/** A user name that cannot be guessed from the merchant's id, so that a stranger has nothing to lock. */
function createUserName(merchantId: string, cell: string | null): string {
  const name = inCell(cell, `${merchantId}-`);
  // Six at the least: an id has twenty characters at most.
  return name + randomText(CLEAR_SMALL_ALPHABET, Math.min(8, LONGEST_USER_NAME - name.length));
}

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

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
