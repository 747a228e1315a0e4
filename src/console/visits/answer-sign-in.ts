import type { Audit } from '../../audit/audit-event.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { CommitUnknown } from '../../platform/postgres/database-errors.ts';
import type { PageRequest } from '../../platform/web-pages/page-routes.ts';
import { addressGroup, parseAddress } from '../../values/ip-address.ts';
import type { IdentityProvider } from '../identities/open-provider.ts';
import type { Html } from '../parts/html.ts';
import { html } from '../parts/html.ts';
import { link as linkTo } from '../parts/page-parts.ts';
import type { Form } from '../parts/screen.ts';
import type { User } from '../parts/user.ts';
import type { Wording } from '../parts/wording.ts';
import { checkPasskey, readNewPasskey, SIGN_IN } from '../users/check-passkey.ts';
import { createChallenge } from '../users/create-challenge.ts';
import { findLinkedUser } from '../users/links.sql.ts';
import { openSession, type Proof } from '../users/open-session.ts';
import { identityLink, linkView, relyingPartyOf, signInView } from '../users/passkey.ts';
import { cookieOf, isSameOrigin, tokenHash } from '../users/session.ts';
import { isPasskeyTaken } from '../users/sessions.sql.ts';
import { actorName, userResource } from '../users/user.ts';
import { findPasskey, findUserById } from '../users/users.sql.ts';

export type SignInTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly keyring: Pick<Keyring, 'fingerprint' | 'fingerprints'>;
  readonly linksOpen: boolean;
  readonly provider: IdentityProvider | null;
  /** Limits each address, and each user whose passkey has signed. */
  readonly signIns: RateLimit;
};

export type DoorPage = { readonly route: string; readonly status: number; readonly title: string } & (
  | {
      readonly body: Html;
      readonly fault: string | null;
      readonly cookies?: readonly string[];
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly goTo: string; readonly cookies: readonly string[] }
);

export type DoorRequest = Pick<
  PageRequest,
  'method' | 'path' | 'query' | 'headers' | 'origin' | 'address'
> & {
  readonly form: Form;
  readonly isSecure: boolean;
};

const NO_PASSKEY = 'No passkey was made. Try again.';
const LINK = /^\/links\/([\w-]{43})$/;

/** The sign-in pages. Null: another path. */
export async function answerSignIn(
  tools: SignInTools,
  request: DoorRequest,
  wording: Wording,
): Promise<DoorPage | null> {
  if (request.path === '/sign-in') return signIn(tools, request, wording);
  const link = LINK.exec(request.path)?.[1];
  return link === undefined ? null : enterByLink(tools, request, wording, link);
}

export const MANY_SIGN_IN =
  'Many sign in from your network at this moment. Load this page again in some seconds.';

export function secondsToSignIn({ signIns }: SignInTools, { address }: Pick<DoorRequest, 'address'>): number {
  return signIns.secondsToWait(addressGroup(parseAddress(address)), performance.now());
}

export const STRANGE_FORM = 'This form did not come from a page of this console.';

async function signIn(tools: SignInTools, request: DoorRequest, wording: Wording): Promise<DoorPage> {
  const { say } = wording;
  const party = relyingPartyOf(request.origin);
  const sent = request.method === 'POST' ? request.form.next : request.query.next;
  const next = wayInside(sent);
  const show = (status: number, fault: string | null, headers = {}): DoorPage => {
    const challenge = createChallenge(tools, SIGN_IN);
    const link = tools.provider === null ? null : identityLink(wording, next);
    const body = html`${signInView(wording, { party, challenge, next })}${link}`;
    return { route: '/console/sign-in', status, title: say('Sign in'), body, fault, headers };
  };
  const slowDown = (seconds: number) => show(429, say(MANY_SIGN_IN), { 'retry-after': `${seconds}` });
  if (request.method === 'GET') return show(200, null);
  if (!isSameOrigin(request)) return show(403, say(STRANGE_FORM));
  const ofAddress = secondsToSignIn(tools, request);
  if (ofAddress > 0) return slowDown(ofAddress);
  const find = (credentialId: Buffer) => findPasskey(tools.database, credentialId);
  const shown =
    party === null
      ? null
      : await checkPasskey({ ...tools, findPasskey: find }, party, request.form.passkey ?? '');
  const user = shown === null ? null : await findUserById(tools.database, shown.passkey.userId);
  // Only after a valid signature, so that strangers cannot lock a user out.
  const ofUser = user === null ? 0 : tools.signIns.secondsToWait(user.userId, performance.now());
  if (ofUser > 0) return slowDown(ofUser);
  const opened =
    shown === null || user === null
      ? null
      : await openedOrDoubt(tools, user, { by: 'passkey', shown }, request.address);
  if (opened === 'unknown') return show(504, say(SIGN_IN_UNKNOWN));
  if (opened !== null)
    return entered('/console/sign-in', say('Sign in'), next, cookieOf(opened, request.isSecure));
  // Only after a valid signature, so that strangers cannot fill the log.
  if (user !== null) await refuseSignIn(tools, user, request.address);
  return show(401, say('This passkey does not open the console.'));
}

