import { type Admission, NO_PLACE } from '../../platform/http/admission.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { NO_MERCHANT } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { parseQuery } from '../../platform/requests/request-reader.ts';
import type { PageAnswer, PageRequest } from '../../platform/web-pages/page-routes.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import { addressGroup, parseAddress } from '../../values/ip-address.ts';
import type { ConsoleWording } from '../console-wording.ts';
import { html } from '../parts/html.ts';
import { type Frame, PAGE_HEADERS, page } from '../parts/layout.ts';
import { withQuery } from '../parts/paths.ts';
import type { Form } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import { isChallengeGood } from '../users/create-challenge.ts';
import { endSession, SESSION } from '../users/open-session.ts';
import {
  cookieOf,
  formMark,
  isSameOrigin,
  type Session,
  tokenHash,
  tokenOfCookie,
} from '../users/session.ts';
import { findSessionUser } from '../users/sessions.sql.ts';
import { actorName } from '../users/user.ts';
import { setLanguage } from '../users/users.sql.ts';
import { answerIdentity, type IdentityDoorTools } from './answer-identity.ts';
import { answerSignIn, type DoorPage, type DoorRequest, STRANGE_FORM } from './answer-sign-in.ts';
import { answerVisit, type VisitTools } from './answer-visit.ts';
import { liveMarkOf } from './live-page.ts';
import type { Assets } from './send-file.ts';

export type PageTools = IdentityDoorTools &
  VisitTools & {
    readonly database: Database;
    readonly isHomologation: boolean;
    readonly wordingOf: ConsoleWording;
    /** The public origin. Null: the origin of each request. */
    readonly ownOrigin: string | null;
    readonly assets: Assets;
    readonly admission: Admission;
    readonly perUser: RateLimit;
    readonly perAddress: RateLimit;
    /** Limits style and script, whatever cookie comes along. */
    readonly assetsOfAddress: RateLimit;
  };

type Asked = PageRequest & { readonly fields: Form; readonly isSecure: boolean };

/** Browsers keep an asset for a year, because its name changes with its content. */
const KEPT = 'public, max-age=31536000, immutable';

export async function answerPage(tools: PageTools, sent: PageRequest): Promise<PageAnswer> {
  const asset = /^\/assets\/([\w.-]+)$/.exec(sent.path)?.[1];
  if (asset !== undefined) return answerAsset(tools, sent, asset);
  if (isElsewhere(tools, sent.origin)) return misdirect(tools, sent.language);
  const origin = tools.ownOrigin ?? sent.origin;
  const isSecure = !tools.isHomologation || origin?.startsWith('https:') === true;
  const request = { ...sent, origin, isSecure, fields: fieldsOf(parseQuery(sent.form)) };
  const session = await inPlace(tools, null, () => findSession(tools, request));
  // Strangers who share a signed-in user's address must not lock the user out.
  const seconds =
    session === null
      ? tools.perAddress.secondsToWait(addressGroup(parseAddress(request.address)), request.startedAt)
      : tools.perUser.secondsToWait(session.user.userId, request.startedAt);
  if (seconds > 0) return slowDown(tools, request, seconds);
  const wording = tools.wordingOf(session?.language ?? request.language);
  const door = await inPlace(tools, null, () =>
    answerDoors(tools, { ...request, form: request.fields }, wording),
  );
  if (door !== null) return answerDoor(tools, door, wording);
  if (session === null) return sendToDoor(request);
  return inPlace(tools, session.user.merchantId ?? NO_MERCHANT, () =>
    answerSession(tools, request, session, wording),
  );
}

async function answerDoors(tools: PageTools, request: DoorRequest, wording: Wording) {
  return (await answerSignIn(tools, request, wording)) ?? answerIdentity(tools, request, wording);
}

async function inPlace<T>({ admission }: PageTools, merchantId: string | null, work: () => Promise<T>) {
  const made = await admission.inPlace(merchantId, work);
  if (made === NO_PLACE) throw new Overloaded('no place for a page');
  return made;
}

function fieldsOf(parsed: Readonly<Record<string, unknown>>): Form {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(parsed)) {
    const text = Array.isArray(value) ? value[0] : value;
    if (typeof text === 'string' && text !== '' && text.isWellFormed() && !text.includes('\0'))
      fields[name] = text.trim();
  }
  return fields;
}

async function findSession(tools: PageTools, request: Asked): Promise<Session | null> {
  const token = tokenOfCookie(request.headers.cookie, request.isSecure);
  // A stranger's cookie costs no query: its seal or its time is wrong.
  if (token === null || !isChallengeGood(tools, SESSION, token)) return null;
  // A page that reloads itself does not show that somebody is there.
  const isActive = request.headers['x-parcela-live'] === undefined;
  const found = await findSessionUser(tools.database, tokenHash(token), isActive);
  return found === null ? null : { ...found, token };
}

