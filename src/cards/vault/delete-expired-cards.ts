import type { Audit } from '../../audit/audit-event.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { deleteExpired, type ExpiredPlace, FIRST_EXPIRED, listExpiredCards } from './expired-cards.sql.ts';
import { vaultCardEvent } from './vault-card.ts';

export type DeleteExpiredCardsTools = {
  readonly database: Database;
  readonly audit: Audit;
  /** The machine, for the audit log. */
  readonly origin: string;
  /** Of real time: a jump of the test clock removes nothing. */
  readonly days: number;
};

/** One commit holds the end of the audit log for all its entries: few. */
const BATCH = 50;

/**
 * Removes the next cards behind a place that expired long enough ago, save those that a
 * subscription uses. Gives the place to go on from, null when there is none behind it, and how many
 * went.
 */
export async function deleteExpiredCards(
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
