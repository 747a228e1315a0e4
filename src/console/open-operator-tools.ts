import type { Audit } from '../audit/audit-event.ts';
import { listKeyPairs } from '../cards/pairs/key-pairs.sql.ts';
import { listDataKeys } from '../keys/data-keys.sql.ts';
import { changeMerchant, changeStanding } from '../merchants/change-merchant.ts';
import { addAccounts, createMerchant } from '../merchants/create-merchant.ts';
import type { MerchantChange, NewMerchant } from '../merchants/merchant.ts';
import { findMerchant, type MerchantFilter, searchMerchants } from '../merchants/merchants.sql.ts';
import { readClockOfDatabase } from '../platform/database-time.sql.ts';
import { rateLimit } from '../platform/http/rate-limit.ts';
import type { ModuleContext } from '../platform/module.ts';
import { shownOf } from '../platform/pages.ts';
import { NO_MERCHANT } from '../platform/postgres/batched-writes.ts';
import type { Reader } from '../platform/postgres/database.ts';
import { listReports } from '../platform/process-reports/process-reports.sql.ts';
import {
  readRoutes,
  routeProviders,
  standingOfRoutes,
  type WantedRoutes,
} from '../providers/add-provider.ts';
import type { Acquirers } from '../providers/open-acquirers.ts';
import { DEFAULT_PROVIDER } from '../providers/provider.ts';
import { ALL_MERCHANTS, ruleText } from '../providers/provider-rule.ts';
import { listProviders, listRules } from '../providers/providers.sql.ts';
import {
  type ExceptionCause,
  listRulesOfExceptions,
  sumCause,
} from '../reconciliation/exceptions/causes.sql.ts';
import {
  findException,
  listExceptionsOfAll,
  type OperatorFilter,
  readLine,
  sumExceptionsOfAll,
} from '../reconciliation/exceptions/exceptions.sql.ts';
import { resolveCause } from '../reconciliation/exceptions/resolve-cause.ts';
import { resolveException } from '../reconciliation/exceptions/resolve-exception.ts';
import { fileCoverages } from '../reconciliation/imports/file-coverage.ts';
import {
  listFileSpans,
  listFiles,
  listFilesUnderWay,
  readFile,
} from '../reconciliation/imports/settlement-files.sql.ts';
import { listRefusedFiles } from '../reconciliation/imports/settlement-refusals.sql.ts';
import { listDifferences, readNewestReport } from '../reconciliation/truth/truth-differences.sql.ts';
import { readNewestRuns } from '../reconciliation/truth/truth-runs.sql.ts';
import { listUnanswered } from '../recurrence/automatic/unanswered.sql.ts';
import { changeFees, type NewFees } from '../transactions/fees/change-fees.ts';
import { listNewestFeeVersions } from '../transactions/fees/fee-tables.sql.ts';
import { findFirstFile } from '../transactions/methods/boleto/changes/filed-changes.sql.ts';
import { listUnresolvedBoletos } from '../transactions/methods/boleto/unresolved/unresolved-boletos.sql.ts';
import { listUnresolvedPix } from '../transactions/methods/pix/unresolved/unresolved-pix.sql.ts';
import { decideUnresolved } from '../transactions/unresolved/decide-unresolved.ts';
import { findCase, findUnresolved } from '../transactions/unresolved/unresolved.sql.ts';
import {
  type Case,
  type Decision,
  isUnresolvedKind,
  type UnresolvedKind,
} from '../transactions/unresolved/unresolved.ts';
import type { Cents } from '../values/cents.ts';
import { type Day, instant } from '../values/instant.ts';
import type { ProviderSettings } from './identities/identity.ts';
import { inviteByIdentity, recoverByIdentity } from './identities/open-by-identity.ts';
import { ACQUIRER, routingOf } from './merchants/routing.ts';
import type { Visit } from './parts/screen.ts';
import {
  MOST_DIFFERENCES_SHOWN,
  MOST_EXCEPTIONS_SHOWN,
  MOST_FILES_SHOWN,
  MOST_REFUSED_SHOWN,
  MOST_RULES_SHOWN,
  MOST_SUMS_SHOWN,
  MOST_UNDER_WAY_SHOWN,
} from './settlement/exception-found.ts';

