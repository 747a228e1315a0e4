import type { Api, Scope } from '../../platform/http/endpoint.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import type { Day, Instant } from '../../values/instant.ts';
import { addressesRefusal, type Merchant, type Refused } from '../merchant.ts';

/** The APIs that have a login. */
export const LOGIN_APIS = ['gateway', 'integration'] as const satisfies readonly Api[];
export type LoginApi = (typeof LOGIN_APIS)[number];

/** A login of a merchant; bound to one account. Of the password only its hash is kept. */
export type Credential = {
  readonly merchantId: string;
  readonly credentialId: string;
  readonly userName: string;
  readonly accountNumber: string;
  readonly scopes: readonly Scope[];
  /** Empty: the merchant's addresses hold. */
  readonly allowedAddresses: readonly string[];
  readonly createdAt: Instant;
  /** Since when it has its password. */
  readonly passwordChangedAt: Instant;
  /** The day of its last login; null: none is noted. */
  readonly lastUsedOn: Day | null;
  readonly disabledAt: Instant | null;
  readonly previousPasswordValidUntil: Instant | null;
};

export type NewCredential = {
  readonly merchantId: string;
  /** Null: the merchant's first account. */
  readonly accountNumber: string | null;
  readonly scopes: readonly Scope[];
  /** Null: one is made. */
  readonly userName: string | null;
  readonly allowedAddresses: readonly string[];
};

export type CredentialRefusal =
  | 'merchantUnknown'
  | 'accountUnknown'
  | 'scopeMissing'
  | 'userNameMalformed'
  | 'userNameReserved'
  | 'userNameTaken'
  | 'addressMalformed'
  | 'tooManyAddresses'
  | 'addressMissing'
  | 'tooManyCredentials';

/** Of a merchant, those that are disabled not counted: what nobody uses is to be disabled. */
export const MOST_CREDENTIALS = 200;

/** Why nothing can be done with an existing credential. */
export type CredentialChangeRefusal =
  | 'credentialUnknown'
  | 'credentialDisabled'
  | 'overlapOutOfRange'
  | 'tokenUnknown';

/** Each API asks for one of these at its login. A token of one API is not taken by the other. */
const SCOPES_OF_API = {
  gateway: ['gateway', 'recurrence'],
  integration: ['integration'],
} as const satisfies Record<LoginApi, readonly Scope[]>;

/** Whether a credential may log in at an API: it has at least one of that API's scopes. */
export function mayLogIn(scopes: readonly Scope[], api: LoginApi): boolean {
  return SCOPES_OF_API[api].some((scope) => scopes.includes(scope));
}

/** The `createdBy` of acts without a person. */
const RESERVED_USER_NAMES = ['system'];

/**
 * The fault of a credential to be made, or null. Production needs a list of addresses, the
 * credential's or the merchant's: a list that was forgotten must not mean "from everywhere" (an
 * operator who wants that writes `0.0.0.0/0` and `::/0`).
 */
export function newCredentialRefusal(
  credential: NewCredential,
  merchant: Merchant | null,
  mustNameAddresses: boolean,
): Refused<CredentialRefusal> | null {
  const { merchantId, accountNumber, scopes, userName, allowedAddresses } = credential;
  if (merchant === null) return { refusal: 'merchantUnknown', value: merchantId };
  if (accountNumber !== null && !merchant.accountNumbers.includes(accountNumber)) {
    return { refusal: 'accountUnknown', value: accountNumber };
  }
  if (scopes.length === 0) return { refusal: 'scopeMissing', value: '' };
  if (userName !== null) {
    if (!/^[A-Za-z0-9._@-]{3,30}$/.test(userName) || holdsCardNumber(userName))
      return { refusal: 'userNameMalformed', value: userName };
    if (RESERVED_USER_NAMES.includes(userName.toLowerCase()))
      return { refusal: 'userNameReserved', value: userName };
  }
  const addresses = addressesInForce(allowedAddresses, merchant.productionAddresses);
  if (mustNameAddresses && addresses.length === 0) return { refusal: 'addressMissing', value: '' };
  return addressesRefusal(allowedAddresses);
}

/** A credential's own list takes the place of the merchant's, so that it can be narrower or elsewhere. */
export function addressesInForce(own: readonly string[], merchants: readonly string[]): readonly string[] {
  return own.length > 0 ? own : merchants;
}

const MOST_OVERLAP_HOURS = 24;

/** How long the old password may stay valid: whole hours, none to 24. */
export function isOverlap(hours: number): boolean {
  return Number.isInteger(hours) && hours >= 0 && hours <= MOST_OVERLAP_HOURS;
}

/** The credential as the audit log names it. */
export function credentialResource({
  merchantId,
  credentialId,
}: Pick<Credential, 'merchantId' | 'credentialId'>): string {
  return `merchants/${merchantId}/credentials/${credentialId}`;
}
