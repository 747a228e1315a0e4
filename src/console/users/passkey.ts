import { type Html, html } from '../parts/html.ts';
import { withQuery } from '../parts/paths.ts';
import type { User } from '../parts/user.ts';
import type { Wording } from '../parts/wording.ts';

export type NewPasskey = {
  readonly credentialId: Buffer;
  /** The public key in the format COSE. */
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
};

export type Passkey = NewPasskey & { readonly userId: string };

export type UsedPasskey = Pick<NewPasskey, 'credentialId' | 'signCount'>;

/** The site that a passkey is bound to: its host name and its origin. */
export type RelyingParty = { readonly id: string; readonly origin: string };

/** The site of an origin. Null if the host is an IP address: passkeys need a name. */
export function relyingPartyOf(origin: string | null): RelyingParty | null {
  const url = origin === null ? null : URL.parse(origin);
  if (url === null || /^[\d.]+$|^\[/.test(url.hostname)) return null;
  return { id: url.hostname, origin: url.origin };
}

/** How long a person may look at a page before using the passkey. */
export const CHALLENGE_MILLISECONDS = 5 * 60_000;

export function challengeText(purpose: string, expiresAt: number, nonce: string): string {
  return `console challenge|${purpose}|${expiresAt}|${nonce}`;
}

export type ReadChallenge = { readonly expiresAt: number; readonly nonce: string; readonly seal: string };

export function readChallenge(challenge: string): ReadChallenge | null {
  const [, expires, nonce, seal] = /^(\d{13})\.([\w-]{43})\.([\w-]{43})$/.exec(challenge) ?? [];
  if (expires === undefined || nonce === undefined || seal === undefined) return null;
  return { expiresAt: Number(expires), nonce, seal };
}

/** `party`: null if the host is an IP address, where passkeys cannot be used. */
type PasskeyForm = {
  readonly party: RelyingParty | null;
  readonly challenge: string;
  readonly next: string;
};

const NO_SCRIPT = 'A passkey needs JavaScript; everything behind the sign-in works without.';
const NO_HOST = 'Passkeys are bound to a host name: open the console under its name, not under an address.';

export function signInView({ say }: Wording, { party, challenge, next }: PasskeyForm): Html {
  if (party === null) return html`<p>${say(NO_HOST)}</p>`;
  return html`<p>${say('Your browser asks for your passkey: a fingerprint, your face, a PIN or a security key.')}</p>
<form method="post" action="/console/sign-in" data-passkey="get" data-challenge="${challenge}" data-party="${party.id}">
<input type="hidden" name="next" value="${next}"><input type="hidden" name="passkey" value="">
<div class="buttons"><button type="submit" class="main">${say('Sign in with a passkey')}</button></div>
<p class="message bad" hidden data-fault>${say('No passkey was shown. Try again, or ask for an invitation.')}</p>
</form>
<noscript><p class="message bad">${say(NO_SCRIPT)}</p></noscript>
<p class="note">${say('No passkey, or lost it? An administrator of your company, or somebody else who runs this Parcela, gives you a new link.')}</p>`;
}

export const IDENTITY_PATH = '/console/sign-in/oidc';

/** A link and not a form, because our policy forbids forms to lead to another site. */
export function identityLink({ say }: Wording, next: string): Html {
  const address = withQuery(IDENTITY_PATH, { next: next === '/console' ? undefined : next });
  return html`<div class="buttons"><a class="button" href="${address}">${say('Sign in with your organization')}</a></div>`;
}

/** Nothing happens before a button is pressed, so link previews do not use the link up. */
export function linkView(
  { say }: Wording,
  user: User,
  { party, challenge }: PasskeyForm,
  opensByItself: boolean,
): Html {
  return html`<p>${say('You are {name}. This link works once.', { name: user.name })}</p>
${
  opensByItself &&
  html`<form method="post"><div class="buttons"><button type="submit" class="main">${say('Enter')}</button></div></form>
<p class="note">${say('In homologation the link is enough. In production a passkey is made here.')}</p>`
}
${
  party === null
    ? html`<p class="note">${say(NO_HOST)}</p>`
    : html`<form method="post" data-passkey="create" data-challenge="${challenge}" data-party="${party.id}" data-user="${user.userId}" data-name="${user.name}">
<input type="hidden" name="passkey" value="">
<div class="buttons"><button type="submit" class="${opensByItself ? 'plain' : 'main'}">${say('Create a passkey and enter')}</button></div>
<p class="message bad" hidden data-fault>${say('No passkey was made. Try again.')}</p>
</form>
<noscript><p class="message bad">${say(NO_SCRIPT)}</p></noscript>`
}`;
}
