import { type Database, type Reader, statement, type Tx } from '../../../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import type { Cents } from '../../../../values/cents.ts';

const COLLECTED = rowCodec(
  { merchantId: column.text(), receiptId: column.text(), txid: column.text(), tries: column.whole() },
  'r',
);

/** What arrived under a txid of Pix Automático that had no Pix yet. */
export type CollectedReceipt = RowOf<typeof COLLECTED>;

const KEPT = rowCodec({
  endToEndId: column.text('r.receipt_id'),
  amount: column.money('r.amount'),
  receivedAt: column.instant('r.received_at'),
});

const FIND = statement(
  'collected_pix_receipts.find',
  `select ${KEPT.columns} from collected_pix_receipts r where r.merchant_id = $1 and r.txid = $2
   order by r.amount <> $3::bigint, r.received_at, r.receipt_id limit 1`,
);

/**
 * What arrived under a txid, for a charge whose record at the bank does not say what paid it. A receipt of
 * the charge's amount comes first.
 */
export async function findCollectedReceipt(
  database: Reader,
  { merchantId, txid, amount }: { merchantId: string; txid: string; amount: Cents },
): Promise<RowOf<typeof KEPT> | null> {
  return firstOf(await database.query(FIND, [merchantId, txid, amount]), KEPT.parse);
}

const HAND_ON_LOST = statement(
  'collected_pix_receipts.hand_on_lost',
  `with gone as (
     delete from lost_pix_receipts l where l.txid = $2 and l.bank = $3
     returning l.receipt_id, l.txid, l.amount, l.received_at
   )
   insert into collected_pix_receipts (merchant_id, receipt_id, txid, amount, received_at)
   select $1, receipt_id, txid, amount, received_at from gone
   on conflict do nothing`,
);

/** Moves lost receipts to a charge of Pix Automático that a restored database has made anew. */
export async function handOnLostCollected(
  tx: Tx,
  { merchantId, txid, bank }: { merchantId: string; txid: string; bank: string },
): Promise<void> {
  await tx.query(HAND_ON_LOST, [merchantId, txid, bank]);
}

/** Each claimed receipt is due again later: after a second, then ever more slowly. */
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

/** Moves a receipt to the Pix of its txid, which takes it as any other receipt. False: there is none yet. */
export async function handOnReceipt(
  tx: Tx,
  { merchantId, receiptId }: Pick<CollectedReceipt, 'merchantId' | 'receiptId'>,
): Promise<boolean> {
  return (await tx.query(HAND_ON, [merchantId, receiptId])).length > 0;
}
