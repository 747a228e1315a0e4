/*
 * What is known of a receivable `r` that no line pays. Of one that a line pays nobody asks, so that
 * nothing is read for it.
 */

/** `GRACE_DAYS`, as the text of a statement. */
const GRACE = '2';

const IS_UNPAID = `not exists (
       select from settlement_matches m where m.merchant_id = r.merchant_id and m.transaction_id = r.transaction_id
         and m.installment_number = r.installment_number and m.kind in ('payout', 'anticipation')
     )`;

/**
 * Whether, by the acquirer's numbers of the files of a coverage `v`, one is missing that may tell of the
 * day of `r` or of the days of grace: its days are those between the file before it and the one behind.
 */
const IS_FILE_MISSING = `exists (
         select from settlement_files f
         cross join lateral (
           select to_on from settlement_files
           where format = f.format and establishment = f.establishment and sequence < f.sequence
             and taken_at is not null and matched_at is not null
           order by sequence desc limit 1
         ) b
         where f.format = v.format and f.establishment = v.establishment and f.taken_at is not null
           and f.to_on >= r.expected_on and r.expected_on <= greatest(f.from_on - 1, b.to_on)
           and r.expected_on + ${GRACE} >= least(f.from_on, b.to_on + 1)
           and not exists (
             select from settlement_files n
             where n.format = f.format and n.establishment = f.establishment and n.sequence = f.sequence - 1
               and n.taken_at is not null and n.matched_at is not null
           )
       )`;

/** Up to which day files of an establishment of its merchant tell of it; null: they do not. */
export const COVERED_TO = `(
       select max(v.covered_to) from settlement_coverages v
       where v.merchant_id = r.merchant_id and v.covered_from <= r.expected_on
         and v.covered_to >= r.expected_on + ${GRACE}
         and case when ${IS_UNPAID} then not ${IS_FILE_MISSING} else true end
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
