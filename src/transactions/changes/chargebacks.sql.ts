import { type Database, type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';

/*
 * A card holder who takes back a billing's charge wants no other charge. So a chargeback marks the
 * charge, in the commit that applies, postpones or refuses it. The module that charges billings blocks
 * the subscription and clears the mark in one commit.
 */

/**
 * Sets the mark for the chargeback `e` of the transaction `t`. Each marks once, because the merchant may have
 * reactivated the subscription since. Constant text.
 */
export const UNPROCESSED_IF_BILLING = `unprocessed_chargeback_at =
       case when t.origin = 'billing' and e.marked_at is null then now() else t.unprocessed_chargeback_at end`;

const UNPROCESSED = rowCodec({
  merchantId: column.text(),
  transactionId: column.text(),
  /** The billing's id. */
  referenceTransaction: column.nullable(column.text()),
});

export type UnprocessedChargeback = RowOf<typeof UNPROCESSED>;

/** Far above normal load. A merchant's chargebacks are looked for among these only. */
const MOST_LOOKED_THROUGH = 10_000;

const LIST = statement(
  'changes.list_unprocessed_chargebacks',
  `select ${UNPROCESSED.columns} from transactions where unprocessed_chargeback_at is not null
   order by unprocessed_chargeback_at, merchant_id, transaction_id limit $1`,
);

export const CHARGEBACKS_DUE = statement(
  'changes.chargebacks_due',
  `select case when exists (select from transactions where unprocessed_chargeback_at is not null) then 0 end as milliseconds`,
);

/** Longest unprocessed first. Takes no locks: clearing the mark shows which process was first. */
export async function listUnprocessedChargebacks(
  database: Database,
  limit: number,
): Promise<UnprocessedChargeback[]> {
  return (await database.query(LIST, [limit])).map(UNPROCESSED.parse);
}

const FIND = statement(
  'changes.find_unprocessed_chargeback',
  `with unheard as materialized (
     select ${UNPROCESSED.columns} from transactions where unprocessed_chargeback_at is not null
     order by unprocessed_chargeback_at, merchant_id, transaction_id limit $2
   )
   select ${UNPROCESSED.columns} from unheard where merchant_id = $1 limit 1`,
);

export async function findUnprocessedChargeback(
  database: Database,
  merchantId: string,
): Promise<UnprocessedChargeback | null> {
  const [row] = await database.query(FIND, [merchantId, MOST_LOOKED_THROUGH]);
  return row === undefined ? null : UNPROCESSED.parse(row);
}

const OF_PAYMENT = rowCodec({
  installmentNumber: column.whole(),
  happenedAt: column.instant(),
  /** Null: what is left of the installment. */
  amount: column.nullable(column.money()),
  state: column.oneOf(['waiting', 'applied'] as const),
});

export type PaymentChargeback = RowOf<typeof OF_PAYMENT>;

/** Uses acquirer_changes_chargebacks. A sale has at most 99 installments. */
const LIST_OF_PAYMENT = statement(
  'changes.list_chargebacks_of_payment',
  `select ${OF_PAYMENT.columns} from acquirer_changes
   where merchant_id = $1 and reference = $2 and event = 'chargeback' and state <> 'refused'
   order by installment_number limit 99`,
);

export async function listChargebacksOf(
  database: Reader,
  merchantId: string,
  transactionId: string,
): Promise<PaymentChargeback[]> {
  return (await database.query(LIST_OF_PAYMENT, [merchantId, transactionId])).map(OF_PAYMENT.parse);
}

const HEAR = statement(
  'changes.clear_chargeback_mark',
  `update transactions set unprocessed_chargeback_at = null
   where merchant_id = $1 and transaction_id = $2 and unprocessed_chargeback_at is not null
   returning transaction_id`,
);

/** False if another process cleared it. Locks the transaction, so it comes last. */
export async function clearChargebackMark(
  tx: Tx,
  merchantId: string,
  transactionId: string,
): Promise<boolean> {
  return (await tx.query(HEAR, [merchantId, transactionId])).length === 1;
}
