import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { keepInUse } from '../../keys/data-keys.sql.ts';
import type { Fingerprint } from '../../keys/open-keyring.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { NetworkReference } from '../../providers/acquirers/network-reference.ts';
import type { VaultCard } from './vault-card.ts';
import { parseVaultCard, type VaultCardKey, WHOLE_CARD } from './vault-cards.sql.ts';

export type ImportedCard = {
  readonly card: VaultCard;
  readonly fingerprint: Fingerprint;
  readonly createdBy: string;
};

const CARDS = inputRows<ImportedCard>({
  merchant_id: ['text', ({ card }) => card.merchantId],
  vault_id: ['uuid', ({ card }) => card.vaultId],
  sealed_number: ['bytea', ({ card }) => card.number.bytes],
  data_key_id: ['integer', ({ card }) => card.number.dataKeyId],
  brand: ['text', ({ card }) => card.brand],
  first_six: ['text', ({ card }) => card.firstSix],
  last_four: ['text', ({ card }) => card.lastFour],
  expiration_month: ['text', ({ card }) => card.expirationMonth],
  expiration_year: ['text', ({ card }) => card.expirationYear],
  holder_name: ['text', ({ card }) => card.holderName],
  network_transaction_id: ['text', ({ card }) => card.networkReference.transactionId],
  transaction_link_id: ['text', ({ card }) => card.networkReference.linkId],
  card_fingerprint: ['bytea', ({ fingerprint }) => fingerprint.print],
  created_by: ['text', ({ createdBy }) => createdBy],
});

/** A card that comes with the network's id of an earlier use counts as used. */
const IMPORT = statement(
  'vault.import_cards',
  `insert into vault_cards (${CARDS.names}, first_used_at)
   select ${CARDS.selected}, case when coalesce(i.network_transaction_id, i.transaction_link_id) is not null then now() end
   from ${CARDS.sql} order by i.merchant_id, i.vault_id
   on conflict do nothing
   returning vault_id`,
);

const WRITTEN = rowCodec({ vaultId: column.text('vault_id') });

/** Writes cards and one audit entry in one commit. Returns the ids of the new cards. Throws `KeyRetired`. */
export async function insertImportedCards(
  audit: Audit,
  rows: readonly ImportedCard[],
  eventOf: (count: number) => AuditEvent,
): Promise<ReadonlySet<string>> {
  const keyIds = rows.flatMap(({ card, fingerprint }) => [card.number.dataKeyId, fingerprint.keyId]);
  const inOrder = [...new Set(keyIds)].sort((one, other) => one - other);
  return audit.transaction(async (tx) => {
    for (const keyId of inOrder) await keepInUse(tx, keyId);
    const written = (await tx.query(IMPORT, CARDS.values(rows))).map(WRITTEN.parse);
    if (written.length > 0) tx.record(eventOf(written.length));
    return new Set(written.map(({ vaultId }) => vaultId));
  });
}

export type KnownReference = VaultCardKey & { readonly reference: NetworkReference };

const REFERENCES = inputRows<KnownReference>({
  merchant_id: ['text', ({ merchantId }) => merchantId],
  vault_id: ['uuid', ({ vaultId }) => vaultId],
  network_transaction_id: ['text', ({ reference }) => reference.transactionId],
  transaction_link_id: ['text', ({ reference }) => reference.linkId],
});

const COMPLETE = statement(
  'vault.complete_imported_cards',
  `with lacking as (
     select v.merchant_id, v.vault_id, i.network_transaction_id, i.transaction_link_id
     from ${REFERENCES.sql} join vault_cards v on v.merchant_id = i.merchant_id and v.vault_id = i.vault_id
     where ((v.network_transaction_id is null and i.network_transaction_id is not null)
       or (v.transaction_link_id is null and i.transaction_link_id is not null))
     order by v.merchant_id, v.vault_id
     for no key update of v
   )
   update vault_cards v set first_used_at = coalesce(v.first_used_at, now()),
     network_transaction_id = coalesce(v.network_transaction_id, l.network_transaction_id),
     transaction_link_id = coalesce(v.transaction_link_id, l.transaction_link_id)
   from lacking l where v.merchant_id = l.merchant_id and v.vault_id = l.vault_id
   returning v.vault_id`,
);

/** Adds what cards lack of their first use, in one commit with one audit entry. */
export async function completeKnownCards(
  audit: Audit,
  rows: readonly KnownReference[],
  eventOf: (count: number) => AuditEvent,
): Promise<void> {
  await audit.transaction(async (tx) => {
    const written = await tx.query(COMPLETE, REFERENCES.values(rows));
    if (written.length > 0) tx.record(eventOf(written.length));
  });
}

const FIND_KNOWN = statement(
  'vault.find_imported_cards',
  `select ${WHOLE_CARD} from vault_cards v where v.merchant_id = $1 and v.vault_id = any($2::uuid[])`,
);

export async function findKnownCards(
  database: Database,
  merchantId: string,
  vaultIds: readonly string[],
): Promise<readonly VaultCard[]> {
  return (await database.query(FIND_KNOWN, [merchantId, vaultIds])).map(parseVaultCard);
}

const LIST_BEHIND = statement(
  'vault.list_moving_cards',
  `select ${WHOLE_CARD} from vault_cards v where v.merchant_id = $1 and v.vault_id > $2
   order by v.vault_id limit $3`,
);

/** A merchant's cards with an id above the given one, in the order of ids. */
export async function listCardsBehind(
  database: Database,
  merchantId: string,
  behind: string,
  limit: number,
): Promise<readonly VaultCard[]> {
  return (await database.query(LIST_BEHIND, [merchantId, behind, limit])).map(parseVaultCard);
}
