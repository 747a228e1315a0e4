import { hostname } from 'node:os';
import type { Audit } from '../../audit/audit-event.ts';
import type { Idempotency } from '../../idempotency/module.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import { serve } from '../../platform/http/endpoint.ts';
import { counter } from '../../platform/metrics.ts';
import type { Module, ModuleContext } from '../../platform/module.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { forgetInSteps } from '../../platform/work/every-so-often.ts';
import type { Acquirers } from '../../providers/open-acquirers.ts';
import type { Cards } from '../module.ts';
import { VAULT_ENDPOINTS, VAULT_LIST_ENDPOINTS } from './endpoints.ts';
import {
  deleteExpired,
  type ExpiredPlace,
  FIRST_EXPIRED,
  listExpiredCards,
  vaultCardsRemove,
} from './removals.sql.ts';
import type { GuardVerification, StoreVaultCardTools } from './store-vault-card.ts';
import { vaultCardEvent } from './vault-card.ts';
import { vaultCardsWrite } from './vault-cards.sql.ts';

type DeleteExpiredCardsTools = {
  readonly database: Database;
  readonly audit: Audit;
  /** The address of the machine, for the audit log. */
  readonly origin: string;
  /**
   * Days of real time after its expiry that an unused card is kept. A jump of the test clock removes nothing.
   */
  readonly days: number;
};

/** Few, because every other entry of the audit log waits for the commit of a batch. */
const BATCH = 50;

/**
 * Removes the next cards that expired long ago and that no subscription uses. Returns where to continue, and
 * how many.
 */
async function deleteExpiredCards(
  { database, audit, origin, days }: DeleteExpiredCardsTools,
  behind: ExpiredPlace | null,
): Promise<{ readonly next: ExpiredPlace | null; readonly deleted: number }> {
  const expired = await listExpiredCards(database, days, behind ?? FIRST_EXPIRED, BATCH);
  const unused = expired.filter(({ isUnused }) => isUnused);
  const keepers = { userName: 'system', address: origin };
  const deleted =
    unused.length === 0
      ? 0
      : await deleteExpired(audit, unused, ({ merchantId, vaultId }) => ({
          ...vaultCardEvent('card.delete', { ...keepers, merchantId }, vaultId),
          detail: { reason: 'expired' },
        }));
  return { next: expired.length === BATCH ? (expired.at(-1) ?? null) : null, deleted };
}

/** The rest after all expired cards were looked at. No hurry: cards expire by the month. */
const PAUSE_MILLISECONDS = 60_000;

/** `days` 0: expired cards are never deleted. */
function forgetExpiredCards(tools: DeleteExpiredCardsTools, observe: (deleted: number) => void): Work[] {
  if (tools.days === 0) return [];
  let behind: ExpiredPlace | null = null;
  const step = async () => {
    const { next, deleted } = await deleteExpiredCards(tools, behind);
    observe(deleted);
    behind = next;
    return next === null ? null : deleted;
  };
  return [forgetInSteps('forgetExpiredCards', step, PAUSE_MILLISECONDS)];
}

const EXPIRED_CARDS_DELETED = counter(
  'parcela_expired_cards_deleted_total',
  'Stored cards that were removed because they expired long ago.',
);

type VaultContext = ModuleContext & {
  readonly configuration: {
    readonly acquirerTimeoutMilliseconds: number;
    readonly storedCopies: number;
    readonly expiredCardRetentionDays: number;
  };
  readonly keyring: Keyring;
  readonly audit: Audit;
  readonly acquirers: Acquirers;
};

type Below = {
  readonly cards: Omit<Cards, keyof Module>;
  readonly idempotency: Pick<Idempotency, 'findRequest'>;
  /** Given by higher modules, which count attempts. */
  readonly guardVerification: GuardVerification;
};

export type Vault = Module & { readonly storing: StoreVaultCardTools };

/** Opened after the modules that count attempts, because a verification is one. */
export function openVault(context: VaultContext, { cards, idempotency, guardVerification }: Below): Vault {
  const { database, search, batched, audit, clock, configuration, metrics } = context;
  const { acquirerTimeoutMilliseconds, storedCopies: mostCopies } = configuration;
  const expired = metrics.counter(EXPIRED_CARDS_DELETED);
  const storing = {
    ...context,
    ...cards,
    acquirerTimeoutMilliseconds,
    findRequest: idempotency.findRequest,
    writeVaultCard: batched(vaultCardsWrite(database, audit, mostCopies)),
    guardVerification,
    mostCopies,
  };
  return {
    storing,
    endpoints: [
      ...serve(VAULT_LIST_ENDPOINTS, { search, audit, clock }),
      ...serve(VAULT_ENDPOINTS, { ...storing, removeVaultCard: batched(vaultCardsRemove(audit)) }),
    ],
    works: forgetExpiredCards(
      { database, audit, origin: hostname(), days: configuration.expiredCardRetentionDays },
      (count) => expired.inc({}, count),
    ),
    clockedWork: [],
  };
}
