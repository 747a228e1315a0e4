import { type Reader, statement } from '../platform/postgres/database.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';
import type { Instant } from '../values/instant.ts';

const ID = rowCodec({ transactionId: column.text('t.transaction_id') });
const MADE = rowCodec({ createdAt: column.instant() });

const FIND_IDS = statement(
  'transactions.find_ids_of_reference',
  `select ${ID.columns} from transactions t
   where t.merchant_id = $1 and t.reference_transaction = $2
   order by t.sold_at desc, t.transaction_id desc limit $3`,
);

const FIND_MADE_AT = statement(
  'transactions.find_made_at',
  `select ${MADE.columns} from transactions where merchant_id = $1 and transaction_id = $2
   union all
   select ${MADE.columns} from cancels where merchant_id = $1 and cancel_id = $2
   limit 1`,
);

/** Real time at which a transaction or a cancel was written; null: there is none. */
export async function findMadeAt(database: Reader, merchantId: string, id: string): Promise<Instant | null> {
  const [row] = await database.query(FIND_MADE_AT, [merchantId, id]);
  return row === undefined ? null : MADE.parse(row).createdAt;
}

/** The newest transactions of a merchant under this reference of its own. */
export async function findIdsOfReference(
  database: Reader,
  merchantId: string,
  reference: string,
  limit: number,
): Promise<string[]> {
  const rows = await database.query(FIND_IDS, [merchantId, reference, limit]);
  return rows.map((row) => ID.parse(row).transactionId);
}
