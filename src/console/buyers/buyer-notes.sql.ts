import { type Database, type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { forgetting } from '../../platform/postgres/forgetting.ts';
import type { PersonFilter } from '../../platform/postgres/personal-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';

const NOTE = rowCodec({
  merchantId: column.text(),
  noteId: column.text(),
  note: column.text(),
  createdBy: column.text(),
  createdAt: column.instant(),
});

export type BuyerNote = RowOf<typeof NOTE>;

const LIST = statement(
  'buyer_notes.list',
  `select ${NOTE.columns} from buyer_notes where document = $1 and ($2::text is null or merchant_id = $2)
   order by created_at desc, note_id limit $3`,
);

export async function listNotes(
  database: Reader,
  { document, merchantId }: PersonFilter,
  limit: number,
): Promise<BuyerNote[]> {
  return (await database.query(LIST, [document, merchantId, limit])).map(NOTE.parse);
}

export type NewNote = {
  readonly merchantId: string;
  /** A note that is sent again has the same id. */
  readonly noteId: string;
  readonly document: string;
  readonly note: string;
  readonly createdBy: string;
  /** The payment, boleto or subscription that names the buyer. */
  readonly boughtId: string;
};

/** Waits for an erasure of a buyer, which locks all cursors; a later erasure waits for this transaction. */
const SHARE = statement(
  'buyer_cursors.share',
  `select source from buyer_cursors where source = 'subscription' for share`,
);

const IS_NAMED = rowCodec({ isNamed: column.boolean() });

/**
 * Adds a note only while the purchase still names its buyer. The charge of a billing is named by its
 * subscription.
 */
const ADD = statement(
  'buyer_notes.add',
  `with named as materialized (
     select from transactions t where t.merchant_id = $1 and t.transaction_id = $6::uuid
       and (t.customer is not null or exists (
         select from billings g join subscriptions s on s.merchant_id = g.merchant_id and s.subscription_id = g.subscription_id
         where g.merchant_id = $1 and s.customer is not null
           and g.billing_id = case when t.origin = 'billing' then t.reference_transaction::uuid end
       ))
     union all select from pix_charges p where p.merchant_id = $1 and p.pix_id = $6::uuid and p.payer is not null
     union all select from boletos b where b.merchant_id = $1 and b.boleto_id = $6::uuid and b.payer is not null
     union all select from subscriptions s
       where s.merchant_id = $1 and s.subscription_id = $6::uuid and s.customer is not null
   ), added as (
     insert into buyer_notes (merchant_id, note_id, document, note, created_by)
     select $1, $2::uuid, $3, $4, $5 where exists (select from named) on conflict do nothing
   )
   select exists (select from named) as is_named`,
);

/**
 * False: the purchase does not name the buyer any more. An erasure of the buyer either ends before this or
 * waits for it.
 */
export async function addNote(
  database: Database,
  { merchantId, noteId, document, note, createdBy, boughtId }: NewNote,
): Promise<boolean> {
  const values = [merchantId, noteId, document, note, createdBy, boughtId];
  return database.transaction(async (tx) => {
    await tx.query(SHARE, []);
    const [row] = await tx.query(ADD, values);
    return row !== undefined && IS_NAMED.parse(row).isNamed;
  });
}

const REMOVE = statement(
  'buyer_notes.remove',
  'delete from buyer_notes where merchant_id = $1 and note_id = $2::uuid and document = $3 returning 1',
);

export async function removeNote(
  database: Database,
  { merchantId, noteId, document }: Pick<NewNote, 'merchantId' | 'noteId' | 'document'>,
): Promise<boolean> {
  return (await database.query(REMOVE, [merchantId, noteId, document])).length > 0;
}

const ERASE = statement(
  'buyer_notes.erase',
  'delete from buyer_notes where document = $1 and ($2::text is null or merchant_id = $2) returning 1',
);

export async function eraseNotes(tx: Tx, { document, merchantId }: PersonFilter): Promise<number> {
  return (await tx.query(ERASE, [document, merchantId])).length;
}

export const eraseOldNotes = forgetting<[number]>({
  table: 'buyer_notes',
  by: 'created_at',
  over: "created_at < now() - $2 * interval '1 day'",
});
