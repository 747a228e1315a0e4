import type { ChannelFiles } from '../../platform/channels/channel-files.ts';
import { CHALLENGE_MILLISECONDS } from '../users/passkey.ts';
import { pageMark, readCookie } from '../users/session.ts';
import { isUserName } from '../users/user.ts';

/** Claims of an ID token that may say a user's name. */
export const NAME_CLAIMS = ['email', 'preferred_username'] as const;
export type NameClaim = (typeof NAME_CLAIMS)[number];

export type Claims = Readonly<Record<string, unknown>>;

/** A person at an identity provider, which gives no subject to two, whatever else of them changes. */
export type Identity = { readonly issuer: string; readonly subject: string };

/** OpenID Connect lets a subject have as many characters. */
const LONGEST_SUBJECT = 255;

/** Null: what could not be compared or kept. */
export function identityOf({ iss, sub }: Claims): Identity | null {
  if (typeof iss !== 'string' || typeof sub !== 'string') return null;
  const isGood = sub !== '' && sub.length <= LONGEST_SUBJECT && /^\P{Cc}*$/u.test(sub) && sub.isWellFormed();
  return isGood ? { issuer: iss, subject: sub } : null;
}

/** The name of the user that claims speak of; null: none that can be believed, or none of ours. */
export function claimedName(claims: Claims, claim: NameClaim): string | null {
  const said = claims[claim];
  if (typeof said !== 'string') return null;
  // An address that nobody has proven can be anybody's.
  if (claim === 'email' && claims.email_verified !== true) return null;
  // Beyond ASCII other letters become these in lower case: the sign of Kelvin a k.
  if (!/^[\x21-\x7e]+$/.test(said)) return null;
  const name = said.toLowerCase();
  return isUserName(name) ? name : null;
}

/** What binds an answer of the provider to the browser that asked. All of it follows from one secret. */
export type Attempt = {
  readonly secret: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
  /** Where somebody wanted to go. */
  readonly next: string;
};

/** `secret`: a sealed challenge, which the browser keeps; neither state nor nonce says anything of it. */
export function attemptOf(secret: string, next: string): Attempt {
  return {
    secret,
    next,
    state: pageMark(secret, 'oidc state'),
    nonce: pageMark(secret, 'oidc nonce'),
    verifier: pageMark(secret, 'oidc verifier'),
  };
}

const COOKIE = { secure: '__Host-parcela-oidc', plain: 'parcela_homologation_oidc' } as const;

/** Lax: the provider leads back here from its own page. Null: it ends in the browser. */
export function attemptCookie(attempt: Attempt | null, isSecure: boolean): string {
  const value = attempt === null ? '' : `${attempt.secret}~${encodeURIComponent(attempt.next)}`;
  const seconds = attempt === null ? 0 : CHALLENGE_MILLISECONDS / 1_000;
  const name = isSecure ? COOKIE.secure : COOKIE.plain;
  const parts = [`${name}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`];
  if (isSecure) parts.push('Secure');
  return parts.join('; ');
}

/** Of a header `Cookie`; null: none, or one that cannot be read. Its seal is looked at elsewhere. */
export function attemptOfCookie(header: string | undefined, isSecure: boolean): Attempt | null {
  const value = readCookie(header, isSecure ? COOKIE.secure : COOKIE.plain);
  const [, secret = '', next = ''] = /^([\w.-]{1,200})~([\w.%~!*'()-]{1,2000})$/.exec(value ?? '') ?? [];
  if (secret === '') return null;
  try {
    return attemptOf(secret, decodeURIComponent(next));
  } catch {
    return null;
  }
}

/** The operator's identity provider (OIDC). */
export type ProviderSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /** The token is the client's secret. Files are read for each sign-in, so that one may be replaced. */
  readonly files: ChannelFiles;
  readonly nameClaim: NameClaim;
};