function answerAsset(
  { assets, assetsOfAddress }: PageTools,
  { address, startedAt, language }: PageRequest,
  name: string,
): PageAnswer {
  const route = '/console/assets';
  const seconds = assetsOfAddress.secondsToWait(addressGroup(parseAddress(address)), startedAt);
  if (seconds > 0) {
    const slowed = failedText(429, FAILURES.tooManyRequests.sentence[language]);
    return { route, ...slowed, headers: { 'retry-after': `${seconds}` } };
  }
  const asset = assets.byName.get(name);
  if (asset === undefined) return { route, ...failedText(404, FAILURES.unknownPath.sentence[language]) };
  const { type, content } = asset;
  return { route, status: 200, text: { content, type }, headers: { 'cache-control': KEPT } };
}

function failedText(status: number, content: string) {
  return { status, text: { content, type: 'text/plain; charset=utf-8' } };
}

/**
 * Whether another host name than ours was asked for. Anybody may let a name point here, and browsers would
 * trust other pages of that name as they trust ours.
 */
function isElsewhere({ isHomologation, ownOrigin }: PageTools, asked: string | null): boolean {
  if (isHomologation || ownOrigin === null) return false;
  return URL.parse(asked ?? '')?.hostname !== new URL(ownOrigin).hostname;
}

function misdirect(tools: PageTools, language: Language): PageAnswer {
  const wording = tools.wordingOf(language);
  const body = html`<p><a href="${tools.ownOrigin}">${tools.ownOrigin}</a></p>`;
  const shown = framed(tools, wording, {
    title: wording.say('This console is reached under another address'),
    body,
  });
  return { route: '/console', status: 421, ...shown };
}

function slowDown(tools: PageTools, { language }: Asked, seconds: number): PageAnswer {
  const wording = tools.wordingOf(language);
  const sentence = FAILURES.tooManyRequests.sentence[language];
  const shown = framed(tools, wording, { title: wording.say('Not now'), body: html`<p>${sentence}</p>` });
  return {
    route: '/console',
    ...shown,
    status: 429,
    headers: { ...shown.headers, 'retry-after': `${seconds}` },
  };
}

export function framed(
  tools: Pick<PageTools, 'assets' | 'isHomologation'>,
  wording: Wording,
  of: Pick<Frame, 'title' | 'body'> & { readonly fault?: string | null },
) {
  const { title, body, fault = null } = of;
  const content = page({
    wording,
    assets: tools.assets.paths,
    isHomologation: tools.isHomologation,
    title,
    body,
    visitor: null,
    message: fault === null ? null : { tone: 'bad', text: fault },
  });
  return { text: { content, type: 'text/html; charset=utf-8' }, headers: { ...PAGE_HEADERS } };
}

function answerDoor(tools: PageTools, door: DoorPage, wording: Wording): PageAnswer {
  const { route, status } = door;
  const { cookies = [] } = door;
  if ('goTo' in door) return { route, status, cookies, headers: { ...PAGE_HEADERS, location: door.goTo } };
  const shown = framed(tools, wording, door);
  return { route, status, cookies, ...shown, headers: { ...shown.headers, ...door.headers } };
}

/**
 * After the sign-in, the browser is led back to the page that was asked for. A form must be filled in again.
 */
function sendToDoor({ method, path, query }: Asked): PageAnswer {
  const wanted =
    method === 'GET' ? withQuery(`/console${path === '/' ? '' : path}`, fieldsOf(query)) : undefined;
  const next = wanted === undefined || holdsCardNumber(wanted) ? undefined : wanted;
  const location = withQuery('/console/sign-in', { next: next === '/console' ? undefined : next });
  return { route: '/console', status: 303, headers: { ...PAGE_HEADERS, location } };
}

async function answerSession(
  tools: PageTools,
  request: Asked,
  session: Session,
  wording: Wording,
): Promise<PageAnswer> {
  const { method, path, fields } = request;
  const isOwn = path === '/sign-out' || path === '/language';
  const isBelieved = isSameOrigin(request) && fields.mark === formMark(session.token);
  if (method === 'POST' && !isBelieved) return refuseStranger(tools, wording, path);
  if (method === 'GET' || !isOwn) {
    const liveMark = liveMarkOf(request.headers);
    const visit = { ...request, query: fieldsOf(request.query), form: fields, liveMark };
    return answerVisit(tools, visit, session, wording, { assets: tools.assets.paths });
  }
  const back = (location: string, headers = {}): PageAnswer => ({
    route: `/console${path}`,
    status: 303,
    headers: { ...PAGE_HEADERS, location, ...headers },
    userName: actorName(session.user),
  });
  if (path === '/sign-out') {
    await endSession(tools, session, request.address);
    return back('/console/sign-in', { 'set-cookie': cookieOf('', request.isSecure) });
  }
  await setLanguage(tools.database, session.user.userId, fields.language === 'en' ? 'en' : 'pt');
  return back('/console');
}

function refuseStranger(tools: PageTools, wording: Wording, path: string): PageAnswer {
  const { say } = wording;
  const body = html`<p>${say('Nothing was done. Open the page again and press its button there.')}</p>`;
  const fault = say(STRANGE_FORM);
  const title = say('Nothing was done');
  return {
    route: `/console${path === '/sign-out' ? path : ''}`,
    status: 403,
    ...framed(tools, wording, { title, body, fault }),
  };
}