import {
  firstWaiting,
  MOST_WAITING_SHOWN,
  type WaitingFilter,
  type WaitingKind,
  type WaitingOrder,
  type WaitingThing,
} from './unresolved/waiting-thing.ts';
import { MOST_VERSIONS_LISTED } from './upkeep/fee-comparison.ts';
import { keyStates } from './upkeep/key-due.ts';
import { changeRole } from './users/change-role.ts';
import { disableUser } from './users/disable-user.ts';
import { inviteUser, recoverUser, type WantedUser } from './users/invite-user.ts';
import { actorOf, type UserFilter } from './users/user.ts';
import { findListedUser, listUsers } from './users/users.sql.ts';

export type OperatorContext = Pick<ModuleContext, 'database' | 'lookUp' | 'search' | 'clock'> & {
  readonly audit: Audit;
  readonly acquirers: Acquirers;
  /** The address of the acquirer in the settings, or of homologation's simulator; null: there is none. */
  readonly acquirerUrl: string | null;
  readonly bankUrl: string | null;
  readonly configuration: ModuleContext['configuration'] & {
    readonly acquirerTimeoutMilliseconds: number;
    readonly antiFraud: { readonly provider: { readonly url: string } | null };
  };
};

/** A person's questions to the acquirer: ten at once, then one in five seconds. */
const QUESTIONS = { perSecond: 0.2, burstSeconds: 50 };
const MERCHANTS_OF_PAGE = 50;
const MOST_PROCESSES = 100;
/**
 * The most files whose days are read at once: one a day from each of a hundred establishments, for fifty
 * days.
 */
const MOST_SPANS = 5_000;

export function openOperatorTools(context: OperatorContext) {
  return {
    ...unresolvedTools(context),
    ...settlementTools(context),
    ...merchantTools(context),
    ...upkeepTools(context),
  };
}

function unresolvedTools(context: OperatorContext) {
  const { lookUp, search, acquirers, configuration } = context;
  const { acquirerTimeoutMilliseconds } = configuration;
  const asked = rateLimit(QUESTIONS.perSecond, QUESTIONS.burstSeconds);
  return {
    async listWaiting({ kinds, order, ...filter }: WaitingFilter) {
      const found: WaitingThing[] = [];
      for (const kind of kinds) {
        const ofKind = await search(
          NO_MERCHANT,
          (reader): Promise<readonly WaitingThing[]> =>
            isUnresolvedKind(kind)
              ? findUnresolved(reader, kind, filter, order, MOST_WAITING_SHOWN)
              : listWaitingAtBanks(reader, kind, filter, order),
        );
        found.push(...ofKind);
      }
      return firstWaiting(found, order);
    },
    findCase: (id: string) => lookUp(NO_MERCHANT, (reader) => findCase(reader, id)),
    /** The acquirer's present answer. Null if the user asked too often. */
    async askAcquirer({ user }: Visit, { merchantId, transactionId, acquirer }: Case) {
      if (asked.secondsToWait(user.userId, performance.now()) > 0) return null;
      return acquirers.of(acquirer).find(merchantId, transactionId, acquirerTimeoutMilliseconds);
    },
    decide: (visit: Visit, { id, decision, reason, amount }: Decided) =>
      decideUnresolved(
        {
          ...{ ...context, acquirerTimeoutMilliseconds, operator: actorOf(visit), onWait: () => {} },
          askAcquirer: ({ merchantId, transactionId, acquirer }) =>
            acquirers.all().includes(acquirer)
              ? acquirers.of(acquirer).find(merchantId, transactionId, acquirerTimeoutMilliseconds)
              : Promise.resolve(null),
        },
        id,
        decision,
        reason,
        amount,
      ),
  };
}

type Decided = {
  readonly id: string;
  readonly decision: Decision;
  readonly reason: string;
  /** The captured amount; null: all that was asked for. */
  readonly amount: Cents | null;
};

async function listWaitingAtBanks(
  reader: Reader,
  kind: Exclude<WaitingKind, UnresolvedKind>,
  filter: Pick<WaitingFilter, 'merchantId' | 'olderThanMinutes'>,
  order: WaitingOrder,
): Promise<WaitingThing[]> {
  const most = MOST_WAITING_SHOWN;
  switch (kind) {
    case 'boleto': {
      const found = await listUnresolvedBoletos(reader, filter, most, order);
      return found.map((one) => ({ ...one, kind, id: one.boletoId }));
    }
    case 'pix': {
      const found = await listUnresolvedPix(reader, filter, most, order);
      return found.map((one) => ({ ...one, kind, id: one.pixId }));
    }
    default:
      return listUnanswered(reader, { ...filter, kinds: [kind] }, most, order);
  }
}

