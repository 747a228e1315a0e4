-- Outside a transaction: the index is built while others write.
-- By reference, too, a search finds what is decided here and what is under way in transactions_under_way: a sale is
-- written to this index once, and leaves no dead entry. Processes of the version before find by reference more slowly
-- until they end.
drop index concurrently if exists transactions_by_reference;
create index concurrently transactions_by_reference on transactions
  (merchant_id, reference_transaction, sold_at, transaction_id) where reference_transaction is not null and due_at is null;
drop index concurrently if exists transactions_by_reference_day;
