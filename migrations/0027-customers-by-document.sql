-- Outside a transaction: the indexes are built while payments go on. Each command may be repeated.

-- Real time: when the customer's data was removed, by retention or because the person asked. What was sold stays.
alter table transactions add column if not exists customer_erased_at timestamptz;

-- A person's payments at all merchants, for the operator alone: the number as the customer's data holds it, without its mask.
-- No other statement names the expression.
drop index concurrently if exists transactions_by_customer_document;
create index concurrently transactions_by_customer_document on transactions (
  upper(regexp_replace(customer ->> 'documentNumber', '[^0-9A-Za-z]', '', 'g')), merchant_id, transaction_id
) where customer ->> 'documentNumber' is not null;

-- What retention has still to remove, oldest first: what was removed stands here no more.
drop index concurrently if exists transactions_with_customer;
create index concurrently transactions_with_customer on transactions (created_at) where customer is not null;
