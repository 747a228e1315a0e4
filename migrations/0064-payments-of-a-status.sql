-- Outside a transaction: an index on a table that grows is built while it is written. The commands may be repeated.

-- A merchant's sales by status and day, but for those that are being charged and those that were approved and are as they were sold: a
-- payment enters it when it is declined, given up or held for its capture, or long after it was approved. In it each status is a
-- stretch of its own: what few sales show is found without the others of these days.
drop index concurrently if exists transactions_by_status;
create index concurrently transactions_by_status on transactions
  (merchant_id, state, installments_state, sold_at, transaction_id)
  where state <> 'charging' and (state <> 'approved' or installments_state <> 'authorized') and installments_state is not null;