function settlementTools({ database, audit, search, lookUp }: OperatorContext) {
  return {
    listExceptions: (filter: OperatorFilter) =>
      search(NO_MERCHANT, (reader) => listExceptionsOfAll(reader, filter, MOST_EXCEPTIONS_SHOWN)),
    /** Sums by merchant and class, most money first, up to a bound. */
    sumExceptions: (filter: OperatorFilter) =>
      search(NO_MERCHANT, (reader) => sumExceptionsOfAll(reader, filter, MOST_SUMS_SHOWN)),
    findException: (id: string) => lookUp(NO_MERCHANT, (reader) => findException(reader, id)),
    findFirstFile: (exceptionId: string) =>
      lookUp(NO_MERCHANT, (reader) => findFirstFile(reader, exceptionId)),
    readLine: (fileNumber: number, lineNumber: number) =>
      lookUp(NO_MERCHANT, (reader) => readLine(reader, fileNumber, lineNumber)),
    sumCause: (cause: Omit<ExceptionCause, 'rule'>) =>
      search(NO_MERCHANT, (reader) => sumCause(reader, cause)),
    /** The fee rules that open exceptions are about, up to a bound. */
    listRules: (merchantId: string) =>
      search(NO_MERCHANT, (reader) => listRulesOfExceptions(reader, merchantId, MOST_RULES_SHOWN)),
    resolveCause: (visit: Visit, wanted: Parameters<typeof resolveCause>[2]) =>
      resolveCause({ audit }, actorOf(visit), wanted),
    resolveException: (visit: Visit, id: string, reason: string) =>
      resolveException({ database, audit }, actorOf(visit), id, reason),
    /** Files with a lower number, newest first, up to a bound. */
    listFiles: (before: number) =>
      search(NO_MERCHANT, (reader) => listFiles(reader, before, MOST_FILES_SHOWN)),
    readFile: (fileNumber: number) => lookUp(NO_MERCHANT, () => readFile(database, fileNumber)),
    listFilesUnderWay: () => search(NO_MERCHANT, (reader) => listFilesUnderWay(reader, MOST_UNDER_WAY_SHOWN)),
    listRefusedFiles: () => search(NO_MERCHANT, (reader) => listRefusedFiles(reader, MOST_REFUSED_SHOWN)),
    async findCoverages(from: Day, to: Day) {
      const spans = await search(NO_MERCHANT, (reader) => listFileSpans(reader, from, to, MOST_SPANS));
      return fileCoverages(spans, from, to);
    },
    /** Largest first, up to one more than are shown. */
    listDifferences: (merchantId: string | null) =>
      search(NO_MERCHANT, (reader) => listDifferences(reader, merchantId, MOST_DIFFERENCES_SHOWN + 1)),
    /** Seconds since the last nightly run, or the merchant's last verification. Null if there was none. */
    secondsSinceVerified: (merchantId: string | null) =>
      lookUp(NO_MERCHANT, async (reader) => {
        const newest =
          merchantId === null
            ? await readNewestReport(reader)
            : (await readNewestRuns(reader, merchantId))[0];
        return newest?.ageSeconds ?? null;
      }),
  };
}

function merchantTools(context: OperatorContext) {
  const { database, audit, search, acquirers, acquirerUrl, bankUrl, configuration } = context;
  const toolsOf = (visit: Visit) => ({ database, audit, operator: actorOf(visit) });
  return {
    /** The rules of a merchant, or of all merchants (null). */
    async readRouting(merchantId: string | null) {
      const { providers, rules, processes } = await search(NO_MERCHANT, async (reader) => ({
        providers: await listProviders(reader),
        rules: await listRules(reader),
        processes: await listReports(reader, MOST_PROCESSES),
      }));
      const isShown = (of: string) => of === ALL_MERCHANTS || merchantId === null || of === merchantId;
      return routingOf({
        providers,
        processes,
        rules: rules
          .filter((one) => isShown(one.merchantId))
          .map(({ kind, merchantId: of, rule }) => ({
            ...{ kind, provider: rule.provider },
            merchantId: of === ALL_MERCHANTS ? null : of,
            text: ruleText(rule),
          })),
        standing: standingOfRoutes({ kind: ACQUIRER, merchantId }, rules, providers),
        acquirerUrl,
        capabilities: acquirers.of(DEFAULT_PROVIDER).capabilities(),
        bankUrl,
        antiFraudUrl: configuration.antiFraud.provider?.url ?? null,
        isHomologation: configuration.environment === 'homologation',
      });
    },
    /** Whether the rules could take effect, and what they would replace. */
    checkRoutes: (wanted: WantedRoutes) => readRoutes({ database }, wanted),
    routeProviders: (visit: Visit, wanted: WantedRoutes) => routeProviders(toolsOf(visit), wanted),
    /** A page of merchants by id, beginning behind the id `after`. `next` null: the page is the last. */
    async searchMerchants(filter: MerchantFilter, after: string) {
      const read = await search(NO_MERCHANT, (reader) =>
        searchMerchants(reader, filter, after, MERCHANTS_OF_PAGE + 1),
      );
      const { shown, lastBeforeOthers } = shownOf(read, MERCHANTS_OF_PAGE);
      return { merchants: shown, next: lastBeforeOthers?.merchantId ?? null };
    },
    createMerchant: (visit: Visit, merchant: NewMerchant) => createMerchant(toolsOf(visit), merchant),
    findMerchant: (merchantId: string) => findMerchant(database, merchantId),
    changeMerchant: (visit: Visit, change: MerchantChange) =>
      changeMerchant(toolsOf(visit), visit.merchantId, change),
    addAccounts: (visit: Visit, numbers: readonly string[]) =>
      addAccounts(toolsOf(visit), visit.merchantId, numbers),
    changeStanding: (visit: Visit, change: Parameters<typeof changeStanding>[2]) =>
      changeStanding(toolsOf(visit), visit.merchantId, change),
  };
}

