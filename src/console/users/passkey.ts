/** A passkey as its authenticator made it. */
export type NewPasskey = {
  readonly credentialId: Buffer;
  /** COSE. */
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
};

export type Passkey = NewPasskey & { readonly userId: string };

/** With the counter that it showed now. */
export type UsedPasskey = Pick<NewPasskey, 'credentialId' | 'signCount'>;

/** Where a browser must have asked for a passkey. */
export type RelyingParty = { readonly id: string; readonly origin: string };

/** Null: the host is an address, which no passkey is bound to. */
export function relyingPartyOf(origin: string | null): RelyingParty | null {
  const url = origin === null ? null : URL.parse(origin);
  if (url === null || /^[\d.]+$|^\[/.test(url.hostname)) return null;
  return { id: url.hostname, origin: url.origin };
}

/** As long as a person may look at a page before the passkey is asked for. */
export const CHALLENGE_MILLISECONDS = 5 * 60_000;

/** What is sealed of a challenge. */
export function challengeText(purpose: string, expiresAt: number, nonce: string): string {
  return `console challenge|${purpose}|${expiresAt}|${nonce}`;
}

export type ReadChallenge = { readonly expiresAt: number; readonly nonce: string; readonly seal: string };

/** Null: it is none of ours. */
export function readChallenge(challenge: string): ReadChallenge | null {
  const [, expires, nonce, seal] = /^(\d{13})\.([\w-]{43})\.([\w-]{43})$/.exec(challenge) ?? [];
  if (expires === undefined || nonce === undefined || seal === undefined) return null;
  return { expiresAt: Number(expires), nonce, seal };
}
