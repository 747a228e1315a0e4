-- Whether an earlier one waits is asked of each delivery that is claimed. With the same predicate as deliveries_waiting this
-- index lost to it wherever the statistics knew of nothing that waits (the ordinary state, in which a backlog begins): then
-- every question read all that waits for the target. The predicate means the same, by the table's checks, and says which of
-- the two indexes a statement may take.
drop index deliveries_in_order;
create index deliveries_in_order on deliveries
  (merchant_id, target, transaction_id, installment_number, delivery_number) where due_at is not null;

-- The same with what is looked up by its key: planned while the table is empty, all indexes that begin with the merchant seem
-- alike, and the newest was taken, which then read all rows of the merchant for each. Only who names an account may take it.
drop index deliveries_by_account;
create index deliveries_by_account on deliveries (merchant_id, account_number, state, created_at) include (delivery_number)
  where account_number is not null;