function upkeepTools({ database, audit, search }: OperatorContext) {
  const toolsOf = (visit: Visit) => ({ database, audit, operator: actorOf(visit) });
  return {
    /**
     * Versions of fees, latest beginning first, up to one more than are listed. `owner` null: of all owners.
     */
    listFees: (owner: string | null) =>
      search(NO_MERCHANT, (reader) => listNewestFeeVersions(reader, MOST_VERSIONS_LISTED + 1, owner)),
    async changeFees(visit: Visit, wanted: NewFees) {
      const now = instant(Math.floor(await readClockOfDatabase(database)));
      return changeFees({ ...toolsOf(visit), now }, wanted);
    },
    listKeys: async () => keyStates(await listDataKeys(database), await listKeyPairs(database)),
  };
}

export type UserContext = Pick<ModuleContext, 'database' | 'lookUp'> & {
  readonly audit: Audit;
  readonly configuration: { readonly console: { readonly provider: ProviderSettings | null } };
};

const USERS_OF_PAGE = 100;

/**
 * The merchant whose users the visit reaches; a merchant's user reaches no others on any page. Null: all
 * users.
 */
function ownerOf({ user, merchantId }: Visit): string | null {
  return user.merchantId ?? (merchantId === '' ? null : merchantId);
}

/** Reaches users of the visit's merchant only, or all on the operator's pages. */
export function openUserTools(context: UserContext) {
  const { database, audit, lookUp, configuration } = context;
  const toolsOf = (visit: Visit) => ({ database, audit, operator: actorOf(visit) });
  const read = <T>(visit: Visit, work: (reader: Reader, owner: string | null) => Promise<T>) => {
    const owner = ownerOf(visit);
    return lookUp(owner ?? NO_MERCHANT, (reader) => work(reader, owner));
  };
  const ofOwner = (visit: Visit, wanted: WantedUser) => ({
    ...wanted,
    merchantId: ownerOf(visit) ?? wanted.merchantId,
  });
  return {
    hasProvider: configuration.console.provider !== null,
    listUsers: (visit: Visit, filter: UserFilter) =>
      read(visit, (reader, owner) =>
        listUsers(reader, { ...filter, merchantId: owner ?? filter.merchantId }, USERS_OF_PAGE),
      ),
    findUser: (visit: Visit, name: string) =>
      read(visit, (reader, owner) => findListedUser(reader, name, owner)),
    inviteUser: (visit: Visit, wanted: WantedUser) => inviteUser(toolsOf(visit), ofOwner(visit, wanted)),
    inviteByIdentity: (visit: Visit, wanted: WantedUser) =>
      inviteByIdentity(toolsOf(visit), ofOwner(visit, wanted)),
    changeRole: (visit: Visit, wanted: Parameters<typeof changeRole>[1]) =>
      changeRole(toolsOf(visit), wanted, ownerOf(visit)),
    recoverUser: (visit: Visit, name: string) => recoverUser(toolsOf(visit), name, ownerOf(visit)),
    recoverByIdentity: (visit: Visit, name: string) =>
      recoverByIdentity(toolsOf(visit), name, ownerOf(visit)),
    disableUser: (visit: Visit, name: string) => disableUser(toolsOf(visit), name, ownerOf(visit)),
  };
}
