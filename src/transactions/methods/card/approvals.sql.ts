import { type Database, statement } from '../../../platform/postgres/database.ts';
import { inputRows } from '../../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../platform/postgres/state-table.ts';
import { utcText } from '../../../values/instant.ts';
import { NOBODY_IS_NOTIFIED } from '../../movements/movement-deliveries.sql.ts';
import { TRANSACTION_MOVES } from '../../transaction.ts';
import { type OutcomeRow, PARTS, partsOf, SHARES, sharesOf } from './outcome-rows.sql.ts';

/** Of an approval as most are. */
export type PlainApproval = Extract<OutcomeRow, { readonly expected: 'charging' }>;

const APPROVALS = inputRows<PlainApproval>(
  {
    merchant_id: ['text', (row) => row.merchantId],
    transaction_id: ['uuid', (row) => row.transactionId],
    fence: ['integer', (row) => row.fence],
    authorization_code: ['text', (row) => row.authorizationCode],
    nsu: ['text', (row) => row.nsu],
    network_transaction_id: ['text', (row) => row.networkTransactionId],
    tid: ['text', (row) => row.tid],
    moment: ['timestamptz', (row) => utcText(row.moment)],
  },
  { after: SHARES },
);

/**
 * `transactions.commit_outcomes` for approvals that notify nobody and mark no card: parts of a statement
 * cost half of a lone outcome where they find nothing. Leaves out merchants who are notified.
 */
const COMMIT_APPROVALS = statement(
  'transactions.commit_outcomes_plain',
  `with locked as materialized (
     select t.merchant_id, t.transaction_id, t.account_number, i.authorization_code, i.nsu, i.network_transaction_id,
       i.tid, i.moment
     from ${APPROVALS.sql} join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
     where t.state in (${fromStates(TRANSACTION_MOVES, 'approve')}) and t.fence = i.fence and ${NOBODY_IS_NOTIFIED}
     order by t.merchant_id, t.transaction_id
     for no key update of t
   ), parts as (
     insert into installments (merchant_id, ${PARTS.names}, state)
     select l.merchant_id, ${PARTS.selected}, 'authorized'
     from ${PARTS.sql}
     join locked l using (transaction_id)
   ), moves as (
     insert into movements (merchant_id, account_number, transaction_id, installment_number, type, new_state, nsu,
       authorization_code, moment)
     select l.merchant_id, l.account_number, l.transaction_id, p.installment_number, 'Autorizacao', 'authorized', l.nsu,
       l.authorization_code, l.moment
     from ${PARTS.sql}
     join locked l using (transaction_id)
   ), divided as (
     insert into shares (merchant_id, ${SHARES.names})
     select l.merchant_id, ${SHARES.selected}
     from ${SHARES.sql}
     join locked l using (transaction_id)
   )
   update transactions t set state = 'approved', authorization_code = l.authorization_code, nsu = l.nsu,
     network_transaction_id = l.network_transaction_id, tid = l.tid, decided_at = now(), approved_at = l.moment, due_at = null
   from locked l
   where t.merchant_id = l.merchant_id and t.transaction_id = l.transaction_id
   returning t.transaction_id`,
);

const APPROVED = rowCodec({ transactionId: column.text('t.transaction_id') });

export function isPlain(row: OutcomeRow): row is PlainApproval {
  return row.expected === 'charging' && row.state === 'approved' && row.isPlain === true;
}

/** Gives those that were recorded now. */
export async function commitApprovals(
  database: Database,
  rows: readonly PlainApproval[],
): Promise<ReadonlySet<string>> {
  const values = [
    ...PARTS.values(partsOf(rows)),
    ...SHARES.values(sharesOf(rows)),
    ...APPROVALS.values(rows),
  ];
  const approved = (await database.query(COMMIT_APPROVALS, values)).map(APPROVED.parse);
  return new Set(approved.map(({ transactionId }) => transactionId));
}
