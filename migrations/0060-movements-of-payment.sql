-- Outside a transaction: an index of a table that grows is built while others write. Each command may be repeated.
-- For the timeline of a payment, which a person looks at.
drop index concurrently if exists movements_of_payment;
create index concurrently movements_of_payment on movements (merchant_id, transaction_id) where transaction_id is not null;
