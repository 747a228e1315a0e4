import type { Audit } from '../../audit/audit-event.ts';
import type { OnForbidden } from '../../audit/audit-refused-access.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Merchant } from '../../merchants/merchant.ts';
import { newId } from '../../platform/chance.ts';
import { type Caller, SCOPES } from '../../platform/http/endpoint.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { PageAnswer } from '../../platform/web-pages/page-routes.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import type { Cents } from '../../values/cents.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { type AssetPaths, type Frame, type NavigationGroup, PAGE_HEADERS, page } from '../parts/layout.ts';
import { MENU } from '../parts/menu.ts';
import { errorsOf } from '../parts/page-parts.ts';
import {
  HEALTH,
  matchPath,
  merchantPath,
  OF_MERCHANT,
  pathOf,
  plainPath,
  SEARCH,
  TODAY,
} from '../parts/paths.ts';
import {
  type Action,
  type Ask,
  type Form,
  type Happenings,
  mayUse,
  type Screen,
  type Visit,
} from '../parts/screen.ts';
import { mayEnter } from '../parts/user.ts';
import { besideMovedClock, type Wording } from '../parts/wording.ts';
import { formMark, pageMark, type Session } from '../users/session.ts';
import { actorName } from '../users/user.ts';
import { answerAction } from './answer-action.ts';
import { type AskTools, askEndpoint } from './ask-endpoint.ts';
import { liveMark, readAgain } from './live-page.ts';
import { sendFile } from './send-file.ts';

export type VisitTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly keyring: Pick<Keyring, 'fingerprint' | 'fingerprints'>;
  /** Cents. Larger amounts wait for a second person. Null: no limit. */
  readonly secondPersonOver: Cents | null;
  readonly audit: Audit;
  readonly isHomologation: boolean;
  readonly happenings: Happenings | null;
  readonly asking: AskTools;
  readonly actionsOfUser: RateLimit;
  readonly screens: readonly Screen<ConsoleTools>[];
  readonly consoleTools: ConsoleTools;
  readonly actions: readonly Action<ConsoleTools>[];
  readonly findMerchant: (merchantId: string) => Promise<Merchant | null>;
  readonly onForbidden: OnForbidden;
};

export type VisitRequest = {
  readonly method: 'GET' | 'POST';
  readonly isHead: boolean;
  readonly path: string;
  readonly query: Form;
  readonly form: Form;
  readonly address: string;
  readonly origin: string | null;
  readonly requestId: string;
  /**
   * The mark of the content that a page which reloads itself already shows. Null: a person opens the page.
   */
  readonly liveMark: string | null;
};

type Beside = { readonly assets: AssetPaths };

/** Pages of merchants whom the user may not see look like missing pages. */
export async function answerVisit(
  tools: VisitTools,
  request: VisitRequest,
  session: Session,
  wording: Wording,
  beside: Beside,
): Promise<PageAnswer> {
  const { user } = session;
  const path = request.path === '/' ? await homeOf(tools, session) : request.path;
  if (path !== request.path) return { route: '/console', ...seeOther(pathOf(path, {})) };
  const found =
    request.method === 'GET' ? screenAt(tools, path) : (actionAt(tools, path) ?? formAt(tools, path));
  const merchantId = found?.parameters.merchantId ?? matchMerchant(path);
  const isInside = merchantId === null || mayEnter(user, merchantId);
  const merchant = merchantId === null || !isInside ? null : await tools.findMerchant(merchantId);
  const searched = request.form.q ?? '';
  const around = merchant ?? (user.merchantId === null ? null : await tools.findMerchant(user.merchantId));
  const frame = await frameOf(tools, session, wording, { path, searched, merchant: around, ...beside });
  const route = found === null ? '/console' : `/console${found.of.path}`;
  const about = { route, userName: actorName(user), ...(merchant && { merchantId: merchant.merchantId }) };
  const isThere = found !== null && isInside && (merchantId === null || merchant !== null);
  if (!isThere) return { ...about, ...shown(404, frame(wording.say('Not found'), notFound(wording))) };
  if (!mayUse(found.of, user)) {
    await tools.onForbidden(callerOf(session, merchant), route, request.address);
    return { ...about, ...shown(403, frame(wording.say('Not for you'), forbidden(wording))) };
  }
  const visit = visitOf(tools, request, session, wording, { found, merchant });
  if ('action' in found) {
    const markOf = (action: Action<ConsoleTools>) => doneMark(session, action);
    const { log, whyHeld } = tools.asking;
    const made = await answerAction({ ...tools, log, whyHeld, markOf }, found.action, visit, request);
    if ('goTo' in made) return { ...about, ...seeOther(made.goTo) };
    const page = shown(made.status, frame(wording.say(made.title), made.body));
    return { ...about, ...page, headers: { ...page.headers, ...made.headers } };
  }
  if (holdsCard(request.query) || holdsCard(visit.form)) {
    const page = shown(400, frame(wording.say(found.of.title), typedCard(wording, visit.path)));
    return { ...about, ...page };
  }
  const read = await found.screen.show(visit, tools.consoleTools);
  if (read === 'notFound')
    return { ...about, ...shown(404, frame(wording.say('Not found'), notFound(wording))) };
  if ('leadsTo' in read) return { ...about, ...seeOther(read.leadsTo) };
  if ('name' in read) return { ...about, ...(await sendFile(tools, read, session, visit, request.isHead)) };
  const title = wording.say(found.of.title);
  const message = messageOf(tools, session, wording, request.query.done);
  const { refreshSeconds } = found.screen;
  if (refreshSeconds === undefined) return { ...about, ...shown(200, frame(title, read, message)) };
  const mark = liveMark(session.token, read, visit.onceKey);
  if (request.liveMark !== null) return { ...about, ...readAgain(read, mark, request.liveMark) };
  const live = { seconds: refreshSeconds, mark };
  return { ...about, ...shown(200, { ...frame(title, read, message), live }) };
}

