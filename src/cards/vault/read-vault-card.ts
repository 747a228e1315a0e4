import type { Audit } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { isUuid } from '../../values/ids.ts';
import type { CardTools } from '../open-card-source.ts';
import {
  type Keeper,
  type VaultCard,
  type VaultCardStatus,
  vaultCardEvent,
  vaultCardStatus,
} from './vault-card.ts';

export type ReadVaultCardTools = Pick<CardTools, 'findVaultCard'> & {
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
  const { value: card } = await tools.findVaultCard({ merchantId, vaultId: vaultId.toLowerCase() });
  if (card === null) return null;
  await tools.audit.record(vaultCardEvent('card.read', keeper, card.vaultId), merchantId);
  return { card, status: vaultCardStatus(card, tools.clock.now(merchantId)) };
}
