import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { LIMITS, type VaultCardKey } from './vault-cards.sql.ts';

export type VaultCardRemoval = VaultCardKey & { readonly event: AuditEvent };

/** `cardInUse`: an active or blocked subscription is paid with it. */
export type RemoveResult = 'deleted' | 'notFound' | 'cardInUse';

/** Waits for database transactions that are about to name the card. Later ones find it gone. */
const LOCK = statement(
  'vault.lock_card',
  'select vault_id from vault_cards where merchant_id = $1 and vault_id = $2 for update',
);

/**
 * True: no active or blocked subscription is paid with the card `v`. Only the index by card has this range in
 * order: an equality, planned while the table is small, would read all subscriptions of the merchant.
 */
const IS_UNUSED = `(
       select true from subscriptions s
       where s.merchant_id = v.merchant_id and s.vault_id between v.vault_id and v.vault_id
         and s.state = any ('{active,blocked}'::text[])
       order by s.vault_id limit 1
     ) is null`;

/** A statement of its own after the lock, so that it sees what those committed that held the lock before. */
const DELETE = statement(
  'vault.delete_card',
  `delete from vault_cards v where v.merchant_id = $1 and v.vault_id = $2
     and ${IS_UNUSED}
   returning vault_id`,
);

export function vaultCardsRemove(audit: Audit): BatchedWriteOptions<VaultCardRemoval, RemoveResult> {
  const tried = new WeakSet<VaultCardRemoval>();
  return oneByOne({
    name: 'vaultCardRemovals',
    isRefusal: (result) => result !== 'deleted',
    key: (row) => row.vaultId,
    merchant: (row) => row.merchantId,
    limits: LIMITS,
    async write(row) {
      // After a lost connection an earlier try may have deleted it: the request is done.
      const whenAbsent = tried.has(row) ? 'deleted' : 'notFound';
      tried.add(row);
      return removeCard(audit, row, whenAbsent);
    },
  });
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

/**
 * Where a walk through cards in the order of their expiry stands. `year`, `month`: two digits each, as in the
 * table.
 */
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

/** Cards whose month ended before the day so many days ago, in São Paulo by real time. */
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

/** Up to `limit` cards after a place, and which of them are unused. */
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

/** Locks cards. Skips those that are locked already, because they are about to be used or removed. */
const HOLD = statement(
  'vault.hold_expired_cards',
  `select ${KEY.columnsOf('o')} from ${KEYS.sql} cross join lateral (
     select v.merchant_id, v.vault_id from vault_cards v
     where v.merchant_id = i.merchant_id and v.vault_id = i.vault_id
     for update skip locked
   ) o`,
);

/** A statement of its own after the locks, so that it sees subscriptions that were made meanwhile. */
const DELETE_EXPIRED = statement(
  'vault.delete_expired_cards',
  `delete from vault_cards v using ${KEYS.sql}
   where v.merchant_id = i.merchant_id and v.vault_id = i.vault_id
     and ${IS_UNUSED}
   returning ${KEY.columnsOf('v')}`,
);

/** Deletes those of the cards that are unused, each with its audit entry; returns how many. */
export async function deleteExpired(
  audit: Audit,
  keys: readonly VaultCardKey[],
  eventOf: (key: VaultCardKey) => AuditEvent,
): Promise<number> {
  return audit.transaction(async (tx) => {
    const held = (await tx.query(HOLD, KEYS.values(keys))).map(KEY.parse);
    const gone = held.length === 0 ? [] : await tx.query(DELETE_EXPIRED, KEYS.values(held));
    for (const key of gone.map(KEY.parse)) tx.record(eventOf(key));
    return gone.length;
  });
}
