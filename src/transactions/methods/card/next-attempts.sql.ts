import { type Database, statement } from '../../../platform/postgres/database.ts';

const MARK = statement(
  'transactions.mark_next_attempt',
  `update transactions set next_attempt_id = $3
   where merchant_id = $1 and transaction_id = $2 and state = 'voided' and next_attempt_id is null
   returning transaction_id`,
);

/**
 * Writes the id of the next attempt into the first one, before the intent of the next is committed, so that
 * no attempt is without a trace. False: the first one is not over, or already has a next one; then nothing
 * must be sent.
 */
export async function markNextAttempt(
  database: Database,
  { merchantId, transactionId }: { readonly merchantId: string; readonly transactionId: string },
  nextId: string,
): Promise<boolean> {
  return (await database.query(MARK, [merchantId, transactionId, nextId])).length === 1;
}
