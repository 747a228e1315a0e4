import type { IdSpan } from '../../idempotency/derived-id.ts';
import type { BatchedReadOptions } from '../../platform/postgres/batched-reads.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { NEVER_SENT } from '../transaction-queries.sql.ts';

/** Whose, and between which two ids. */
export type MadeTransaction = IdSpan & { readonly merchantId: string };

const SPANS = inputRows<MadeTransaction>({
  merchant_id: ['text', ({ merchantId }) => merchantId],
  first: ['uuid', ({ first }) => first],
  last: ['uuid', ({ last }) => last],
});

const MADE = rowCodec({
  merchantId: column.text('i.merchant_id'),
  first: column.text('i.first'),
  transactionId: column.text('m.transaction_id'),
});

const FIND = statement(
  'transactions.find_made',
  `select ${MADE.columns} from ${SPANS.sql}, lateral (
     (select t.transaction_id from transactions t
      where t.merchant_id = i.merchant_id and t.transaction_id between i.first and i.last and not coalesce(${NEVER_SENT}, false)
      limit 1)
     union all
     (select r.transaction_id from restored_charges r
      where r.merchant_id = i.merchant_id and r.transaction_id between i.first and i.last
        and r.decision in ('undecided', 'unfinished')
      limit 1)
     limit 1
   ) m`,
);

/**
 * Transactions by derived ids: the one that was sent; after a restore also one that the acquirer has
 * and the books are still to get, or a person is to decide on.
 */
export function madeTransactionsRead(database: Database): BatchedReadOptions<MadeTransaction, string> {
  const textOf = ({ merchantId, first }: Pick<MadeTransaction, 'merchantId' | 'first'>) =>
    `${merchantId}|${first}`;
  return {
    name: 'transactions of keys',
    textOf,
    async read(spans) {
      const rows = await database.query(FIND, SPANS.values(spans));
      return new Map(rows.map(MADE.parse).map((made) => [textOf(made), made.transactionId]));
    },
  };
}
