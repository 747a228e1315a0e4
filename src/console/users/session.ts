import { hash } from 'node:crypto';
import type { User } from '../parts/user.ts';

export const IDLE_SECONDS = 15 * 60;
export const SESSION_SECONDS = 12 * 60 * 60;
export const LINK_SECONDS = 24 * 60 * 60;

export type Session = { readonly user: User; readonly token: string; readonly language: 'pt' | 'en' | null };

/**
 * Names of the session's cookie. Browsers accept the prefix `__Host-` only over TLS from the host itself;
 * homologation also runs without TLS.
 */
const COOKIE = { secure: '__Host-parcela', plain: 'parcela_homologation' } as const;

/** A session's token: its expiry, 256 random bits, and our seal of both. */
const TOKEN = /^\d{13}\.[\w-]{43}\.[\w-]{43}$/;

/** The value of a cookie. Null if the header has none of this name, or several. */
export function readCookie(header: string | undefined, name: string): string | null {
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`));
  return found.length === 1 ? (found[0]?.slice(name.length + 1) ?? null) : null;
}

export function tokenOfCookie(header: string | undefined, isSecure: boolean): string | null {
  const token = readCookie(header, isSecure ? COOKIE.secure : COOKIE.plain) ?? '';
  return TOKEN.test(token) ? token : null;
}

export function cookieOf(token: string, isSecure: boolean): string {
  const name = isSecure ? COOKIE.secure : COOKIE.plain;
  const parts = [`${name}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Strict'];
  if (isSecure) parts.push('Secure');
  if (token === '') parts.push('Max-Age=0');
  return parts.join('; ');
}

/** What the database keeps of a token. It needs no salt: 256 random bits cannot be guessed. */
export function tokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** A mark that only pages of this session can have. `use`: what it is for. */
export function pageMark(token: string, use: string): string {
  return hash('sha256', `${use}|${token}`, 'base64url');
}

const FORM = 'form';

export function formMark(token: string): string {
  return pageMark(token, FORM);
}

type Asked = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly origin: string | null;
};

/**
 * Whether a page of this console sent the request. Browsers tell the origin, and pages of other sites cannot
 * forge it.
 */
export function isSameOrigin({ headers, origin }: Asked): boolean {
  const site = headers['sec-fetch-site'];
  const sent = headers.origin;
  if (site !== undefined && site !== 'same-origin') return false;
  if (sent !== undefined && sent !== origin) return false;
  return site !== undefined || sent !== undefined;
}
