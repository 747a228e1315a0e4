import type { OnForbidden } from '../audit/audit-refused-access.ts';
import { findMerchant } from '../merchants/merchants.sql.ts';
import type { Admission } from '../platform/http/admission.ts';
import type { ServedEndpoint } from '../platform/http/endpoint.ts';
import { FAILURES, failureOfHold } from '../platform/http/failures.ts';
import { rateLimit } from '../platform/http/rate-limit.ts';
import type { ModuleContext } from '../platform/module.ts';
import { NO_MERCHANT } from '../platform/postgres/batched-writes.ts';
import type { Database } from '../platform/postgres/database.ts';
import { keptRead } from '../platform/prepared-reads.ts';
import type { Pages } from '../platform/web-pages/page-routes.ts';
import type { Work } from '../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften, forgetInBatches } from '../platform/work/every-so-often.ts';
import { renewOldCustomers } from '../recurrence/subscriptions/customers.sql.ts';
import type { Cents } from '../values/cents.ts';
import { eraseOldNotes } from './buyers/buyer-notes.sql.ts';
import { BUYERS_UNREAD, eraseOldWords } from './buyers/buyer-words.sql.ts';
import { rememberBuyers } from './buyers/remember-buyers.ts';
import { consoleWording } from './console-wording.ts';
import type { IdentityProvider } from './identities/open-provider.ts';
import { type ConsoleToolsContext, openConsoleTools } from './open-console-tools.ts';
import { storeHealth } from './operator/store-health.ts';
import type { HomologationPages } from './parts/homologation-pages.ts';
import { html } from './parts/html.ts';
import type { Visit } from './parts/screen.ts';
import { ACTIONS, SCREENS } from './screens.ts';
import { deleteOldRequests, isAnythingWaiting } from './second-person/requests.sql.ts';
import { deleteExpiredLinks } from './users/links.sql.ts';
import { CHALLENGE_MILLISECONDS } from './users/passkey.ts';
import { SESSION_SECONDS } from './users/session.ts';
import { deleteExpiredSessions } from './users/sessions.sql.ts';
import { answerPage, framed, type PageTools } from './visits/answer-page.ts';
import { deleteOldActions } from './visits/console-actions.sql.ts';
import { decideRequest, listWaiting } from './visits/decide-request.ts';
import { findActs, findThingActs } from './visits/find-acts.ts';
import { readAssets } from './visits/send-file.ts';

/**
 * How long the key of a sent form is kept. A form is valid only in the session of its page, so twice a
 * session's life is enough.
 */
const FORM_SECONDS = 2 * SESSION_SECONDS;
/** How long a request to a second person is kept here. The audit log keeps it forever. */
const REQUEST_DAYS = 90;

export function forgetOldActions(database: Database): Work {
  return forgetInBatches('forgetOldActions', (limit) => deleteOldActions(database, limit, FORM_SECONDS));
}

/** How often each process looks. In each five minutes, the first to find no samples writes them. */
const STORE_HEALTH_MILLISECONDS = 60_000;

/** The pause between two runs while purchases are unread. While there are none, nothing runs. */
const REMEMBER_MILLISECONDS = 5_000;

function buyerWorks({ database, configuration: { customerRetentionDays: days } }: WorksContext): Work[] {
  const remember = everySoOften(
    'rememberBuyers',
    REMEMBER_MILLISECONDS,
    (signal) => rememberBuyers(database, days, signal),
    { piece: BUYERS_UNREAD },
  );
  if (days === 0) return [remember];
  const forget = forgetInBatches(
    'forgetOldBuyers',
    (limit) => renewOldCustomers(database, limit, days),
    (limit) => eraseOldWords(database, limit, days),
    (limit) => eraseOldNotes(database, limit, days),
  );
  return [remember, forget];
}

type WorksContext = {
  readonly database: Database;
  readonly configuration: { readonly customerRetentionDays: number };
};

export function consoleWorks(context: WorksContext): Work[] {
  const { database } = context;
  return [
    ...buyerWorks(context),
    alsoWhileHeld(everySoOften('storeHealth', STORE_HEALTH_MILLISECONDS, () => storeHealth(database))),
    forgetInBatches(
      'forgetExpiredSessions',
      (limit) => deleteExpiredSessions(database, limit, 2 * CHALLENGE_MILLISECONDS),
      (limit) => deleteExpiredLinks(database, limit),
    ),
    forgetOldActions(database),
    forgetInBatches('forgetOldRequests', (limit) => deleteOldRequests(database, limit, REQUEST_DAYS)),
  ];
}

export type ConsoleContext = ConsoleToolsContext &
  Pick<ModuleContext, 'log'> & {
    readonly configuration: {
      readonly requestDeadlineMilliseconds: number;
      readonly pagesOrigin: string | null;
      readonly console: {
        readonly origin: string | null;
        readonly secondPersonOver: Cents | null;
        readonly disputeDays: number | null;
      };
    };
  };

