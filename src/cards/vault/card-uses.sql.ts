import { type Database, statement } from '../../platform/postgres/database.ts';
import type { NetworkReference } from '../../providers/acquirers/network-reference.ts';

/**
 * CTEs that mark first uses. Read the CTE `used_cards`: merchant_id, vault_id, network_transaction_id,
 * transaction_link_id. Locked cards are skipped: see `markFirstUse`.
 */
export const MARK_FIRST_USES = `first_used as (
     select v.merchant_id, v.vault_id, u.network_transaction_id, u.transaction_link_id
     from used_cards u join vault_cards v on v.merchant_id = u.merchant_id and v.vault_id = u.vault_id
     where v.first_used_at is null
     order by v.merchant_id, v.vault_id
     for no key update of v skip locked
   ), marked as (
     update vault_cards v set first_used_at = now(), network_transaction_id = f.network_transaction_id,
       transaction_link_id = f.transaction_link_id
     from first_used f
     where v.merchant_id = f.merchant_id and v.vault_id = f.vault_id
   )`;

const MARK_FIRST_USE = statement(
  'vault.mark_first_use',
  `update vault_cards set first_used_at = now(), network_transaction_id = $3, transaction_link_id = $4
   where merchant_id = $1 and vault_id = $2 and first_used_at is null`,
);

/** For a first use whose own commit found the card locked. */
export async function markFirstUse(
  database: Database,
  merchantId: string,
  vaultId: string,
  { transactionId, linkId }: NetworkReference,
): Promise<void> {
  await database.query(MARK_FIRST_USE, [merchantId, vaultId, transactionId, linkId]);
}

const MARK_LATER_USE = statement(
  'vault.mark_later_use',
  `update vault_cards set network_transaction_id = coalesce($3, network_transaction_id),
     transaction_link_id = coalesce(transaction_link_id, $4)
   where merchant_id = $1 and vault_id = $2 and first_used_at is not null
     and (network_transaction_id is distinct from coalesce($3, network_transaction_id)
       or (transaction_link_id is null and $4::text is not null))`,
);

/** Replaces the network's id, if there is one, and fills in a link that the card lacks. */
export async function markLaterUse(
  database: Database,
  merchantId: string,
  vaultId: string,
  { transactionId, linkId }: NetworkReference,
): Promise<void> {
  await database.query(MARK_LATER_USE, [merchantId, vaultId, transactionId, linkId]);
}
