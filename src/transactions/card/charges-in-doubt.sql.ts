import { statement, type Tx } from '../../platform/postgres/database.ts';

const HOLD = statement(
  'transactions.hold_in_doubt',
  `update transactions set due_at = now() + $3 * interval '1 second'
   where merchant_id = $1 and transaction_id = $2 and state = 'charging'
   returning transaction_id`,
);

/**
 * Keeps a charge whose process has ended from being resolved for so long: after a restore a person
 * may know that its merchant was answered. 0: it is resolved at once.
 */
export async function holdInDoubt(
  tx: Tx,
  merchantId: string,
  transactionId: string,
  seconds: number,
): Promise<void> {
  await tx.query(HOLD, [merchantId, transactionId, seconds]);
}
