import { type Database, statement, type Tx } from '../../../../platform/postgres/database.ts';
import { column, onlyOf, type RowOf, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import type { PixKey } from '../pix.ts';

/** A lost receipt is kept as long as a bank can give it back (`PIX_RETURN_DAYS`). */
export const LOST_IS_KEPT = "l.created_at >= now() - interval '90 days'";

const ODD = rowCodec({
  at: column.instant(),
  bank: column.text(),
  reason: column.text(),
  /** Null, as are `endToEndId` and `amount`, if the receipt was unreadable. */
  txid: column.nullable(column.text()),
  endToEndId: column.nullable(column.text()),
  amount: column.nullable(column.money()),
  item: column.nullable(column.text()),
});

/**
 * What arrived by Pix and no charge took: this database has lost the charge, or the receipt was unreadable.
 */
export type OddReceipt = RowOf<typeof ODD>;

const LIST = statement(
  'pix_receipts.list_odd',
  `select ${ODD.columns} from (
     (select l.created_at as at, l.bank, 'noCharge' as reason, l.txid, l.receipt_id as end_to_end_id, l.amount, null::text as item
      from lost_pix_receipts l order by l.created_at desc limit $1)
     union all
     (select u.created_at, '-', u.reason, null, null, null, u.item
      from unreadable_pix_receipts u order by u.created_at desc limit $1)
   ) r order by r.at desc limit $1`,
);

export async function listOddReceipts(database: Database, limit: number): Promise<OddReceipt[]> {
  return (await database.query(LIST, [limit])).map(ODD.parse);
}

const LOST = rowCodec({
  count: column.whole(),
  /** Seconds since the oldest arrived; 0: none. */
  oldestAge: column.real(),
  /** How often one arrived and there was no room to keep it; one that is read again counts again. */
  unkept: column.whole(),
});

const COUNT_LOST = statement(
  'lost_pix_receipts.count',
  `select count(*)::int as count, coalesce(extract(epoch from now() - min(l.received_at)), 0)::float8 as oldest_age,
     (select coalesce(sum(c.lost_unkept), 0)::int from pix_cursors c
      where c.lost_unkept_at >= now() - interval '90 days') as unkept
   from lost_pix_receipts l where ${LOST_IS_KEPT}`,
);

export async function countLostReceipts(database: Database): Promise<RowOf<typeof LOST>> {
  return onlyOf(await database.query(COUNT_LOST, []), LOST.parse);
}

const HAND_ON = statement(
  'lost_pix_receipts.hand_on',
  `with gone as (
     delete from lost_pix_receipts l using pix_charges p
     where p.merchant_id = $1 and p.pix_id = $2 and l.txid = p.txid and l.bank = p.bank
     returning p.merchant_id, p.pix_id, l.receipt_id, l.amount, l.received_at
   )
   insert into pix_receipts (merchant_id, pix_id, receipt_id, amount, received_at)
   select merchant_id, pix_id, receipt_id, amount, received_at from gone
   on conflict do nothing`,
);

/** Moves lost receipts to their charge, which is here again. */
export async function handOnLost(tx: Tx, { merchantId, pixId }: PixKey): Promise<void> {
  await tx.query(HAND_ON, [merchantId, pixId]);
}