const SIGN_IN_UNKNOWN =
  'It is not known whether this sign-in was written: no answer came in time. You are not signed in; show your passkey once more.';
const LINK_UNKNOWN =
  'It is not known whether this link was used: no answer came in time. You are not signed in.';

/**
 * `unknown`: it is not known whether the session was written. No browser has its token, so nobody is signed
 * in.
 */
async function openedOrDoubt(
  tools: SignInTools,
  user: User,
  proof: Proof,
  address: string,
): Promise<string | null | 'unknown'> {
  try {
    return await openSession(tools, user, proof, address);
  } catch (error) {
    if (error instanceof CommitUnknown) return 'unknown';
    throw error;
  }
}

function linkUnknown({ say }: Wording, route: string, title: string, hasPasskey: boolean): DoorPage {
  const passkey =
    hasPasskey &&
    html`<p>${say('Your passkey may be kept: show it on the page to sign in.')} ${linkTo('/console/sign-in', say('Sign in'))}</p>`;
  const body = html`${passkey}<p>${say('Or open the link again. If it is good no more, it was used up: ask for a new one where you got it.')}</p>`;
  return { route, status: 504, title, body, fault: say(LINK_UNKNOWN) };
}

function refuseSignIn({ audit }: SignInTools, user: User, address: string): Promise<void> {
  return audit.record({
    action: 'user.refuse',
    outcome: 'failure',
    actor: actorName(user),
    origin: address,
    resource: userResource(user),
  });
}

async function enterByLink(
  tools: SignInTools,
  request: DoorRequest,
  wording: Wording,
  link: string,
): Promise<DoorPage> {
  const { say } = wording;
  const route = '/console/links/{link}';
  const title = say('Welcome');
  const user = await findLinkedUser(tools.database, tokenHash(link));
  if (user === null) {
    const body = html`<p>${say('Ask for a new one where you got it; it works once, for a day.')}</p>`;
    const fault = say('This link is good no more.');
    return { route, status: 404, title, body, fault };
  }
  const party = relyingPartyOf(request.origin);
  const purpose = `passkey of ${user.userId}`;
  const show = (status: number, fault: string | null, headers = {}): DoorPage => {
    const challenge = createChallenge(tools, purpose);
    const body = linkView(wording, user, { party, challenge, next: '' }, tools.linksOpen);
    return { route, status, title, body, fault, headers };
  };
  if (request.method === 'GET') return show(200, null);
  if (!isSameOrigin(request)) return show(403, say(STRANGE_FORM));
  const seconds = secondsToSignIn(tools, request);
  if (seconds > 0) return show(429, say(MANY_SIGN_IN), { 'retry-after': `${seconds}` });
  const sent = request.form.passkey ?? '';
  const passkey = sent === '' || party === null ? null : await readNewPasskey(tools, party, purpose, sent);
  if (passkey === null && (sent !== '' || !tools.linksOpen)) return show(400, say(NO_PASSKEY));
  const entering = openedOrDoubt(tools, user, { by: 'link', link, passkey }, request.address);
  const opened = await entering.catch((error: unknown) => {
    if (isPasskeyTaken(error)) return 'taken' as const;
    throw error;
  });
  if (opened === 'unknown') return linkUnknown(wording, route, title, passkey !== null);
  // The answer does not tell whose passkey it is. The link can still be used with another passkey.
  if (opened === 'taken') return show(400, say(NO_PASSKEY));
  if (opened === null) return show(409, say('This link is good no more.'));
  return entered(route, title, '/console', cookieOf(opened, request.isSecure));
}

function entered(route: string, title: string, goTo: string, cookie: string): DoorPage {
  return { route, status: 303, title, goTo, cookies: [cookie] };
}

/** The path to open after signing in. It never leads to another host. */
export function wayInside(next: unknown): string {
  return typeof next === 'string' && /^\/console\/[\w./?=&%~:+-]{0,500}$/.test(next) ? next : '/console';
}