type Below = {
  readonly endpoints: readonly ServedEndpoint[];
  readonly admission: Admission;
  readonly onForbidden: OnForbidden;
  /** Null: people sign in with passkeys only. */
  readonly provider: IdentityProvider | null;
  /** The path of the demo shop; null: it is not served. */
  readonly demoShop: string | null;
  /** Null in production. */
  readonly homologationPages: HomologationPages | null;
};

/** A person opens some pages a minute. Live pages reload themselves. */
const PAGES_PER_SECOND = { ofUser: 20, ofAddress: 50, assetsOfAddress: 100 } as const;
const WAITING_MILLISECONDS = 5_000;

/** Actions are audited and cost more than reads. */
const ACTION_RATE = { perSecond: 1, burstSeconds: 60 } as const;
/** Counted per address and per user. The burst is for many people who share an address. */
const SIGN_IN_RATE = { perSecond: 1, burstSeconds: 60 } as const;

export function openConsole(context: ConsoleContext, below: Below): Pages {
  const { configuration, database, log, gate } = context;
  const { homologationPages } = below;
  const isHomologation = homologationPages !== null;
  const wordingOf = consoleWording(homologationPages?.texts);
  const endpoints = new Map(below.endpoints.map((served) => [served.contract.id, served]));
  const { secondPersonOver, disputeDays } = configuration.console;
  const decide = (...[visit, wanted]: DecideArguments) =>
    decideRequest({ ...tools, ...tools.asking }, visit, wanted);
  const doesAnyWait = keptRead(WAITING_MILLISECONDS, () => isAnythingWaiting(database, null));
  const tools: PageTools = {
    ...context,
    provider: below.provider,
    secondPersonOver,
    linksOpen: isHomologation,
    isHomologation,
    happenings: homologationPages?.happenings ?? null,
    wordingOf,
    ownOrigin: configuration.console.origin,
    assets: readAssets(),
    admission: below.admission,
    perUser: rateLimit(PAGES_PER_SECOND.ofUser),
    perAddress: rateLimit(PAGES_PER_SECOND.ofAddress),
    assetsOfAddress: rateLimit(PAGES_PER_SECOND.assetsOfAddress),
    actionsOfUser: rateLimit(ACTION_RATE.perSecond, ACTION_RATE.burstSeconds),
    signIns: rateLimit(SIGN_IN_RATE.perSecond, SIGN_IN_RATE.burstSeconds),
    asking: {
      endpoints,
      readers: new Map(),
      log,
      requestDeadlineMilliseconds: configuration.requestDeadlineMilliseconds,
      pagesOrigin: configuration.pagesOrigin,
      isHomologation,
      whyHeld: () => failureOfHold(gate.reason()),
    },
    screens: [...SCREENS, ...(homologationPages?.screens ?? [])],
    actions: [...ACTIONS, ...(homologationPages?.actions ?? [])],
    consoleTools: {
      ...openConsoleTools(context),
      secondPersonOver,
      disputeDays,
      listRequests: (visit) =>
        context.search(NO_MERCHANT, (reader) => listWaiting({ reader, actions: tools.actions }, visit)),
      listHistory: (visit, before) =>
        context.search(visit.merchantId, (reader) => findActs({ ...tools, reader }, visit, before)),
      listThingHistory: (visit, id) =>
        context.lookUp(visit.merchantId, (reader) => findThingActs({ ...tools, reader }, visit, id)),
      // Usually nothing waits, and then pages need no query.
      isAnythingWaiting: async (merchantId) =>
        (await doesAnyWait()) && (merchantId === null || isAnythingWaiting(database, merchantId)),
      approveRequest: (visit, requestId, reason) =>
        decide(visit, { requestId, reason, decision: 'approved' }),
      declineRequest: (visit, requestId, reason) =>
        decide(visit, { requestId, reason, decision: 'declined' }),
      contractOf: (id) => endpoints.get(id)?.contract ?? null,
      demoShop: below.demoShop,
    },
    findMerchant: (merchantId) => findMerchant(database, merchantId),
    onForbidden: below.onForbidden,
  };
  return {
    prefix: '/console',
    icon: tools.assets.paths.icon,
    answer: (request) => answerPage(tools, request),
    failed(failure, language) {
      const { status, sentence } = FAILURES[failure];
      const wording = wordingOf(language);
      const title = wording.say('That did not work');
      const body = html`<p>${sentence[language]}</p>${status === 503 && html`<p>${wording.say(WHO_KNOWS)}</p>`}`;
      return { status, ...framed(tools, wording, { title, body }) };
    },
  };
}

const WHO_KNOWS =
  'If it lasts, those who operate the service find the reason at /health/ready of each process, and by parcela doctor.';

type DecideArguments = [visit: Visit, wanted: Parameters<typeof decideRequest>[2]];
