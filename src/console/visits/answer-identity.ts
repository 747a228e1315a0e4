import type { Log } from '../../platform/log.ts';
import { CommitUnknown } from '../../platform/postgres/database-errors.ts';
import { ProviderAway } from '../identities/ask-provider.ts';
import {
  type Attempt,
  attemptCookie,
  attemptOf,
  attemptOfCookie,
  claimedName,
  identityOf,
} from '../identities/identity.ts';
import { openByIdentity } from '../identities/open-by-identity.ts';
import type { IdentityProvider } from '../identities/open-provider.ts';
import { html } from '../parts/html.ts';
import { withQuery } from '../parts/paths.ts';
import type { Wording } from '../parts/wording.ts';
import { createChallenge, isChallengeGood } from '../users/create-challenge.ts';
import { IDENTITY_PATH } from '../users/passkey.ts';
import { cookieOf, isSameOrigin } from '../users/session.ts';
import {
  type DoorPage,
  type DoorRequest,
  MANY_SIGN_IN,
  type SignInTools,
  secondsToSignIn,
  wayInside,
} from './answer-sign-in.ts';

export type IdentityDoorTools = SignInTools & {
  readonly log: Pick<Log, 'warn'>;
};

const BEGIN = IDENTITY_PATH;
const BACK = `${IDENTITY_PATH}/callback`;
const PURPOSE = 'oidc';

/** Sign-in through the identity provider. Null: another path, or no provider. */
export async function answerIdentity(
  tools: IdentityDoorTools,
  request: DoorRequest,
  wording: Wording,
): Promise<DoorPage | null> {
  const { provider } = tools;
  const path = `/console${request.path}`;
  if (provider === null || request.method !== 'GET' || (path !== BEGIN && path !== BACK)) return null;
  try {
    return await (path === BEGIN
      ? begin(tools, provider, request, wording)
      : comeBack(tools, provider, request, wording));
  } catch (error) {
    // It is unknown whether the session was written. No browser has its token, so nobody is signed in.
    if (error instanceof CommitUnknown) return refused(path, wording, request, 504, UNKNOWN);
    if (!(error instanceof ProviderAway)) throw error;
    tools.log.warn({ reason: error.message }, 'the identity provider cannot be asked');
    return refused(path, wording, request, 502, AWAY);
  }
}

const AWAY =
  'The identity provider does not answer as it should. Try again in a moment, or ask the operator of this Parcela.';
const UNKNOWN =
  'It is not known whether this sign-in was written: no answer came in time. You are not signed in. Begin again.';
const ELSEWHERE = 'This sign-in was begun in another browser, or too long ago. Begin again.';
const NOTHING_PROVEN = 'The identity provider did not prove who you are. Begin again.';
const NOBODY = 'Nobody who may use this console stands behind this identity. Ask for an invitation.';

function redirectOf({ origin }: DoorRequest): string {
  return `${origin ?? ''}${BACK}`;
}

/** The sign-in must begin on our page: otherwise a stranger's link could sign somebody in. */
async function begin(
  tools: IdentityDoorTools,
  provider: IdentityProvider,
  request: DoorRequest,
  { say }: Wording,
): Promise<DoorPage> {
  const next = wayInside(request.query.next);
  const leadTo = (goTo: string, cookies: readonly string[]): DoorPage => ({
    route: BEGIN,
    status: 303,
    title: say('Sign in'),
    goTo,
    cookies,
  });
  if (!isSameOrigin(request)) return leadTo(signInPath(next), []);
  const attempt = attemptOf(createChallenge(tools, PURPOSE), next);
  const address = await provider.addressOf(attempt, redirectOf(request));
  return leadTo(address, [attemptCookie(attempt, request.isSecure)]);
}

function signInPath(next: string): string {
  return withQuery('/console/sign-in', { next: next === '/console' ? undefined : next });
}

async function comeBack(
  tools: IdentityDoorTools,
  provider: IdentityProvider,
  request: DoorRequest,
  wording: Wording,
): Promise<DoorPage> {
  const attempt = attemptOfCookie(request.headers.cookie, request.isSecure);
  const parameters = parametersOf(request);
  const isOurs =
    attempt !== null &&
    isChallengeGood(tools, PURPOSE, attempt.secret) &&
    parameters.get('state') === attempt.state;
  if (!isOurs) return refused(BACK, wording, request, 400, ELSEWHERE);
  // Each attempt costs the provider a request with our secret.
  const seconds = secondsToSignIn(tools, request);
  if (seconds > 0) return laterAgain(wording, seconds);
  const claims = await provider.check(parameters, attempt, redirectOf(request));
  const identity = claims === null ? null : identityOf(claims);
  if (claims === null || identity === null) return refused(BACK, wording, request, 401, NOTHING_PROVEN);
  const name = claimedName(claims, provider.nameClaim);
  const token = await openByIdentity(tools, { identity, name, attempt, address: request.address });
  if (token === null) return refused(BACK, wording, request, 403, NOBODY);
  return entered(request, attempt, token, wording);
}

/** Passes on each value of a repeated parameter: the library refuses repeated ones. */
function parametersOf({ query }: DoorRequest): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (typeof one === 'string') parameters.append(name, one);
  return parameters;
}

/** A browser that comes from another site would not send the session's cookie, so a page of ours follows. */
function entered(request: DoorRequest, { next }: Attempt, token: string, { say }: Wording): DoorPage {
  const goTo = wayInside(next);
  return {
    route: BACK,
    status: 200,
    title: say('Welcome'),
    body: html`<p>${say('You are signed in.')} <a href="${goTo}">${say('Go on')}</a></p>`,
    fault: null,
    cookies: [cookieOf(token, request.isSecure), attemptCookie(null, request.isSecure)],
    headers: { refresh: `0;url=${goTo}` },
  };
}

/**
 * Refuses a sign-in when there are too many. The attempt stays in the browser, so the same page works some
 * seconds later.
 */
function laterAgain({ say }: Wording, seconds: number): DoorPage {
  const headers = { 'retry-after': `${seconds}` };
  return { route: BACK, status: 429, title: say('Sign in'), body: html``, fault: say(MANY_SIGN_IN), headers };
}

function refused(
  route: string,
  { say }: Wording,
  request: DoorRequest,
  status: number,
  sentence: string,
): DoorPage {
  const body = html`<p><a href="/console/sign-in">${say('Sign in')}</a></p>`;
  const cookies = [attemptCookie(null, request.isSecure)];
  return { route, status, title: say('Sign in'), body, fault: say(sentence), cookies };
}
