import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { isUuid } from '../../values/ids.ts';
import type { RemoveResult, VaultCardRemoval } from './removals.sql.ts';
import { type Keeper, vaultCardEvent } from './vault-card.ts';

export type DeleteVaultCardTools = {
  readonly removeVaultCard: BatchedWrite<VaultCardRemoval, RemoveResult>;
};

/**
 * Deletes a stored card; payments under way go on. Throws when the outcome is unknown by the deadline: a
 * repetition is harmless.
 */
export async function deleteVaultCard(
  tools: DeleteVaultCardTools,
  keeper: Keeper,
  vaultId: string,
  deadlineAt: number,
): Promise<RemoveResult> {
  if (!isUuid(vaultId)) return 'notFound';
  const key = { merchantId: keeper.merchantId, vaultId: vaultId.toLowerCase() };
  const event = vaultCardEvent('card.delete', keeper, key.vaultId);
  return tools.removeVaultCard({ ...key, event }, deadlineAt);
}
