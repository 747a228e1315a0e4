import type { Audit } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import { isUuid } from '../../values/ids.ts';
import {
  type Keeper,
  type VaultCard,
  type VaultCardStatus,
  vaultCardEvent,
  vaultCardStatus,
} from './vault-card.ts';
import { findVaultCard } from './vault-cards.sql.ts';

export type ReadVaultCardTools = {
  readonly lookUp: LookUp;
  readonly audit: Audit;
  readonly clock: BusinessClock;
};

/**
 * A stored card of this merchant as it may be shown, or null: one of another merchant looks like
 * one that never was. The reader is in the audit log before the answer.
 */
export async function readVaultCard(
  tools: ReadVaultCardTools,
  keeper: Keeper,
  vaultId: string,
): Promise<{ readonly card: VaultCard; readonly status: VaultCardStatus } | null> {
  if (!isUuid(vaultId)) return null;
  const { merchantId } = keeper;
  const key = { merchantId, vaultId: vaultId.toLowerCase() };
  const card = await tools.lookUp(merchantId, (database) => findVaultCard(database, key));
  if (card === null) return null;
  await tools.audit.record(vaultCardEvent('card.read', keeper, card.vaultId), merchantId);
  return { card, status: vaultCardStatus(card, tools.clock.now(merchantId)) };
}
