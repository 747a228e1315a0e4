import type { ChannelFiles } from '../../platform/channels/channel-files.ts';
import { CHALLENGE_MILLISECONDS } from '../users/passkey.ts';
import { pageMark, readCookie } from '../users/session.ts';
import { isUserName } from '../users/user.ts';

export const NAME_CLAIMS = ['email', 'preferred_username'] as const;
export type NameClaim = (typeof NAME_CLAIMS)[number];

export type Claims = Readonly<Record<string, unknown>>;

/**
 * A person at the provider. A provider never gives two persons the same subject; everything else of a person
 * may change.
 */
export type Identity = { readonly issuer: string; readonly subject: string };

/** The longest subject that OpenID Connect allows, in characters. */
const LONGEST_SUBJECT = 255;

/** Null if the subject cannot be compared or kept. */
export function identityOf({ iss, sub }: Claims): Identity | null {
  if (typeof iss !== 'string' || typeof sub !== 'string') return null;
  const isGood = sub !== '' && sub.length <= LONGEST_SUBJECT && /^\P{Cc}*$/u.test(sub) && sub.isWellFormed();
  return isGood ? { issuer: iss, subject: sub } : null;
}

/** The user name that the provider tells. Null if the claim is not trustworthy, or is no valid user name. */
export function claimedName(claims: Claims, claim: NameClaim): string | null {
  const said = claims[claim];
  if (typeof said !== 'string') return null;
  // An unverified address can be anybody's.
  if (claim === 'email' && claims.email_verified !== true) return null;
  // Some letters beyond ASCII become ASCII in lower case: the Kelvin sign becomes k.
  if (!/^[\x21-\x7e]+$/.test(said)) return null;
  const name = said.toLowerCase();
  return isUserName(name) ? name : null;
}

/**
 * One try to sign in. It binds the provider's answer to the browser that asked. State, nonce and verifier are
 * derived from the secret.
 */
export type Attempt = {
  readonly secret: string;
  readonly state: string;
  readonly nonce: string;
  /** The verifier of PKCE (RFC 7636): the provider gives the token only to the one who knows it. */
  readonly verifier: string;
  readonly next: string;
};

/** `secret`: a sealed challenge that the browser keeps in a cookie. State and nonce reveal nothing of it. */
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

/**
 * The cookie that keeps an attempt. It is `SameSite=Lax`, because the provider's page leads back here. Null
 * removes the cookie.
 */
export function attemptCookie(attempt: Attempt | null, isSecure: boolean): string {
  const value = attempt === null ? '' : `${attempt.secret}~${encodeURIComponent(attempt.next)}`;
  const seconds = attempt === null ? 0 : CHALLENGE_MILLISECONDS / 1_000;
  const name = isSecure ? COOKIE.secure : COOKIE.plain;
  const parts = [`${name}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`];
  if (isSecure) parts.push('Secure');
  return parts.join('; ');
}

/** Null if the header has no readable attempt. The caller must check the secret's seal. */
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

export type ProviderSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /**
   * The files' token is the client secret. They are read at each sign-in, so they can be replaced while the
   * service runs.
   */
  readonly files: ChannelFiles;
  readonly nameClaim: NameClaim;
};
