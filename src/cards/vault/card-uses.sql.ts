import { type Database, statement } from '../../platform/postgres/database.ts';
import type { NetworkReference } from '../../providers/acquirers/network-reference.ts';

/**
 * Whether a use `u` is written into its card `v`: the first use, or the first with the link that the card
 * lacks.
 */
const IS_MARKED = `(v.first_used_at is null or (v.transaction_link_id is null and u.transaction_link_id is not null))`;

const MARK = `first_used_at = coalesce(v.first_used_at, now()),
       network_transaction_id = case when v.first_used_at is null then u.network_transaction_id else v.network_transaction_id end,
       transaction_link_id = coalesce(v.transaction_link_id, u.transaction_link_id)`;

/**
 * CTEs that mark cards with their uses. Read the CTE `used_cards`: merchant_id, vault_id,
 * network_transaction_id, transaction_link_id. Locked cards are skipped: see `markFirstUse`.
 */
export const MARK_USES = `marking as (
     select v.merchant_id, v.vault_id, u.network_transaction_id, u.transaction_link_id
     from used_cards u join vault_cards v on v.merchant_id = u.merchant_id and v.vault_id = u.vault_id
     where ${IS_MARKED}
     order by v.merchant_id, v.vault_id
     for no key update of v skip locked
   ), marked as (
     update vault_cards v set ${MARK}
     from marking u
     where v.merchant_id = u.merchant_id and v.vault_id = u.vault_id
   )`;

const MARK_FIRST_USE = statement(
  'vault.mark_first_use',
  `update vault_cards v set ${MARK}
   from (select $3::text as network_transaction_id, $4::text as transaction_link_id) u
   where v.merchant_id = $1 and v.vault_id = $2 and ${IS_MARKED}`,
);

/** Marks a card whose first use could not, because its commit found the card locked. */
export async function markFirstUse(
  database: Database,
  merchantId: string,
  vaultId: string,
  { transactionId, linkId }: NetworkReference,
): Promise<void> {
  await database.query(MARK_FIRST_USE, [merchantId, vaultId, transactionId, linkId]);
}

const MARK_LATEST_USE = statement(
  'vault.mark_latest_use',
  `update vault_cards set network_transaction_id = $3
   where merchant_id = $1 and vault_id = $2 and first_used_at is not null and network_transaction_id is distinct from $3`,
);

/** Keeps the network's id of this use, for an acquirer that wants that of the latest one. */
export async function markLatestUse(
  database: Database,
  merchantId: string,
  vaultId: string,
  networkTransactionId: string,
): Promise<void> {
  await database.query(MARK_LATEST_USE, [merchantId, vaultId, networkTransactionId]);
}
