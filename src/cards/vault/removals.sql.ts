import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { type BatchedWriteOptions, writeOneByOne } from '../../platform/postgres/batched-writes.ts';
import { statement } from '../../platform/postgres/database.ts';
import { LIMITS, type VaultCardKey } from './vault-cards.sql.ts';

export type VaultCardRemoval = VaultCardKey & { readonly event: AuditEvent };

/** `cardInUse`: a subscription that is active or blocked is paid with it. */
export type RemoveResult = 'deleted' | 'notFound' | 'cardInUse';

/** Waits for transactions that are about to name the card; later ones find it gone. */
const LOCK = statement(
  'vault.lock_card',
  'select vault_id from vault_cards where merchant_id = $1 and vault_id = $2 for update',
);

/**
 * That no subscription which is active or blocked is paid with the card `v`. Only the index by card
 * has its range in order: as an equality, planned while the table is small, the card would be
 * looked for among all subscriptions of the merchant.
 */
export const IS_UNUSED = `(
       select true from subscriptions s
       where s.merchant_id = v.merchant_id and s.vault_id between v.vault_id and v.vault_id
         and s.state = any ('{active,blocked}'::text[])
       order by s.vault_id limit 1
     ) is null`;

/** A statement of its own, behind the lock: it sees what those that held it have committed. */
const DELETE = statement(
  'vault.delete_card',
  `delete from vault_cards v where v.merchant_id = $1 and v.vault_id = $2
     and ${IS_UNUSED}
   returning vault_id`,
);

/** Deletes the row, with the audit entry in the same commit. */
export function vaultCardsRemove(audit: Audit): BatchedWriteOptions<VaultCardRemoval, RemoveResult> {
  const tried = new WeakSet<VaultCardRemoval>();
  return {
    name: 'vaultCardRemovals',
    isRefusal: (result) => result !== 'deleted',
    key: (row) => row.vaultId,
    merchant: (row) => row.merchantId,
    limits: LIMITS,
    write: (rows) =>
      writeOneByOne(
        rows,
        ({ vaultId }) => vaultId,
        async (row) => {
          // After a lost connection an earlier try may have deleted it: the request is done.
          const whenAbsent = tried.has(row) ? 'deleted' : 'notFound';
          tried.add(row);
          return removeCard(audit, row, whenAbsent);
        },
      ),
  };
}

async function removeCard(
  audit: Audit,
  { merchantId, vaultId, event }: VaultCardRemoval,
  whenAbsent: RemoveResult,
): Promise<RemoveResult> {
  const key = [merchantId, vaultId];
  return audit.transaction(
    async (tx) => {
      if ((await tx.query(LOCK, key)).length === 0) return whenAbsent;
      if ((await tx.query(DELETE, key)).length === 0) return 'cardInUse';
      tx.record(event);
      return 'deleted';
    },
    { merchantId },
  );
}
