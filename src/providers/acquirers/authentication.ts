import type { CardBrand } from '../../values/card-number.ts';

/**
 * An authentication of the cardholder (3-D Secure) that was made elsewhere. Kept in memory only, as a
 * security code is; only its summary is stored.
 */
export type Authentication = AuthenticationSummary & {
  /** The issuer's proof, base64 of 20 bytes; null where there is none. */
  readonly cavv: string | null;
  /** Base64 of 20 bytes. */
  readonly xid: string | null;
  /** The directory server's id of it, a UUID. */
  readonly dsTransactionId: string | null;
};

export type AuthenticationSummary = {
  /** Two digits. */
  readonly eci: string;
  /** Of the protocol, `2.2.0` or shorter. */
  readonly version: string;
};

/** Assumed where none is named: version 1 is gone since 2022. */
export const AUTHENTICATION_VERSION = '2';

/** What the indicators of a brand say. `attempted`: the issuer took no part, and answers as if it had. */
const RESULTS = {
  '01': 'attempted',
  '02': 'authenticated',
  '05': 'authenticated',
  '06': 'attempted',
} as const;
export const AUTHENTICATION_RESULTS = ['authenticated', 'attempted', 'notAuthenticated'] as const;
export type AuthenticationResult = (typeof AUTHENTICATION_RESULTS)[number];

export function authenticationResult(eci: string): AuthenticationResult {
  return (RESULTS as Readonly<Record<string, AuthenticationResult>>)[eci] ?? 'notAuthenticated';
}

const OF_MASTERCARD = ['00', '01', '02', '04', '06', '07'];
const OF_OTHERS = ['05', '06', '07'];
const INDICATORS: Readonly<Record<CardBrand, readonly string[]>> = {
  mastercard: OF_MASTERCARD,
  visa: OF_OTHERS,
  amex: OF_OTHERS,
  elo: ['04', ...OF_OTHERS],
  // Its issuers follow either.
  hipercard: [...OF_MASTERCARD, '05'],
};

/** A network writes no other indicator than its own. */
export function isOfBrand({ eci }: AuthenticationSummary, brand: CardBrand): boolean {
  return INDICATORS[brand].includes(eci);
}

const KEPT = /^(0\d) (2[.\d]*)$/;

/** As the database has it; undefined: it cannot be. */
export function readAuthenticationSummary(kept: unknown): AuthenticationSummary | undefined {
  const [, eci, version] = KEPT.exec(String(kept)) ?? [];
  return eci === undefined || version === undefined ? undefined : { eci, version };
}
