import { type Reader, statement } from '../platform/postgres/database.ts';

const FIND_IDS = statement(
  'transactions.find_ids_of_reference',
  `select transaction_id::text from transactions
   where merchant_id = $1 and reference_transaction = $2 order by transaction_id desc limit $3`,
);

/** The newest transactions of a merchant under this reference of its own. */
export async function findIdsOfReference(
  database: Reader,
  merchantId: string,
  reference: string,
  limit: number,
): Promise<string[]> {
  const rows = await database.query(FIND_IDS, [merchantId, reference, limit]);
  return rows.map((row) => row.transaction_id as string);
}
