/*
 * What is known of a receivable `r` that no line pays. Of one that a line pays nobody asks, so that
 * nothing is read for it.
 */

const IS_UNPAID = `not exists (
       select from settlement_matches m where m.merchant_id = r.merchant_id and m.transaction_id = r.transaction_id
         and m.installment_number = r.installment_number and m.kind in ('payout', 'anticipation')
     )`;

/**
 * Whether a line pays its batch, and is divided over none of its sales because the list of them is not
 * whole. Looked up in all such lines, which are few: no index leads from a sale to them.
 */
export const AWAITS_LIST = `case when ${IS_UNPAID} then exists (
       select from settlement_matches m
       join settlement_entries l on l.file_number = m.file_number and l.line_number = m.line_number
       where m.merchant_id = r.merchant_id and m.transaction_id = r.transaction_id and m.kind = 'sale'
         and ((l.establishment, l.batch, r.installment_number) in (
           select p.establishment, p.batch, coalesce(p.installment_number, 1::smallint)
           from reconciliation_exceptions x
           join settlement_entries p on p.file_number = x.file_number and p.line_number = x.line_number
           where x.merchant_id = '' and x.class = 'notInParcela' and x.state = 'open' and x.found = 'batchIncomplete'
         )) is true
     ) else false end`;
