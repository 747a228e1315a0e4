import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { IS_UNUSED } from './removals.sql.ts';
import type { VaultCardKey } from './vault-cards.sql.ts';

/** A place in the order in which cards expire: the texts of the columns. */
export type ExpiredPlace = VaultCardKey & { readonly year: string; readonly month: string };

export const FIRST_EXPIRED: ExpiredPlace = {
  year: '',
  month: '',
  merchantId: '',
  vaultId: '00000000-0000-0000-0000-000000000000',
};

const EXPIRED = rowCodec(
  {
    year: column.text('v.expiration_year'),
    month: column.text('v.expiration_month'),
    merchantId: column.text(),
    vaultId: column.text(),
    isUnused: column.boolean(`${IS_UNUSED}`),
  },
  'v',
);

type ExpiredCard = RowOf<typeof EXPIRED>;

/**
 * Cards whose month was over before that of a day which lies so many days back, by São Paulo's
 * calendar of real time.
 */
const LIST = statement(
  'vault.list_expired_cards',
  `select ${EXPIRED.columns}
   from vault_cards v
   where (v.expiration_year, v.expiration_month) < (
       to_char((now() at time zone 'America/Sao_Paulo') - $1 * interval '1 day', 'YY'),
       to_char((now() at time zone 'America/Sao_Paulo') - $1 * interval '1 day', 'MM'))
     and (v.expiration_year, v.expiration_month, v.merchant_id, v.vault_id) > ($2::text, $3::text, $4::text, $5::uuid)
   order by v.expiration_year, v.expiration_month, v.merchant_id, v.vault_id limit $6`,
);

/**
 * Up to `limit` cards behind a place that expired at least so many days ago, and which of them
 * nothing uses.
 */
export async function listExpiredCards(
  database: Database,
  days: number,
  { year, month, merchantId, vaultId }: ExpiredPlace,
  limit: number,
): Promise<ExpiredCard[]> {
  const rows = await database.query(LIST, [days, year, month, merchantId, vaultId, limit]);
  return rows.map(EXPIRED.parse);
}

const KEY = rowCodec<VaultCardKey>({ merchantId: column.text(), vaultId: column.text() });

const KEYS = inputRows<VaultCardKey>({
  merchant_id: ['text', (key) => key.merchantId],
  vault_id: ['uuid', (key) => key.vaultId],
});

/** What somebody else has locked is about to be used or removed: it is left for the next look. */
const HOLD = statement(
  'vault.hold_expired_cards',
  `select ${KEY.columnsOf('o')} from ${KEYS.sql} cross join lateral (
     select v.merchant_id, v.vault_id from vault_cards v
     where v.merchant_id = i.merchant_id and v.vault_id = i.vault_id
     for update skip locked
   ) o`,
);

/**
 * A statement of its own, behind the locks: a subscription that was made of the card meanwhile is
 * seen.
 */
const DELETE = statement(
  'vault.delete_expired_cards',
  `delete from vault_cards v using ${KEYS.sql}
   where v.merchant_id = i.merchant_id and v.vault_id = i.vault_id
     and ${IS_UNUSED}
   returning ${KEY.columnsOf('v')}`,
);

/** Removes those of the cards that nothing uses, each with its audit entry; gives how many went. */
export async function deleteExpired(
  audit: Audit,
  keys: readonly VaultCardKey[],
  eventOf: (key: VaultCardKey) => AuditEvent,
): Promise<number> {
  return audit.transaction(async (tx) => {
    const held = (await tx.query(HOLD, KEYS.values(keys))).map(KEY.parse);
    const gone = held.length === 0 ? [] : await tx.query(DELETE, KEYS.values(held));
    for (const key of gone.map(KEY.parse)) tx.record(eventOf(key));
    return gone.length;
  });
}