/** Searching by card number is refused: proxies and logs would keep the number. */
function holdsCard(typed: Form): boolean {
  return Object.entries(typed).some((pair) => pair.some(holdsCardNumber));
}

function typedCard({ say }: Wording, path: string): Html {
  const description = say(
    'This looks like a card number, and none may be typed here: look for the last four digits instead. Nothing was looked for.',
  );
  return html`${errorsOf([{ tag: '', description }])}<p><a href="${path}">${say('Back')}</a></p>`;
}

/**
 * A smaller difference between business time and real time only shows that the two clocks were read one after
 * the other.
 */
const LEAST_MOVED_MILLISECONDS = 60_000;

type FoundPlace = NonNullable<ReturnType<typeof screenAt> | ReturnType<typeof actionAt>>;

function visitOf(
  tools: VisitTools,
  request: VisitRequest,
  session: Session,
  wording: Wording,
  { found, merchant }: { readonly found: FoundPlace; readonly merchant: Merchant | null },
): Visit {
  const { done: _, ...query } = request.query;
  const askAs = (caller: Caller, onceKey: string | null): Ask => {
    const asker = { ...request, caller, language: wording.language, onceKey };
    return (contract, given) => askEndpoint(tools.asking, asker, contract, given);
  };
  const onceKey = 'action' in found ? (request.form.once ?? null) : null;
  const realNow = tools.clock.unmoved();
  const now = merchant === null ? realNow : tools.clock.now(merchant.merchantId);
  const isMoved = now - realNow > LEAST_MOVED_MILLISECONDS;
  return {
    user: session.user,
    merchantId: merchant?.merchantId ?? '',
    accountNumbers: merchant?.accountNumbers ?? [],
    parameters: found.parameters,
    query,
    form: 'screen' in found && request.method === 'POST' ? request.form : {},
    path: plainPath(found.of.path, found.parameters),
    wording: isMoved ? besideMovedClock(wording) : wording,
    ask: askAs(callerOf(session, merchant), onceKey),
    askFor: (other, onceKey) => askAs(callerOf(session, other), onceKey),
    address: request.address,
    origin: request.origin,
    now,
    realNow,
    isHomologation: tools.isHomologation,
    happenings: tools.happenings,
    formMark: formMark(session.token),
    onceKey: newId(),
  };
}

/** The first page after signing in. In homologation a user of the operator begins with the first merchant. */
async function homeOf(
  { isHomologation, consoleTools: { searchMerchants } }: VisitTools,
  { user }: Session,
): Promise<string> {
  const ofMerchant = (id: string) => TODAY.replace('{merchantId}', encodeURIComponent(id));
  if (user.merchantId !== null) return ofMerchant(user.merchantId);
  if (!isHomologation) return HEALTH;
  const [first] = (await searchMerchants({ text: null, standing: null }, '')).merchants;
  return first === undefined ? HEALTH : ofMerchant(first.merchantId);
}

function matchMerchant(path: string): string | null {
  const [, first, id] = path.split('/');
  return first === 'merchants'
    ? (matchPath(OF_MERCHANT, `/merchants/${id ?? ''}`)?.merchantId ?? null)
    : null;
}

function screenAt({ screens }: VisitTools, path: string) {
  for (const screen of screens) {
    const parameters = matchPath(screen.path, path);
    if (parameters !== null) return { of: screen, parameters, screen };
  }
  return null;
}

