import { type Database, statement } from '../../../platform/postgres/database.ts';
import { inputRows } from '../../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../platform/postgres/state-table.ts';
import { utcText } from '../../../values/instant.ts';
import { NOBODY_IS_NOTIFIED } from '../../movements/movement-deliveries.sql.ts';
import { TRANSACTION_MOVES } from '../../transaction.ts';
import { type OutcomeRow, PARTS, partsOf, SHARES, sharesOf } from './outcome-rows.sql.ts';

/** The outcome of a charge that the process which asked for it still waits for. */
export type PlainApproval = Extract<OutcomeRow, { readonly expected: 'charging' }>;

const APPROVALS = inputRows<PlainApproval>(
  {
    merchant_id: ['text', (row) => row.merchantId],
    transaction_id: ['uuid', (row) => row.transactionId],
    fence: ['integer', (row) => row.fence],
    authorization_code: ['text', (row) => row.authorizationCode],
    nsu: ['text', (row) => row.nsu],
    network_transaction_id: ['text', (row) => row.networkReference.transactionId],
    transaction_link_id: ['text', (row) => row.networkReference.linkId],
    tid: ['text', (row) => row.tid],
    moment: ['timestamptz', (row) => utcText(row.moment)],
  },
  { after: SHARES },
);

const APPROVED = rowCodec({ transactionId: column.text('c.transaction_id') });

/**
 * `transactions.commit_outcomes` for approvals that notify nobody and mark no card. The parts that are left
 * out here would find nothing, and yet be half of the cost of an outcome that is written alone. Approvals of
 * merchants who are notified are not written.
 */
const COMMIT_APPROVALS = statement(
  'transactions.commit_outcomes_plain',
  `with changed as (
     update transactions t set state = 'approved', authorization_code = i.authorization_code, nsu = i.nsu,
       network_transaction_id = i.network_transaction_id, transaction_link_id = i.transaction_link_id, tid = i.tid,
       decided_at = now(), approved_at = i.moment, due_at = null
     from (select * from ${APPROVALS.sql} order by merchant_id, transaction_id) i
     where t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
       and t.state in (${fromStates(TRANSACTION_MOVES, 'approve')}) and t.fence = i.fence and ${NOBODY_IS_NOTIFIED}
     returning t.merchant_id, t.transaction_id, t.account_number, t.authorization_code, t.nsu, t.approved_at
   ), parts as (
     insert into installments (merchant_id, ${PARTS.names}, state)
     select c.merchant_id, ${PARTS.selected}, 'authorized'
     from ${PARTS.sql}
     join changed c using (transaction_id)
   ), moves as (
     insert into movements (merchant_id, account_number, transaction_id, installment_number, type, new_state, nsu,
       authorization_code, moment)
     select c.merchant_id, c.account_number, c.transaction_id, p.installment_number, 'Autorizacao', 'authorized', c.nsu,
       c.authorization_code, c.approved_at
     from ${PARTS.sql}
     join changed c using (transaction_id)
   ), divided as (
     insert into shares (merchant_id, ${SHARES.names})
     select c.merchant_id, ${SHARES.selected}
     from ${SHARES.sql}
     join changed c using (transaction_id)
   )
   select ${APPROVED.columns} from changed c`,
);

export function isPlain(row: OutcomeRow): row is PlainApproval {
  return row.expected === 'charging' && row.state === 'approved' && row.isPlain === true;
}

/** Returns the ids of the transactions that it recorded now. */
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
