import { type Database, statement, type Tx } from '../../../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../../../platform/postgres/row-codec.ts';

const COLLECTED = rowCodec(
  { merchantId: column.text(), receiptId: column.text(), txid: column.text(), tries: column.whole() },
  'r',
);

/** What arrived under a txid of Pix Automático that had no Pix. */
export type CollectedReceipt = RowOf<typeof COLLECTED>;

/** Each comes again later: after a second, then ever more slowly. */
const CLAIM = statement(
  'collected_pix_receipts.claim',
  `update collected_pix_receipts r set tries = least(r.tries + 1, 32000),
     due_at = now() + power(2, least(r.tries, 9)) * interval '1 second'
   where (r.merchant_id, r.receipt_id) in (
     select d.merchant_id, d.receipt_id from collected_pix_receipts d where d.due_at <= now()
     order by d.due_at limit $1 for no key update skip locked
   ) returning ${COLLECTED.columns}`,
);

export async function claimCollectedReceipts(database: Database, limit: number): Promise<CollectedReceipt[]> {
  return (await database.query(CLAIM, [limit])).map(COLLECTED.parse);
}

/** Milliseconds until the next one is due. */
export const EARLIEST_COLLECTED_RECEIPT = statement(
  'collected_pix_receipts.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds from collected_pix_receipts`,
);

const HAND_ON = statement(
  'collected_pix_receipts.hand_on',
  `with gone as (
     delete from collected_pix_receipts r using pix_charges p
     where r.merchant_id = $1 and r.receipt_id = $2 and p.merchant_id = r.merchant_id and p.txid = r.txid
     returning r.merchant_id, r.receipt_id, p.pix_id, r.amount, r.received_at
   ), kept as (
     insert into pix_receipts (merchant_id, pix_id, receipt_id, amount, received_at)
     select merchant_id, pix_id, receipt_id, amount, received_at from gone
     on conflict do nothing
   )
   select merchant_id from gone`,
);

/** To the Pix of its txid, which takes it as any other receipt. False: there is none yet. */
export async function handOnReceipt(
  tx: Tx,
  { merchantId, receiptId }: Pick<CollectedReceipt, 'merchantId' | 'receiptId'>,
): Promise<boolean> {
  return (await tx.query(HAND_ON, [merchantId, receiptId])).length > 0;
}