function formAt(tools: VisitTools, path: string) {
  const found = screenAt(tools, path);
  return found?.screen.takesForm === true ? found : null;
}

function actionAt({ actions }: VisitTools, path: string) {
  for (const action of actions) {
    const parameters = matchPath(action.path, path);
    if (parameters !== null) return { of: action, parameters, action };
  }
  return null;
}

/** The user as a caller of the API, with all scopes: screens and actions check the rights. */
function callerOf({ user }: Session, merchant: Merchant | null): Caller {
  return {
    merchantId: merchant?.merchantId ?? '',
    credentialId: user.userId,
    userName: actorName(user),
    accountNumber: merchant?.accountNumbers[0] ?? '',
    scopes: SCOPES,
    softDescriptor: merchant?.softDescriptor ?? null,
    tokenId: '',
  };
}

function doneMark({ token }: Session, { path }: Action<ConsoleTools>): string {
  return pageMark(token, `done ${path}`).slice(0, 16);
}

/**
 * The message for the mark in `done`. Only the service can make such a mark, so nobody else's link makes a
 * page show a message.
 */
function messageOf(
  { actions }: VisitTools,
  session: Session,
  { say }: Wording,
  done: string | undefined,
): Frame['message'] {
  if (done === undefined) return null;
  const action = actions.find((one) => doneMark(session, one) === done);
  return action === undefined ? null : { tone: 'good', text: say(action.done) };
}

async function frameOf(
  tools: VisitTools,
  session: Session,
  wording: Wording,
  of: Beside & {
    readonly path: string;
    readonly searched: string;
    readonly merchant: Merchant | null;
  },
) {
  const { user } = session;
  const { merchant, path, searched } = of;
  const values = { merchantId: merchant?.merchantId ?? '' };
  const navigation = await navigationOf(tools, session, wording, path, merchant);
  const searchPath = pathOf(SEARCH, values);
  return (title: string, body: Shown, message: Frame['message'] = null): Frame => ({
    wording,
    assets: of.assets,
    isHomologation: tools.isHomologation,
    title,
    body,
    visitor: {
      user,
      formMark: formMark(session.token),
      merchant: merchant && {
        name: merchant.legalName,
        searchPath,
        path: user.merchantId === null ? merchantPath(merchant.merchantId) : null,
      },
      navigation,
      searched,
    },
    message,
  });
}

/** The menu: the pages that the user may see, with the nearest one around this page marked. */
async function navigationOf(
  { screens, consoleTools }: VisitTools,
  { user }: Session,
  { say }: Wording,
  path: string,
  merchant: Merchant | null,
): Promise<NavigationGroup[]> {
  const merchantId = merchant?.merchantId ?? null;
  const isShown = async (menuPath: string) => {
    const one = screens.find((screen) => screen.path === menuPath);
    if (one === undefined || !mayUse(one, user)) return [];
    if ((await one.isOffered?.(merchantId, consoleTools)) === false) return [];
    return [{ path: pathOf(one.path, { merchantId: merchantId ?? '' }), title: say(one.title) }];
  };
  const groups = await Promise.all(
    MENU.filter(({ of }) => merchant !== null || of === 'operator').map(async ({ of, title, paths }) => ({
      of,
      title: say(title),
      items: (await Promise.all(paths.map(isShown))).flat(),
    })),
  );
  const here = `/console${path}/`;
  // The list of merchants contains each merchant, but not the pages inside it.
  const inside = matchMerchant(path) !== null && path.split('/').length > 3 ? 'merchant' : 'operator';
  const around = groups
    .flatMap(({ of, items }) => (of === inside ? items : []))
    .filter((item) => here.startsWith(`${item.path}/`));
  const nearest = around.toSorted((one, other) => other.path.length - one.path.length)[0];
  return groups
    .filter(({ items }) => items.length > 0)
    .map(({ items, ...group }) => ({
      ...group,
      items: items.map((item) => ({ ...item, isHere: item === nearest })),
    }));
}

function shown(status: number, frame: Frame) {
  const content = page(frame);
  return { status, text: { content, type: 'text/html; charset=utf-8' }, headers: { ...PAGE_HEADERS } };
}

function seeOther(location: string) {
  return { status: 303, headers: { ...PAGE_HEADERS, location } };
}

function notFound({ say }: Wording): Html {
  return html`<p>${say('There is no such thing here. Check the address, or begin at the first page.')}</p>
<p><a href="/console">${say('To the first page')}</a></p>`;
}

function forbidden({ say }: Wording): Html {
  return html`<p>${say('Your role does not allow this. An administrator can give you another one.')}</p>
<p><a href="/console">${say('To the first page')}</a></p>`;
}
