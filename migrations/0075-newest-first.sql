-- Outside a transaction: indexes on tables that grow are built while they are written. Each command may be repeated.
-- Ids of requests with a key are derived and do not say which is newer: what is shown newest first stands in the order of its sale.

-- What a merchant sold under one reference of its own.
drop index concurrently if exists transactions_by_reference_day;
create index concurrently transactions_by_reference_day on transactions
  (merchant_id, reference_transaction, sold_at, transaction_id) where reference_transaction is not null;
drop index concurrently if exists transactions_by_reference;

-- A person's payments, of all merchants or of one; the expression is that of 0027.
drop index concurrently if exists transactions_by_customer_day;
create index concurrently transactions_by_customer_day on transactions (
  upper(regexp_replace(customer ->> 'documentNumber', '[^0-9A-Za-z]', '', 'g')), merchant_id, sold_at, transaction_id
) where customer ->> 'documentNumber' is not null;
drop index concurrently if exists transactions_by_customer_document;
