import { type Database, type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Instant, utcText } from '../../values/instant.ts';

/*
 * A card holder who takes back a billing's charge wants no other charge. So a chargeback marks the
 * charge, in the commit that applies, postpones or refuses it. The module that charges billings blocks
 * the subscription and clears the mark in one commit.
 */

/**
 * A constant part of statements: sets the mark for the chargeback `e` of the transaction `t`. Each chargeback
 * marks only once, because after that the merchant may have reactivated the subscription.
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

/** The oldest marks among which a merchant's chargeback is looked for: far more than are ever unprocessed. */
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
  return firstOf(await database.query(FIND, [merchantId, MOST_LOOKED_THROUGH]), UNPROCESSED.parse);
}

const OF_PAYMENT = rowCodec({
  installmentNumber: column.whole(),
  happenedAt: column.instant(),
  /** Null: what is left of the installment. */
  amount: column.nullable(column.money()),
  state: column.oneOf(['waiting', 'applied'] as const),
});

export type PaymentChargeback = RowOf<typeof OF_PAYMENT>;

/** Uses the index acquirer_changes_chargebacks. A sale has at most 99 installments. */
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

const DISPUTE = rowCodec(
  {
    reference: column.text(),
    installmentNumber: column.whole(),
    happenedAt: column.instant(),
    amount: column.nullable(column.money()),
    state: column.oneOf(['waiting', 'applied'] as const),
    transactionId: column.nullable(column.text('t.transaction_id')),
    referenceTransaction: column.nullable(column.text('t.reference_transaction')),
    brand: column.nullable(column.text('t.card_brand')),
    lastFour: column.nullable(column.text('t.card_last_four')),
    ofInstallment: column.nullable(column.money('i.amount')),
  },
  'c',
);

/** `transactionId` null: the acquirer's charge is none of ours. */
export type Dispute = Omit<RowOf<typeof DISPUTE>, 'brand' | 'lastFour'> & {
  readonly card: { readonly brand: string; readonly lastFour: string } | null;
};

/**
 * Reads the index acquirer_changes_disputes, whose condition is written out here; sales and installments are
 * read by key.
 */
const LIST_DISPUTES = statement(
  'changes.list_disputes',
  `select ${DISPUTE.columns}
   from (
     select * from acquirer_changes
     where merchant_id = $1 and event = 'chargeback' and state <> 'refused' and installment_number > 0
       and happened_at >= $2::timestamptz and happened_at < $3::timestamptz
     order by happened_at desc, change_number desc limit $4
   ) c left join lateral (
     select * from transactions
     where merchant_id = $1
       and transaction_id = (case when c.reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then c.reference end)::uuid
     limit 1
   ) t on true left join lateral (
     select amount from installments
     where merchant_id = $1 and transaction_id = t.transaction_id and installment_number = c.installment_number limit 1
   ) i on true
   order by c.happened_at desc, c.change_number desc`,
);

/** Newest first. Leaves out refused chargebacks, which took nothing back. */
export async function listDisputes(
  database: Reader,
  merchantId: string,
  { from, before }: { readonly from: Instant; readonly before: Instant },
  limit: number,
): Promise<Dispute[]> {
  const rows = await database.query(LIST_DISPUTES, [merchantId, utcText(from), utcText(before), limit]);
  return rows.map(DISPUTE.parse).map(({ brand, lastFour, ...dispute }) => ({
    ...dispute,
    card: brand === null || lastFour === null ? null : { brand, lastFour },
  }));
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
