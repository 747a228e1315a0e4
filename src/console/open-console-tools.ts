import type { EntryFilter } from '../audit/audit-entries.sql.ts';
import { findLastVerification, listNewestEntries } from '../audit/list-audit-entries.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { createCredential, disableCredential } from '../merchants/credentials/create-credential.ts';
import type { NewCredential } from '../merchants/credentials/credential.ts';
import { listCredentials } from '../merchants/credentials/credentials.sql.ts';
import { isHeldByRestore } from '../merchants/merchants.sql.ts';
import { releaseRestored } from '../merchants/release-restored.ts';
import type { ModuleContext } from '../platform/module.ts';
import { NO_MERCHANT } from '../platform/postgres/batched-writes.ts';
import { keptRead } from '../platform/prepared-reads.ts';
import { sumHeldByRestore } from '../recurrence/billings/billings.sql.ts';
import type { Day } from '../values/instant.ts';
import type { HistoryTools } from './history/history-screens.ts';
import { type MerchantContext, openMerchantTools } from './open-merchant-tools.ts';
import {
  type OperatorContext,
  openOperatorTools,
  openUserTools,
  type UserContext,
} from './open-operator-tools.ts';
import { findHealth } from './operator/find-health.ts';
import { readSampledHours } from './operator/health-samples.sql.ts';
import type { TestTools } from './parts/homologation-pages.ts';
import type { Visit } from './parts/screen.ts';
import type { WaitingTools } from './second-person/waiting-screens.ts';
import { actorOf } from './users/user.ts';

/** What pages and actions read and do. */
export type ConsoleTools = ReturnType<typeof openConsoleTools> &
  WaitingTools &
  HistoryTools &
  TestTools & {
    /** The days agreed between operator and acquirer to answer a chargeback. Null: not configured. */
    readonly disputeDays: number | null;
  };

/** What a merchant's pages may reach: nothing that reads or does a thing of all merchants. */
export type MerchantPageTools = Omit<
  ConsoleTools,
  Exclude<keyof ReturnType<typeof openOperatorTools>, 'findMerchant'>
>;

export type ConsoleToolsContext = OperatorContext &
  UserContext &
  MerchantContext &
  Pick<ModuleContext, 'gate'> & {
    readonly configuration: { readonly cell: string | null };
    readonly keyring: Keyring;
  };

const ENTRIES_OF_PAGE = 50;
/** Everybody on duty watches this page, so one read serves all. */
const HEALTH_MILLISECONDS = 3_000;
const HELD_MILLISECONDS = 5_000;
const VERIFICATION_MILLISECONDS = 15_000;

export function openConsoleTools(context: ConsoleToolsContext) {
  const { database, lookUp, gate, audit, keyring, configuration } = context;
  const findVerification = keptRead(VERIFICATION_MILLISECONDS, () => findLastVerification(database));
  const enforceAddresses = configuration.environment === 'production';
  const isAnyHeld = keptRead(HELD_MILLISECONDS, () => isHeldByRestore(database, null));
  const toolsOf = (by: Pick<Visit, 'user' | 'address'>) => ({
    database,
    audit,
    operator: actorOf(by),
    enforceAddresses,
    cell: configuration.cell,
  });
  return {
    ...openOperatorTools(context),
    ...openMerchantTools(context),
    ...openUserTools(context),
    listCredentials: async (merchantId: string) =>
      (await lookUp(merchantId, () => listCredentials({ database }, merchantId))) ?? [],
    createCredential: (by: Visit, wanted: NewCredential) => createCredential(toolsOf(by), wanted),
    disableCredential: (by: Visit, userName: string) => disableCredential(toolsOf(by), userName),
    isHeldByRestore: async (merchantId: string | null) =>
      (await isAnyHeld()) && (merchantId === null || isHeldByRestore(database, merchantId)),
    sumHeldByRestore: (merchantId: string | null, until: Day) =>
      context.search(merchantId ?? NO_MERCHANT, (reader) => sumHeldByRestore(reader, merchantId, until)),
    releaseRestored: (by: Visit, merchantIds: readonly string[] | null, reason: string) =>
      releaseRestored(toolsOf(by), merchantIds, reason),
    findHealth: keptRead(HEALTH_MILLISECONDS, () =>
      findHealth({ database, gate, keyring, findVerification }),
    ),
    readSampledHours: (hours: number) => readSampledHours(database, hours),
    listAudit: (by: Visit, filter: EntryFilter, before: number | null) =>
      listNewestEntries(toolsOf(by), filter, before, ENTRIES_OF_PAGE),
  };
}
