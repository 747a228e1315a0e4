-- Outside a transaction: indexes on tables that grow are built while they are written. Each command may be repeated.
-- What pages for people look through, in the order in which they show it.

-- A merchant's sales of cards that end alike, by day.
drop index concurrently if exists transactions_by_last_four;
create index concurrently transactions_by_last_four on transactions
  (merchant_id, card_last_four, sold_at, transaction_id, state, installments_state) where installments_state is not null;

-- A merchant's sales that were given back or are held, by day: few enter it, and long after they were made.
drop index concurrently if exists transactions_seldom;
create index concurrently transactions_seldom on transactions
  (merchant_id, sold_at, transaction_id, state, installments_state) where installments_state in ('blocked', 'canceled');

-- Exceptions of an account by day, as before, with what is asked of them: counted in the index alone.
drop index concurrently if exists reconciliation_exceptions_by_account;
create index concurrently reconciliation_exceptions_by_account on reconciliation_exceptions
  (merchant_id, account_number, day, exception_id, state, class);
drop index concurrently if exists reconciliation_exceptions_of_account;

-- The largest first, of all and of each merchant.
drop index concurrently if exists reconciliation_exceptions_by_size;
create index concurrently reconciliation_exceptions_by_size on reconciliation_exceptions
  (state, class, abs(amount) desc, opened_at, exception_id);
drop index concurrently if exists reconciliation_exceptions_of_merchant;
create index concurrently reconciliation_exceptions_of_merchant on reconciliation_exceptions
  (merchant_id, state, class, abs(amount) desc, opened_at, exception_id);
drop index concurrently if exists truth_differences_by_size;
create index concurrently truth_differences_by_size on truth_differences
  (abs(amount) desc, opened_at, transaction_id) where ended_at is null;
drop index concurrently if exists truth_differences_of_merchant;
create index concurrently truth_differences_of_merchant on truth_differences
  (merchant_id, abs(amount) desc, opened_at, transaction_id) where ended_at is null;
