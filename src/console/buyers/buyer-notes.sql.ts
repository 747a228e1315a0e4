import { type Database, type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { PersonFilter } from './buyer-words.sql.ts';

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

/** Newest first. */
export async function listNotes(
  database: Reader,
  { document, merchantId }: PersonFilter,
  limit: number,
): Promise<BuyerNote[]> {
  return (await database.query(LIST, [document, merchantId, limit])).map(NOTE.parse);
}

export type NewNote = {
  readonly merchantId: string;
  /** Sent again it is the same note. */
  readonly noteId: string;
  readonly document: string;
  readonly note: string;
  readonly createdBy: string;
};

const ADD = statement(
  'buyer_notes.add',
  `insert into buyer_notes (merchant_id, note_id, document, note, created_by)
   values ($1, $2::uuid, $3, $4, $5) on conflict do nothing`,
);

export async function addNote(
  database: Database,
  { merchantId, noteId, document, note, createdBy }: NewNote,
): Promise<void> {
  await database.query(ADD, [merchantId, noteId, document, note, createdBy]);
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

export async function eraseNotes(
  database: Database,
  { document, merchantId }: PersonFilter,
): Promise<number> {
  return (await database.query(ERASE, [document, merchantId])).length;
}

const ERASE_OLD = statement(
  'buyer_notes.erase_old',
  `with held as materialized (
     select ctid as place from buyer_notes where created_at < now() - $2 * interval '1 day'
     order by created_at limit $1 for update skip locked
   )
   delete from buyer_notes where ctid = any (array(select place from held)) returning 1`,
);

export async function eraseOldNotes(database: Database, limit: number, days: number): Promise<number> {
  return (await database.query(ERASE_OLD, [limit, days])).length;
}
