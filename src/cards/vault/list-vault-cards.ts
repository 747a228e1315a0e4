import type { Audit } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Page } from '../../platform/pages.ts';
import type { Search } from '../../platform/postgres/searches.ts';
import {
  type Keeper,
  type ShownCard,
  type VaultCardStatus,
  vaultCardStatus,
  type WantedCards,
} from './vault-card.ts';
import { listCards } from './vault-lists.sql.ts';

export type ListVaultCardsTools = {
  /** Lists take their turns. */
  readonly search: Search;
  readonly audit: Audit;
  readonly clock: BusinessClock;
};

/**
 * A page of this merchant's stored cards as they may be shown. Its reader is in the audit log before it is
 * answered. Throws `Overloaded` when too many searches of the merchant wait.
 */
export async function listVaultCards(
  { search, audit, clock }: ListVaultCardsTools,
  { merchantId, userName, address }: Keeper,
  wanted: WantedCards,
): Promise<Page<{ readonly card: ShownCard; readonly status: VaultCardStatus }>> {
  const found = await search(merchantId, (database) => listCards(database, merchantId, wanted));
  const resource = `merchants/${merchantId}/cards`;
  const detail = { page: wanted.page, cards: found.items.length };
  await audit.record(
    { action: 'card.read', outcome: 'success', actor: userName, origin: address, resource, detail },
    merchantId,
  );
  const now = clock.now(merchantId);
  return {
    items: found.items.map((card) => ({ card, status: vaultCardStatus(card, now) })),
    total: found.total,
  };
}
