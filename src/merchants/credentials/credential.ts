import type { Api, Scope } from '../../platform/http/endpoint.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import type { Day, Instant } from '../../values/instant.ts';
import { addressesRefusal, type Merchant, type Refused } from '../merchant.ts';

export const LOGIN_APIS = ['gateway', 'integration'] as const satisfies readonly Api[];
export type LoginApi = (typeof LOGIN_APIS)[number];

/** A merchant's login for the APIs, bound to one of its accounts. Only the password's hash is stored. */
export type Credential = {
  readonly merchantId: string;
  readonly credentialId: string;
  readonly userName: string;
  readonly accountNumber: string;
  readonly scopes: readonly Scope[];
  /** Empty: the merchant's addresses apply. */
  readonly allowedAddresses: readonly string[];
  readonly createdAt: Instant;
  readonly passwordChangedAt: Instant;
  readonly lastUsedOn: Day | null;
  readonly disabledAt: Instant | null;
  readonly previousPasswordValidUntil: Instant | null;
};

export type NewCredential = {
  readonly merchantId: string;
  /** null: the merchant's first account. */
  readonly accountNumber: string | null;
  readonly scopes: readonly Scope[];
  /** null: a generated name. */
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

/** How many credentials a merchant may have. Disabled ones do not count. */
export const MOST_CREDENTIALS = 200;

export type CredentialChangeRefusal =
  | 'credentialUnknown'
  | 'credentialDisabled'
  | 'overlapOutOfRange'
  | 'tokenUnknown';

/** An API's login needs one of its scopes. A token is not valid for the other API. */
const SCOPES_OF_API = {
  gateway: ['gateway', 'recurrence'],
  integration: ['integration'],
} as const satisfies Record<LoginApi, readonly Scope[]>;

export function mayLogIn(scopes: readonly Scope[], api: LoginApi): boolean {
  return SCOPES_OF_API[api].some((scope) => scopes.includes(scope));
}

/** No credential may have these names: they stand in `createdBy` for acts without a credential. */
const RESERVED_USER_NAMES = ['system', 'subscriber'];

/**
 * Production needs a list of addresses, of the credential or the merchant: a forgotten list must not mean
 * "everywhere", which is written `0.0.0.0/0` and `::/0`.
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

/** A credential's own list replaces the merchant's. */
export function addressesInForce(own: readonly string[], merchants: readonly string[]): readonly string[] {
  return own.length > 0 ? own : merchants;
}

const MOST_OVERLAP_HOURS = 24;

/** Whether the old password may stay valid for so long: 0 to 24 whole hours. */
export function isOverlap(hours: number): boolean {
  return Number.isInteger(hours) && hours >= 0 && hours <= MOST_OVERLAP_HOURS;
}

export function credentialResource({
  merchantId,
  credentialId,
}: Pick<Credential, 'merchantId' | 'credentialId'>): string {
  return `merchants/${merchantId}/credentials/${credentialId}`;
}
