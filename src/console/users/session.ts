import { hash } from 'node:crypto';
import type { User } from '../parts/user.ts';

/** Real time, by the database's clock. */
export const IDLE_SECONDS = 15 * 60;
export const SESSION_SECONDS = 12 * 60 * 60;
/** An invitation, or a link to sign in with. */
export const LINK_SECONDS = 24 * 60 * 60;

/** The user who is signed in, and the secret by which the browser shows it. */
export type Session = { readonly user: User; readonly token: string; readonly language: 'pt' | 'en' | null };

/**
 * A browser takes this prefix over TLS only, from the host itself, for all of its paths: no other host can
 * plant it. Homologation is also reached without TLS.
 */
const COOKIE = { secure: '__Host-parcela', plain: 'parcela_homologation' } as const;

/** Its end, 256 random bits, and our seal of both. */
const TOKEN = /^\d{13}\.[\w-]{43}\.[\w-]{43}$/;

/** The value of the cookie of a name in a header `Cookie`; null: none. */
export function readCookie(header: string | undefined, name: string): string | null {
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`));
  // Of two with one name it cannot be known which is ours.
  return found.length === 1 ? (found[0]?.slice(name.length + 1) ?? null) : null;
}

/** Of a header `Cookie`; null: none, or one that was never given. */
export function tokenOfCookie(header: string | undefined, isSecure: boolean): string | null {
  const token = readCookie(header, isSecure ? COOKIE.secure : COOKIE.plain) ?? '';
  return TOKEN.test(token) ? token : null;
}

/** An empty token ends it in the browser. */
export function cookieOf(token: string, isSecure: boolean): string {
  const name = isSecure ? COOKIE.secure : COOKIE.plain;
  const parts = [`${name}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Strict'];
  if (isSecure) parts.push('Secure');
  if (token === '') parts.push('Max-Age=0');
  return parts.join('; ');
}

/** 256 random bits are looked up by their hash: there is nothing to guess, so no salt. */
export function tokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** What only a page of this session can know: in its forms, and behind what it was answered. */
export function pageMark(token: string, use: string): string {
  return hash('sha256', `${use}|${token}`, 'base64url');
}

const FORM = 'form';

export function formMark(token: string): string {
  return pageMark(token, FORM);
}

type Asked = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Under which the page was asked for. */
  readonly origin: string | null;
};

/** Whether a form came from a page of ours, as browsers say it and no page of another site can. */
export function isSameOrigin({ headers, origin }: Asked): boolean {
  const site = headers['sec-fetch-site'];
  const sent = headers.origin;
  if (site !== undefined && site !== 'same-origin') return false;
  if (sent !== undefined && sent !== origin) return false;
  return site !== undefined || sent !== undefined;
}
